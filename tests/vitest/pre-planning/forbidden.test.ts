/** Rules P8 and P9: what may never be assumed, and secrets that are masked wherever they stand. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forbiddenCategory } from '../../../mcp-server/src/pre-planning/forbidden.ts';
import { mask, maskText } from '../../../mcp-server/src/pre-planning/mask.ts';
import { times, tried } from '../soak.ts';
import { SECRETS } from './secrets.ts';

interface Row {
  text: string;
  category: string | null;
}

const rows = readFileSync('tests/cases/forbidden-assumptions.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe('P8', () => {
  test.each(rows.map(({ text, category }) => [text, category]))('%j is %s', (text, category) => {
    expect(forbiddenCategory([maskText(String(text))])).toBe(category);
  });

  test('the table has every category and near-misses, each in both languages', () => {
    const japanese = (text: string): boolean => /[\u3040-\u30ff\u4e00-\u9fff]/.test(text);
    const kinds = new Set(rows.map(({ text, category }) => `${category} ${japanese(text) ? 'ja' : 'en'}`));
    const categories = ['credentials', 'connection_strings', 'security_settings', 'environment', 'personal_data', 'null'];
    expect([...kinds].sort()).toEqual(categories.flatMap((category) => [`${category} en`, `${category} ja`]).sort());
    expect(rows.length).toBeGreaterThanOrEqual(120);
  });

  test('looks at every text that belongs to an assumption', () => {
    for (const place of [0, 1, 2, 3, 4]) {
      const texts = ['id', 'what it is', 'why it is wanted', 'a value', 'a reason'];
      expect(forbiddenCategory(texts)).toBeNull();
      texts[place] = 'the API key';
      expect(forbiddenCategory(texts), String(place)).toBe('credentials');
    }
  });
});

/** JSON with secrets in any place, keys included. */
const secret = fc.constantFrom(...SECRETS);
const around = fc.string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '.', ',', '(', '"', '\n', '語', '-'), maxLength: 12 });
const carrier = fc.tuple(around, secret, around).map(([before, text, after]) => ({ secret: text, text: `${before} ${text} ${after}` }));
const words = fc
  .array(fc.constantFrom('port', 'the', 'parser', 'src/a.ts:12', 'tokenizer', 'v1.2.3', '`npm test`', '解析', 'a@2x', 'key', 'x = 3'))
  .map((all) => all.join(' '));

describe('P9', () => {
  test.each(SECRETS)('%s is masked in the middle of a text, with what stands around it kept', (text) => {
    const masked = maskText(`before ${text} after`);
    expect(masked).toMatch(/^before .*\[masked:[a-z-]+\].* after$/s);
    expect(masked).not.toContain(text);
  });

  test('no secret survives, whatever stands around it and however deep it lies', () => {
    fc.assert(
      fc.property(fc.array(carrier, { minLength: 1, maxLength: 4 }), fc.nat(3), (carriers, depth) => {
        let value: unknown = carriers.map(({ text }) => text);
        for (let level = 0; level < depth; level++) value = { [`k${level} ${carriers[0]?.text}`]: value, list: [value] };
        const text = JSON.stringify(mask(value));
        for (const one of carriers) expect(text).not.toContain(JSON.stringify(one.secret).slice(1, -1));
      }),
      { numRuns: times(400) },
    );
    tried('secrets in texts of any shape', times(400));
  });

  test('masking twice is masking once', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          carrier.map(({ text }) => text),
          words,
          fc.string(),
        ),
        (text) => {
          expect(maskText(maskText(text))).toBe(maskText(text));
        },
      ),
      { numRuns: times(1000) },
    );
    tried('texts masked twice', times(1000));
  });

  test('text without a secret stays as it is', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(maskText(text)).toBe(text);
      }),
    );
    const harmless = [
      'git@github.com:ada/app.git',
      'max_tokens: 4096',
      'next token: identifier',
      'password: required',
      'icon@2x.png',
      'npm_config_registry_url',
      'secret=$TOKEN',
      'basic understanding',
    ];
    for (const text of harmless) expect(maskText(text)).toBe(text);
  });

  test('a value under a key that names a secret is masked whatever it looks like, and a null is left out', () => {
    const masked = { dbPassword: '[masked:password]', user: 'ada', nested: { api_key: '[masked:password]' } };
    expect(mask({ dbPassword: 'x', user: 'ada', nested: { api_key: 'plain', none: null } })).toEqual(masked);
  });

  test('is quick on a long text that almost looks like secrets', () => {
    // Quadratic work on half a megabyte would not end in the time that a test has.
    const text = 'a.b@c.d:e/f-'.repeat(40_000);
    expect(maskText(text).length).toBeGreaterThan(0);
    expect(maskText('password'.repeat(60_000)).length).toBe(480_000);
    expect(maskText('a_'.repeat(240_000)).length).toBe(480_000);
    expect(maskText('eyJhbGciOi-'.repeat(200_000)).length).toBe(2_200_000);
    expect(maskText('token='.repeat(400_000)).length).toBe(2_400_000);
    expect(maskText(`-----BEGIN ${'PRIVATE KEY '.repeat(200_000)}`).length).toBeGreaterThan(0);
  });
});
