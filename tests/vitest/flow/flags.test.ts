/** Leading flags of a request, the `flags` object, older spellings and conflicts (FLOW.md, Flags). */
import { describe, expect, test } from 'vitest';
import { isFlowError, NO_FLAGS, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import type { Flags, FlowError, Intent } from '../../../mcp-server/src/flow/types.ts';
import { expectClear, parse } from './session.ts';

/** What differs from the defaults. */
function set(request: string, flags: Record<string, unknown> = {}, intent: Intent = 'IMPLEMENT'): Partial<Flags> {
  const parsed = parse(request, intent, flags).flags;
  const names = Object.keys(NO_FLAGS) as (keyof Flags)[];
  return Object.fromEntries(names.filter((name) => String(parsed[name]) !== String(NO_FLAGS[name])).map((name) => [name, parsed[name]]));
}

function refused(request: string, flags: Record<string, unknown> = {}, intent: Intent = 'IMPLEMENT'): FlowError {
  const parsed = parseRequest(request, intent, flags);
  if (!isFlowError(parsed)) throw new Error(`accepted: ${JSON.stringify(parsed.flags)}`);
  expectClear(parsed);
  return parsed;
}

const warned = (request: string, intent: Intent = 'IMPLEMENT', flags: Record<string, unknown> = {}): string[] =>
  parse(request, intent, flags).warnings.map(({ key, params }) => `${key} ${params?.flag}`);

describe('flags at the head of a request', () => {
  test.each<[string, Partial<Flags>]>([
    ['--gate=full x', { gate: 'full' }],
    ['-g=f x', { gate: 'full' }],
    ['-g=full x', { gate: 'full' }],
    ['--gate=f x', { gate: 'full' }],
    ['--gate=auto x', {}],
    ['-g=a x', {}],
    ['--fast x', { fast: true }],
    ['-f x', { fast: true }],
    ['--quick x', { quick: true }],
    ['-q x', { quick: true }],
    ['--no-verify x', { 'no-verify': true }],
    ['--no-quality x', { 'no-quality': true }],
    ['--no-doc x', { 'no-doc': true }],
    ['--no-doc-research x', { 'no-doc': true }],
    ['--doc-research=a,b x', { 'doc-research': ['a', 'b'] }],
    ['--doc-research=a, x', { 'doc-research': ['a'] }],
    ['--no-intervention x', { 'no-intervention': true }],
    ['-ni x', { 'no-intervention': true }],
    ['--no-pre-planning x', { 'no-pre-planning': true }],
    ['--only-explore x', { 'only-explore': true }],
    ['-e x', { 'only-explore': true }],
    ['--only-verify', { 'only-verify': true }],
    ['-v x', { 'only-verify': true }],
    ['--clean', { clean: true }],
    ['-c', { clean: true }],
    ['--rebuild', { rebuild: true }],
    ['-r', { rebuild: true }],
    ['-f -ni --no-doc x', { fast: true, 'no-intervention': true, 'no-doc': true }],
    ['--gate=full --gate=auto x', {}],
  ])('%s is read', (request, flags) => {
    expect(set(request)).toEqual(flags);
  });

  test('are taken off the task, whatever white space stands between', () => {
    expect(parse('  --fast\t-ni\n add  a b ').task).toBe('add  a b');
  });

  test('end where the text begins', () => {
    const parsed = parse('add a --verbose option and --fast mode');
    expect(parsed.flags).toEqual(NO_FLAGS);
    expect(parsed.task).toBe('add a --verbose option and --fast mode');
  });

  test('end at --', () => {
    const parsed = parse('--no-doc -- --quick is broken');
    expect(set('--no-doc -- --quick is broken')).toEqual({ 'no-doc': true });
    expect(parsed.task).toBe('--quick is broken');
  });

  test.each(['- a list item', '-5 degrees', '-', '--- a rule'])('%s is text', (request) => {
    expect(parse(request)).toMatchObject({ flags: NO_FLAGS, task: request });
  });

  test('that are known but stand later are a warning, each once', () => {
    expect(warned('add --fast and --gate=full and --fast and -q and --verbose')).toEqual([
      'warning.flag_in_text --fast',
      'warning.flag_in_text --gate=full',
    ]);
  });
});

describe('a flag that cannot be taken starts nothing', () => {
  test.each([
    ['--fsat x', '--fast'],
    ['--FAST x', '--fast'],
    ['--quik', '--quick'],
    ['--no-verfy x', '--no-verify'],
    ['--no-doc-reserch x', '--no-doc-research'],
    ['--only-explor', '--only-explore'],
  ])('%s names the nearest', (request, nearest) => {
    expect(refused(request)).toMatchObject({ error: 'unknown_flag', message: { params: { nearest } } });
  });

  test('a known flag before an unknown one does not help', () => {
    expect(refused('--fast --nope x').error).toBe('unknown_flag');
  });

  test('joined short flags are not guessed at', () => {
    expect(refused('-fq x').error).toBe('unknown_flag');
  });

  test.each([
    ['--gate x', 'error.flag_needs_value'],
    ['--doc-research x', 'error.flag_needs_value'],
    ['--doc-research=, x', 'error.flag_needs_value'],
    ['--fast=yes x', 'error.flag_takes_no_value'],
    ['--fast= x', 'error.flag_takes_no_value'],
  ])('%s is bad_arguments', (request, key) => {
    expect(refused(request)).toMatchObject({ error: 'bad_arguments', message: { key } });
  });

  test.each(['--gate=maximum x', '--gate= x', '--gate=constructor x', '--gate=__proto__ x'])('%s names the values', (request) => {
    expect(refused(request)).toMatchObject({
      error: 'unknown_flag',
      message: { key: 'error.flag_value', params: { values: 'full, auto' } },
    });
  });
});

describe('spellings of v1.9', () => {
  test.each([
    ['high', 'full'],
    ['middle', 'full'],
    ['low', 'auto'],
  ] as const)('--gate=%s becomes %s, with a warning', (old, now) => {
    const parsed = parse(`--gate=${old} x`);
    expect(parsed.flags.gate).toBe(now);
    expect(parsed.warnings).toEqual([{ key: 'warning.flag_mapped', params: { flag: `--gate=${old}`, now: `--gate=${now}` } }]);
  });

  test('--gate=none is unknown and names what to use instead', () => {
    for (const failed of [refused('-g=none x'), refused('x', { gate: 'none' })]) {
      expect(failed).toMatchObject({ error: 'unknown_flag', message: { key: 'error.flag_gone', params: { instead: '--fast, --quick' } } });
    }
  });
});

describe('the flags object', () => {
  test('is merged over what the request says', () => {
    expect(set('--fast --gate=full x', { fast: false, gate: 'auto', quick: true })).toEqual({ quick: true });
    expect(set('--no-doc x', { 'no-quality': 'true', 'no-verify': 'false' })).toEqual({ 'no-doc': true, 'no-quality': true });
  });

  test.each<[Record<string, unknown>, Partial<Flags>]>([
    [{ gate: 'full' }, { gate: 'full' }],
    [{ gate: 'f' }, { gate: 'full' }],
    [{ gate: 'high' }, { gate: 'full' }],
    [{ 'no-doc-research': true }, { 'no-doc': true }],
    [{ 'doc-research': 'a,b' }, { 'doc-research': ['a', 'b'] }],
    [{ 'doc-research': ['a', ' b '] }, { 'doc-research': ['a', 'b'] }],
    [{ 'doc-research': [] }, {}],
    [{}, {}],
  ])('%j is read', (flags, wanted) => {
    expect(set('x', flags)).toEqual(wanted);
  });

  test.each<[Record<string, unknown>]>([
    [{ fast: 1 }],
    [{ fast: 'yes' }],
    [{ fast: null }],
    [{ gate: true }],
    [{ gate: ['full'] }],
    [{ 'doc-research': [1] }],
    [{ 'doc-research': true }],
  ])('%j has a wrong type', (flags) => {
    expect(refused('x', flags)).toMatchObject({ error: 'bad_arguments', message: { key: 'error.flag_type' } });
  });

  test.each(['--fast', 'f', 'ni', 'no_verify', 'constructor', '__proto__', ''])('%j is no key of it', (key) => {
    const flags = Object.fromEntries([[key, true]]);
    expect(refused('x', flags).error).toBe('unknown_flag');
  });

  test('names the nearest key without dashes', () => {
    expect(refused('x', { no_verify: true }).message.params).toEqual({ flag: 'no_verify', nearest: 'no-verify' });
  });
});

describe('conflicts between flags', () => {
  test.each(['--only-explore --only-verify x', '--only-verify --no-verify x', '--no-doc --doc-research=a x', '--clean --rebuild'])(
    '%s is refused',
    (request) => {
      expect(refused(request)).toMatchObject({ error: 'bad_arguments', message: { key: 'error.flags_clash' } });
    },
  );

  test.each(['fast', 'quick', 'no-verify', 'no-quality', 'no-doc', 'no-intervention', 'no-pre-planning', 'only-verify'])(
    '--%s wins over --gate=full, with a warning',
    (flag) => {
      expect(set(`--gate=full --${flag} x`)).toEqual({ gate: 'full', [flag]: true });
      expect(warned(`--gate=full --${flag} x`)).toEqual([`warning.skip_wins --${flag}`]);
      expect(warned(`--gate=auto --${flag} x`)).toEqual([]);
    },
  );

  test('--gate=full alone, or with --only-explore, warns of nothing', () => {
    expect(warned('--gate=full x')).toEqual([]);
    expect(warned('--gate=full --only-explore x')).toEqual([]);
  });
});

describe('on an investigation', () => {
  const investigations: [Intent, string][] = [
    ['INVESTIGATE', ''],
    ['QUESTION', ''],
    ['IMPLEMENT', '--only-explore '],
    ['MODIFY', '-e '],
  ];

  test.each(investigations)('%s %s--fast, --quick, --no-verify and --no-quality are ignored, with a warning', (intent, before) => {
    const request = `${before}--fast --quick --no-verify --no-quality x`;
    const left = before ? { 'only-explore': true } : {};
    expect(set(request, {}, intent)).toEqual(left);
    expect(warned(request, intent)).toEqual(
      ['--fast', '--quick', '--no-verify', '--no-quality'].map((flag) => `warning.flag_ignored_investigation ${flag}`),
    );
  });

  test.each(investigations)('%s %s--no-doc and --gate=full count', (intent, before) => {
    const left = before ? { 'only-explore': true } : {};
    expect(set(`${before}--no-doc --gate=full x`, {}, intent)).toEqual({ 'no-doc': true, gate: 'full', ...left });
  });

  test('--only-verify makes it none, so that nothing is ignored', () => {
    expect(set('--only-verify --fast x', {}, 'QUESTION')).toEqual({ 'only-verify': true, fast: true });
    expect(warned('--only-verify --fast x', 'QUESTION')).toEqual([]);
  });

  test('a change ignores none of them', () => {
    expect(set('--fast --no-verify --no-quality x', {}, 'MODIFY')).toEqual({ fast: true, 'no-verify': true, 'no-quality': true });
  });
});

test('what is typed is shown cut, however long it is', () => {
  const long = `--${'x'.repeat(500)}`;
  const params = (error: FlowError) => error.message.params ?? {};
  expect(params(refused(`${long} x`)).flag).toBe(long.slice(0, 64));
  expect(params(refused('x', { [long]: true })).flag).toBe(long.slice(0, 64));
  expect(JSON.stringify(refused(`--gate=${'y'.repeat(500)} x`)).length).toBeLessThan(600);
});

test.each<[string, string, string]>([
  ['--only-explore --only-verify x', '--only-explore', '--only-verify'],
  ['--only-verify --no-verify', '--only-verify', '--no-verify'],
  ['--no-doc --doc-research=a x', '--no-doc', '--doc-research'],
  ['--clean --rebuild', '--clean', '--rebuild'],
])('%s: both are named', (request, a, b) => {
  expect(refused(request)).toMatchObject({ error: 'bad_arguments', message: { key: 'error.flags_clash', params: { a, b } }, problems: [] });
});

test.each<[Record<string, unknown>, Record<string, string>]>([
  [{ gate: 5 }, { flag: 'gate', type: 'string' }],
  [{ fast: 'perhaps' }, { flag: 'fast', type: 'boolean' }],
])('%o: the type that it wants is named', (flags, params) => {
  expect(refused('x', flags).message).toEqual({ key: 'error.flag_type', params });
});

test('items of a list are trimmed, and empty ones are left out, in both forms', () => {
  expect(set('--doc-research=a,,b x')).toEqual({ 'doc-research': ['a', 'b'] });
  expect(set('x', { 'doc-research': [' a ', '', ' '] })).toEqual({ 'doc-research': ['a'] });
  expect(refused('--doc-research= x').message).toEqual({
    key: 'error.flag_needs_value',
    params: { flag: '--doc-research', values: 'a,b' },
  });
  expect(refused('--doc-research x').message.key).toBe('error.flag_needs_value');
  expect(refused('--gate x').message).toMatchObject({ key: 'error.flag_needs_value', params: { flag: '--gate' } });
  expect(refused('--fast=yes x').message).toEqual({ key: 'error.flag_takes_no_value', params: { flag: '--fast' } });
});

test('an error is told from a value by all that makes one', () => {
  expect(isFlowError({ error: 'x', message: {}, problems: [] })).toBe(true);
  for (const value of [{}, { error: 'x' }, { error: 'x', message: {} }, { message: {}, problems: [] }, { error: 'x', problems: [] }])
    expect(isFlowError(value)).toBe(false);
});
