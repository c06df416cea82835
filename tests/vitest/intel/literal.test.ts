import '../seed.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { literalOf } from '../../../mcp-server/src/intel/search/literal.ts';

/** A part of an expression, and a text that it matches. */
interface Part {
  pattern: string;
  text: string;
}

const part = (pattern: string, text = pattern): Part => ({ pattern, text });
const chars = [...'abcxyz019 <>-_=,:;"é会', '😀'].map((char) => part(char));
const escapes = ['.', '(', ')', '[', ']', '{', '}', '|', '\\', '/', '?', '*', '+', '$', '^', '-'].map((char) => part(`\\${char}`, char));
const kinds = [
  ...[part('\\d', '7'), part('\\w', 'q'), part('\\s', ' '), part('\\D', 'q'), part('\\b', ''), part('.', 'k'), part('\\t', '\t')],
  ...[part('\\x41', 'A'), part('\\u00e9', 'é'), part('\\u{e9}', 'é'), part('\\cJ', '\n'), part('\\p{L}', 'q'), part('\\P{L}', '1')],
  ...[
    part('[abc]', 'b'),
    part('[^\\]abc]', 'z'),
    part('[\\]x]', ']'),
    part('[]]', ''),
    part('[^]', 'm'),
    part('[a-c|(]', 'c'),
    part('{'),
    part('}'),
  ],
  ...[part('\\1', ''), part('\\k<q>', 'a'), part('^', ''), part('$', '')],
];
const words = ['word', 'item', 'x-y'].map((word) => part(word));
const atom = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...chars) },
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...escapes) },
  { weight: 2, arbitrary: fc.constantFrom(...kinds) },
);

const quantified = (of: fc.Arbitrary<Part>): fc.Arbitrary<Part> =>
  fc
    .tuple(
      of,
      fc.constantFrom<[string, number]>(
        ['', 1],
        ['', 1],
        ['', 1],
        ['?', 0],
        ['*', 0],
        ['*', 3],
        ['+', 2],
        ['??', 1],
        ['{0}', 0],
        ['{0,12}', 0],
        ['{2}', 2],
        ['{1,300}', 1],
        ['{1,}?', 3],
      ),
    )
    .map(([{ pattern, text }, [times, count]]) => part(`${pattern}${times}`, text.repeat(count)));

const joined = (parts: Part[]): Part => part(parts.map(({ pattern }) => pattern).join(''), parts.map(({ text }) => text).join(''));

const { whole } = fc.letrec<{ whole: Part; group: Part }>((tie) => ({
  group: fc.oneof(
    tie('whole').map(({ pattern, text }) => part(`(${pattern})`, text)),
    tie('whole').map(({ pattern, text }) => part(`(?:${pattern})`, text)),
    tie('whole').map(({ pattern, text }) => part(`(?<q>${pattern})`, text)),
    tie('whole').map(({ pattern }) => part(`(?!${pattern})`, '')),
    tie('whole').map(({ pattern }) => part(`(?<!${pattern})`, '')),
    fc.tuple(tie('whole'), tie('whole'), fc.boolean()).map(([a, b, first]) => part(`(${a.pattern}|${b.pattern})`, first ? a.text : b.text)),
  ),
  whole: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: fc.array(quantified(atom), { minLength: 1, maxLength: 7 }).map(joined) },
    { weight: 3, arbitrary: fc.array(quantified(fc.oneof(atom, tie('group'))), { minLength: 1, maxLength: 4 }).map(joined) },
    { weight: 1, arbitrary: fc.tuple(tie('whole'), tie('whole')).map(([a, b]) => part(`${a.pattern}|${b.pattern}`, b.text)) },
  ),
}));

function compiled(pattern: string, flags: string): RegExp | null {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return null;
  }
}

describe('the plain part of an expression', () => {
  test.each([
    ['\\d{1,3}\\.\\d{1,3}', ''],
    ['x{1000}', ''],
    ['\\u00e9t', ''],
    ['\\x41bc', ''],
    ['\\k<q>', ''],
    ['\\u{1f600}', ''],
    ['\\p{Letter}', ''],
    ['\\P{Letter}', ''],
    ['\\cJab', ''],
    ['(a)\\1000', ''],
    ['word{0,3}', 'wor'],
    ['word{2}', 'word'],
    ['abc😀?', 'abc'],
    ['[]abc]', 'abc]'],
    ['[\\]abc]', ''],
    ['(?!never)here', 'here'],
    ['(?<!never)here(?=later)', 'here'],
    ['one|other', ''],
    ['(one|other)s and', 's and'],
    ['call\\(x\\) {', 'call(x) {'],
  ])('of %s is "%s"', (pattern, expected) => expect(literalOf(pattern)).toBe(expected));

  test('stands in every text that the expression matches', () => {
    let held = 0;
    fc.assert(
      fc.property(whole, fc.constantFrom('', 'i'), fc.constantFrom('', 'u'), ({ pattern, text }, caseless, unicode) => {
        const written = caseless ? text.toUpperCase() : text;
        if (!compiled(pattern, `${caseless}${unicode}`)?.test(written)) return;
        const fold = (of: string) => (caseless ? of.toUpperCase() : of);
        const literal = literalOf(pattern);
        if (literal !== '') held++;
        expect(fold(written), pattern).toContain(fold(literal));
      }),
      { numRuns: 5000 },
    );
    expect(held).toBeGreaterThan(300);
  });
});
