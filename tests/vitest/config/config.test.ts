import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, settle } from '../../../mcp-server/src/config/config.ts';
import { say } from '../../../mcp-server/src/messages/messages.ts';

const DEFAULTS = {
  enforce: 'never',
  guard: { mutating_tools: [], out_of_plan: 'warn' },
  merge: { pull_request: false },
  evidence: 'strict',
  verify: { commands: [] },
  approval: 'none',
  planning: {
    enabled: true,
    pre_planning: {
      enabled: true,
      understanding: { confidence_threshold: 0.7 },
      collection: { enabled: true, max_retries_per_tool: 2 },
      assumption: { enabled: true, confidence_threshold: 0.5 },
      notification: {
        notify_on_start: true,
        notify_on_understanding_complete: true,
        notify_on_collection_complete: true,
        notify_on_assumption: false,
        notifiers: [],
      },
    },
  },
  language: 'auto',
  telemetry: { otlp_endpoint: '' },
};

describe('the configuration', () => {
  let root: string;
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-config-'));
    fs.mkdirSync(path.join(root, '.readygate'));
  });
  afterEach(() => fs.rmSync(root, { recursive: true }));
  const read = (text: string | Buffer, env: Record<string, string> = {}) => {
    fs.writeFileSync(path.join(root, '.readygate/config.yml'), text);
    return readConfig(root, env);
  };

  it('is all defaults where there is no file, an empty file, or only comments', () => {
    expect(readConfig(root)).toEqual({ config: DEFAULTS, warnings: [] });
    expect(read('')).toEqual({ config: DEFAULTS, warnings: [] });
    expect(read('# nothing\n')).toEqual({ config: DEFAULTS, warnings: [] });
  });

  it('takes what fits', () => {
    const { config, warnings } = read('enforce: always\nguard:\n  mutating_tools: ["mcp__fs__*"]\n  out_of_plan: deny\n');
    expect(warnings).toEqual([]);
    expect(config).toEqual({ ...DEFAULTS, enforce: 'always', guard: { mutating_tools: ['mcp__fs__*'], out_of_plan: 'deny' } });
  });

  it('names the line where it stands', () => {
    const { warnings } = read(
      '# ours\nevidence: of\nguard:\n  mutating_tools:\n    - good\n    - ""\n\ncolour: red\nmerge:\n  pull_request: 3\n',
    );
    expect(warnings.map(({ params }) => `${params?.key} ${params?.file}`).sort()).toEqual([
      'colour .readygate/config.yml:8',
      'evidence .readygate/config.yml:2',
      'guard.mutating_tools.1 .readygate/config.yml:6',
      'merge.pull_request .readygate/config.yml:10',
    ]);
  });

  it('says what does not fit and takes its default, but keeps the rest', () => {
    const { config, warnings } = read('enforce: sometimes\nguard:\n  out_of_plan: deny\n  mutating_tools: nope\nmerg: {}\n');
    expect(config).toEqual({ ...DEFAULTS, guard: { mutating_tools: [], out_of_plan: 'deny' } });
    expect(warnings.map(({ key, params }) => [key, params?.key]).sort()).toEqual([
      ['warning.config_choice', 'enforce'],
      ['warning.config_list', 'guard.mutating_tools'],
      ['warning.config_misspelt', 'merg'],
    ]);
  });

  it.each([
    ['no YAML', 'enforce: [\n'],
    ['a list', '- a\n'],
    ['a bare word', 'always\n'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01])],
    [
      'an alias bomb',
      `a: &a [1,1,1,1,1,1,1,1,1]\n${'bcdefgh'
        .split('')
        .map((k, i) => `${k}: &${k} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
        .join('\n')}\n`,
    ],
  ])('survives %s with a warning', (_name, text) => {
    const { config, warnings } = read(text);
    expect(config).toEqual(DEFAULTS);
    expect(warnings.length).toBeGreaterThan(0);
  });

  const preOf = ({ config }: ReturnType<typeof readConfig>) => ({
    enabled: config.planning?.pre_planning.enabled,
    threshold: config.planning?.pre_planning.understanding.confidence_threshold,
  });

  it.each([
    ['true', true],
    ['FALSE', false],
    ['0', false],
    ['on', true],
    ['', false],
  ])('lets PRE_PLANNING_ENABLED=%j win over the file: %s', (value, enabled) => {
    const found = read('planning: {pre_planning: {enabled: false}}\n', { PRE_PLANNING_ENABLED: value });
    expect(preOf(found).enabled).toBe(enabled);
    expect(found.warnings).toEqual([]);
  });

  it.each([
    ['0.95', 0.95],
    ['0', 0],
    ['1', 1],
  ])('lets PRE_PLANNING_CONFIDENCE_THRESHOLD=%s win over the file', (value, threshold) => {
    expect(
      preOf(read('planning: {pre_planning: {understanding: {confidence_threshold: 0.3}}}\n', { PRE_PLANNING_CONFIDENCE_THRESHOLD: value })),
    ).toEqual({
      enabled: true,
      threshold,
    });
  });

  it('says which value of the environment does not fit, and takes the next source down', () => {
    const env = { PRE_PLANNING_ENABLED: 'maybe', PRE_PLANNING_CONFIDENCE_THRESHOLD: '1.5' };
    const text = 'planning: {pre_planning: {enabled: false, understanding: {confidence_threshold: 0.3}}}\n';
    const found = read(text, env);
    expect(preOf(found)).toEqual({ enabled: false, threshold: 0.3 });
    expect(found.warnings.map(({ key, params }) => [key, params?.name])).toEqual([
      ['warning.env_value', 'PRE_PLANNING_ENABLED'],
      ['warning.env_value', 'PRE_PLANNING_CONFIDENCE_THRESHOLD'],
    ]);
    const both = read('planning: {pre_planning: {understanding: {confidence_threshold: high}}}\n', {
      PRE_PLANNING_CONFIDENCE_THRESHOLD: 'high',
    });
    expect(preOf(both).threshold).toBe(0.7);
    expect(both.warnings).toHaveLength(2);
  });

  it('checks pre-planning key by key, and takes the default of what does not fit', () => {
    const text = [
      'planning:',
      '  pre_planning:',
      '    collection: {max_retries_per_tool: -1, enabled: "no"}',
      '    assumption: {confidence_threshold: 2}',
      '    notification: {notify_on_assumption: true, notifiers: [{type: pigeon}]}',
    ];
    const { config, warnings } = read(`${text.join('\n')}\n`);
    const defaults = DEFAULTS.planning.pre_planning;
    const notification = { ...defaults.notification, notify_on_assumption: true };
    expect(config.planning?.pre_planning).toEqual({ ...defaults, notification });
    expect(warnings).toHaveLength(4);
  });

  it('takes every kind of notifier', () => {
    const notifiers = [
      { type: 'command', command: ['tell', 'me'] },
      { type: 'webhook', url: 'http://127.0.0.1:1/' },
      { type: 'github' },
      { type: 'gitlab' },
    ];
    const { config, warnings } = read(JSON.stringify({ planning: { pre_planning: { notification: { notifiers } } } }));
    expect(warnings).toEqual([]);
    expect(config.planning?.pre_planning.notification.notifiers).toEqual(notifiers);
  });

  it('survives a folder in its place', () => {
    fs.mkdirSync(path.join(root, '.readygate/config.yml'));
    expect(readConfig(root).config).toEqual(DEFAULTS);
  });

  it('leaves what it was given as it was', () => {
    const given = { enforce: 'nope', guard: {} };
    settle(given);
    expect(given).toEqual({ enforce: 'nope', guard: {} });
  });
});

describe('one bad entry', () => {
  const notifiersOf = ({ config }: ReturnType<typeof settle>) => config.planning?.pre_planning.notification.notifiers;
  const withNotifiers = (notifiers: unknown[]) => settle({ planning: { pre_planning: { notification: { notifiers } } } });

  it('of the commands does not take the others along', () => {
    const { config, warnings } = settle({ verify: { commands: ['npm test', '', { command: 'npm run lint' }, 7, { timeout_seconds: 3 }] } });
    expect(config.verify.commands).toEqual(['npm test', { command: 'npm run lint' }]);
    expect(warnings.map(({ key, params }) => [key, params?.key])).toEqual([
      ['warning.config_entry', 'verify.commands.1'],
      ['warning.config_entry', 'verify.commands.3'],
      ['warning.config_entry', 'verify.commands.4'],
    ]);
  });

  it('of the notifiers is one warning, which shows no password', () => {
    const hook = 'https://user:geheim@example.org/';
    const found = withNotifiers([{ type: 'github' }, { type: 'webhok', url: hook }, hook, { type: 'command', command: ['a', ''] }]);
    expect(notifiersOf(found)).toEqual([{ type: 'github' }]);
    expect(found.warnings).toHaveLength(3);
    const said = found.warnings.map((warning) => say(warning, 'en')).join('\n');
    expect(said).toContain(
      '{type: "webhok", url}; an entry must be {type: command, command} | {type: webhook, url} | {type: github|gitlab}.',
    );
    expect(said).not.toContain('geheim');
  });

  it('too many leaves the first ones', () => {
    const found = withNotifiers([...Array(11).fill({ type: 'github' }), { type: 'pigeon' }]);
    expect(notifiersOf(found)).toHaveLength(10);
    expect(found.warnings.map(({ key }) => key)).toEqual(['warning.config_long', 'warning.config_entry']);
  });
});

describe('what is said of a configuration that does not fit', () => {
  it.each([
    ['evidence: of', 'evidence is "of"; it must be one of strict, warn, off. The default is used.'],
    ['merge: yes please', 'merge is "yes please"; below it belong keys of its own: pull_request. The defaults are used.'],
    ['merge: {pull_request: maybe}', 'merge.pull_request is "maybe"; it must be true or false.'],
    ['telemetry: {otlp_endpoint: "localhost:4318"}', 'telemetry.otlp_endpoint is "localhost:4318"; it must be an address that begins with'],
    ['verify: {commands: npm test}', 'verify.commands is "npm test"; it must be a list.'],
    ['verify: {commands: [""]}', 'verify.commands.0 is ""; an entry must be "…" | {command, timeout_seconds}. It is left out'],
    [
      'planning: {pre_planning: {collection: {max_retries_per_tool: 1.5}}}',
      'max_retries_per_tool is 1.5; it must be a whole number from 0 to 10.',
    ],
    ['langauge: ja', 'the key langauge is unknown and was ignored; did you mean language?'],
    ['guard: {out-of-plan: deny}', 'the key guard.out-of-plan is unknown and was ignored; did you mean guard.out_of_plan?'],
    ['colour: red', 'the key colour is unknown and was ignored.'],
    ['planning: {pre_planning: {understanding: {confidence_threshold: 7}}}', 'confidence_threshold is 7; it must be a number from 0 to 1.'],
  ])('%s', (text, said) => {
    expect(
      settle(parse(text) as Record<string, unknown>)
        .warnings.map((warning) => say(warning, 'en'))
        .join('\n'),
    ).toContain(said);
  });
});
