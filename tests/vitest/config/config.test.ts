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

  it('says what does not fit and takes its default, but keeps the rest', () => {
    const { config, warnings } = read('enforce: sometimes\nguard:\n  out_of_plan: deny\n  mutating_tools: nope\nmerg: {}\n');
    expect(config).toEqual({ ...DEFAULTS, guard: { mutating_tools: [], out_of_plan: 'deny' } });
    expect(warnings.map(({ key, params }) => [key, params?.key]).sort()).toEqual([
      ['warning.config_choice', 'enforce'],
      ['warning.config_misspelt', 'merg'],
      ['warning.config_value', 'guard.mutating_tools'],
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
    expect(warnings.length).toBeGreaterThanOrEqual(4);
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

describe('what is said of a configuration that does not fit', () => {
  it.each([
    ['evidence: of', 'evidence must be one of strict, warn, off; the default is used'],
    ['langauge: ja', 'the key langauge is unknown and was ignored; did you mean language?'],
    ['guard: {out-of-plan: deny}', 'the key guard.out-of-plan is unknown and was ignored; did you mean guard.out_of_plan?'],
    ['colour: red', 'the key colour is unknown and was ignored.'],
    ['planning: {pre_planning: {understanding: {confidence_threshold: 7}}}', 'confidence_threshold must be <= 1; the default is used'],
  ])('%s', (text, said) => {
    expect(
      settle(parse(text) as Record<string, unknown>)
        .warnings.map((warning) => say(warning, 'en'))
        .join('\n'),
    ).toContain(said);
  });
});
