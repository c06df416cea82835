import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../../mcp-server/src/evidence/file-glob.ts';
import { exactly, matcherOf, type Piece } from '../../../mcp-server/src/globs/match.ts';
import { analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import '../seed.ts';
import { CONTEXT } from '../shell/world.ts';
import { times, tried } from '../soak.ts';

/** The plainest translation there is: right, and slow where there are many stars. */
const SOURCES: Record<string, string> = {
  '**/': '(?:[^/]*/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '[ab]': '[ab]',
  '[!a]': '[^a]',
  '{a,b*}': '(?:a|b[^/]*)',
};
const plainly = (parts: readonly string[]): RegExp => new RegExp(`^${parts.map((part) => SOURCES[part] ?? part).join('')}$`, 's');

describe('a glob', () => {
  test('fits what the plain regular expression fits, however many stars it holds', () => {
    const parts = fc.array(fc.constantFrom(...Object.keys(SOURCES), 'a', 'b', '/'), { minLength: 1, maxLength: 8 });
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '/'), { maxLength: 9 }).map((chars) => chars.join(''));
    let fitted = 0;
    fc.assert(
      fc.property(parts, text, (glob, path) => {
        // Neighbouring stars run together into another glob.
        const whole = glob.join('');
        fc.pre(!/\*{3}|\*\*\/\*\*\//.test(whole) && !glob.some((part, at) => part === '*' && /^\*/.test(glob[at + 1] ?? '')));
        fc.pre(!glob.some((part, at) => part === '**' && (glob[at + 1] ?? '').startsWith('/')));
        const fits = plainly(glob).test(path);
        fitted += Number(fits);
        expect(globMatcher(whole).test(path), `${whole} ${path}`).toBe(fits);
      }),
      { numRuns: times(5_000) },
    );
    expect(fitted).toBeGreaterThan(100);
    tried('globs against regular expressions', times(5_000));
  });

  test('of many stars answers at once where a regular expression would take minutes', () => {
    const name = `${'e'.repeat(60)}.js`;
    expect(globMatcher('*e*e*e*e*e*e*e*e*e*e.ts').test(name)).toBe(false);
    expect(globMatcher('*e*e*e*e*e*e*e*e*e*e.js').test(name)).toBe(true);
    expect(globMatcher(`${'**/e*'.repeat(12)}x`).test('e/'.repeat(40))).toBe(false);
    expect(globMatcher('{*e,*e*e,*e*e*e}{*e,*e*e,*e*e*e}{*e,*e*e}*x').test('e'.repeat(200))).toBe(false);
  });

  test('that cannot be read fits nothing', () => {
    expect(globMatcher('[z-a]').test('z')).toBe(false);
    const many: Piece[] = [{ of: '[z-a]' }, ...Array.from({ length: 9 }, (): Piece => ({ of: '.', many: true })), exactly('x')];
    expect(matcherOf(many).test('x')).toBe(false);
  });
});

test.each([
  ['a removed pattern', `x=${'a'.repeat(30_000)}; echo \${x%${'*a'.repeat(12)}b}; rm src/a.js`],
  ['a removed pattern with one star', `x=${'a'.repeat(60_000)}; echo \${x%%a*b}; rm src/a.js`],
  ['a pattern of a path', `x=${'a'.repeat(30_000)}; echo \${x#${'*a'.repeat(12)}b}; rm src/a.js`],
])('%s with many stars holds up no hook, and what stands behind it is still judged', (_what, command) => {
  expect(analyzeShell(command, CONTEXT).writes.map(({ target }) => target)).toEqual([expect.stringMatching(/src\/a\.js$/)]);
});
