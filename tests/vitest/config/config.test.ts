import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, settle } from '../../../mcp-server/src/config/config.ts';

const DEFAULTS = {
  enforce: 'never',
  guard: { mutating_tools: [], out_of_plan: 'warn' },
  merge: { pull_request: false },
  evidence: 'strict',
  verify: { commands: [] },
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
  const read = (text: string | Buffer) => {
    fs.writeFileSync(path.join(root, '.readygate/config.yml'), text);
    return readConfig(root);
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
      ['warning.config_unknown', 'merg'],
      ['warning.config_value', 'enforce'],
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
