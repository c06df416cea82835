import '../seed.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asksForLineBreak, expressionOf } from '../../../mcp-server/src/intel/search/expression.ts';
import { finderOf, linesIn } from '../../../mcp-server/src/intel/search/lines.ts';
import { literalOf } from '../../../mcp-server/src/intel/search/literal.ts';

function found(pattern: string, text: string, regex = true, caseSensitive = true): number[] {
  const needle = { pattern, regex, literal: regex ? literalOf(pattern) : pattern };
  const { count, lines } = linesIn(text, [finderOf(needle, caseSensitive)], 0);
  expect(count).toBe(lines.length);
  return lines.map(({ line }) => line);
}

test.each<[string, string, number[]]>([
  ['^$', '\nfoo\n  bar\n', [1]],
  ['^$', '', []],
  ['^$', '\n', [1]],
  ['^$', 'a\r\n\r\nb', [2]],
  ['\\s+export', 'x\n\nexport b\n', []],
  ['\\s+export', 'x\n\n export b\n', [3]],
  ['export\\s*$', 'export \n\nexport b\nexport', [1, 4]],
  ['foo$', 'foo\r\nfood\r\nfoo', [1, 3]],
  ['a[^b]*c', 'a\nc\nac\n', [3]],
  ['(?<!x\\s)foo', 'x\nfoo\nx foo\n', [2]],
  ['foo(?!\\s+bar)', 'foo\nbar\nfoo bar\n', [1]],
  ['^import', '\ufeffimport a\nimport b\n', [1, 2]],
  ['^.$', '😀\nab\n', [1]],
  ['^\\p{Lu}+$', 'É\né\n', [1]],
  ['\\-x', '-x\n', [1]],
])('%s is held against single lines of %j', (pattern, text, expected) => {
  expect(found(pattern, text)).toEqual(expected);
});

test.each<[string, string, number[]]>([
  ['foo', '\nfoo\n', [2]],
  ['a\nb', 'a\nb\nx a\nb', [1, 3]],
  ['\nfoo', '\nfoo\n\nfoo\nfoo', [2, 4, 5]],
  ['\n', '\na\n\n', [1, 2, 3]],
  ['A', 'ba\nc\na', []],
])('plain %j stands in lines of %j', (pattern, text, expected) => {
  expect(found(pattern, text, false)).toEqual(expected);
  expect(found(pattern.toUpperCase(), text.toLowerCase(), false, false)).toEqual(pattern === 'A' ? [1, 3] : expected);
});

test('every line is judged by itself, whatever stands around it', () => {
  const patterns = [
    '^$',
    '^\\s*$',
    '\\bfoo\\b',
    'foo|^b',
    '\\s+foo',
    'o\\s*$',
    '(?!foo)\\w+$',
    '(?<=o) ?f',
    'foo.?',
    '[^o]+$',
    'FOO',
    '(f)o\\1?',
  ];
  const text = fc.array(fc.constantFrom('foo', 'bar', ' ', '\n', '\n', '\r\n', 'f', 'é'), { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(...patterns), fc.boolean(), (whole, pattern, caseSensitive) => {
      const expression = expressionOf(pattern, caseSensitive);
      const each = whole.replace(/\n$/, '').split('\n');
      const expected = whole === '' ? [] : each.flatMap((line, at) => (expression.test(line.replace(/\r$/, '')) ? [at + 1] : []));
      expect(found(pattern, whole, true, caseSensitive)).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['foo\\nbar', true],
  ['foo\nbar', true],
  ['\\r?\\n', true],
  ['[^\\n]*x', false],
  ['\\\\name', false],
  ['\\[\\n', true],
  ['[\\]\\n]x', false],
])('%j asks for a line break: %s', (pattern, expected) => expect(asksForLineBreak(pattern)).toBe(expected));
