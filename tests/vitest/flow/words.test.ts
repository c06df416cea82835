/** What people type: flags that are theirs, and the word that they probably meant. */
import { describe, expect, test } from 'vitest';
import { meant, nearest } from '../../../mcp-server/src/flow/nearest.ts';
import { isSpoken, unspokenFlags } from '../../../mcp-server/src/flow/spoken-flags.ts';
import type { Flags } from '../../../mcp-server/src/flow/types.ts';

describe('a flag is spoken', () => {
  test.each<[keyof Flags, string]>([
    ['quick', '/readygate:code --quick fix it'],
    ['quick', 'fix it -q'],
    ['quick', '--quick=yes fix it'],
    ['quick', 'fix\n--quick\tit'],
    ['no-doc', '--no-doc x'],
    ['no-doc', '--no-doc-research x'],
    ['no-intervention', '-ni x'],
    ['gate', '--gate=full x'],
    ['gate', '-g=full x'],
    ['no-verify', 'x --no-verify'],
  ])('%s in %j', (name, prompt) => {
    expect(isSpoken(name, prompt)).toBe(true);
  });

  test.each<[keyof Flags, string]>([
    ['quick', 'fix it quickly'],
    ['quick', 'quick'],
    ['quick', '--quickly'],
    ['quick', 'a--quick'],
    ['no-verify', '--no-verify-me'],
    ['no-verify', '-v'],
    ['no-doc', '--doc'],
    ['fast', ''],
    ['nothing' as keyof Flags, '--nothing'],
  ])('%s not in %j', (name, prompt) => {
    expect(isSpoken(name, prompt)).toBe(false);
  });

  test('only flags that skip something must be, and only those that are on', () => {
    const flags = {
      fast: true,
      quick: false,
      'no-verify': true,
      approve: true,
      'only-explore': true,
      clean: true,
      gate: 'full',
    } as unknown as Flags;
    expect(unspokenFlags(flags, 'x')).toEqual(['fast', 'no-verify']);
    expect(unspokenFlags(flags, '--fast x')).toEqual(['no-verify']);
    expect(unspokenFlags(flags, '-f --no-verify x')).toEqual([]);
    expect(unspokenFlags(flags, null)).toEqual(['fast', 'no-verify']);
    expect(unspokenFlags({} as Flags, null)).toEqual([]);
  });
});

describe('the word that was meant', () => {
  const names = ['status', 'explain', 'clean', 'doctor', 'index', 'in'];
  test.each([
    ['statsu', 'status'],
    ['STATUS', 'status'],
    ['stat', 'status'],
    ['exp', 'explain'],
    ['explian', 'explain'],
    ['doktor', 'doctor'],
    ['cleann', 'clean'],
    ['indexx', 'index'],
    ['ind', 'index'],
    ['int', 'in'],
  ])('%s is %s', (word, found) => {
    expect(meant(word, names)).toBe(found);
  });

  test.each(['xyzzy', 'st', 'q', '', 'statements', 'a'.repeat(10_000), 'dxxtor'.replace('xx', 'qqq')])('%j is none of them', (word) => {
    expect(meant(word, names)).toBeUndefined();
  });

  test('is none where there are none', () => {
    expect(meant('status', [])).toBeUndefined();
    expect(nearest('status', [])).toBeUndefined();
  });

  test('is the nearest by letters put in, left out and changed, the first of equals', () => {
    expect(nearest('b', ['aa', 'bb', 'ab'])).toBe('bb');
    expect(nearest('abc', ['xbc', 'abx'])).toBe('xbc');
    expect(nearest('', ['long', 'a', 'bb'])).toBe('a');
    expect(nearest('kitten', ['sitting', 'mitten', 'kit'])).toBe('mitten');
    expect(nearest('KIT', ['kitten', 'kat', 'kit'])).toBe('kit');
  });

  test('three letters allow for one slip, six for two, none for three', () => {
    expect(meant('cat', ['cut'])).toBe('cut');
    expect(meant('cat', ['cup'])).toBeUndefined();
    expect(meant('abcdef', ['abcxyf'])).toBe('abcxyf');
    expect(meant('abcdef', ['abxyzf'])).toBeUndefined();
    expect(meant('abcdefghijkl', ['abcdefghixyz'])).toBeUndefined();
    expect(meant('ab', ['ac'])).toBeUndefined();
  });
});
