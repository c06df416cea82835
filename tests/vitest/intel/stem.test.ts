import { expect, test } from 'vitest';
import { stem } from '../../../mcp-server/src/intel/parse/stem.ts';
import { addTerms, termOf } from '../../../mcp-server/src/intel/parse/terms.ts';
import { wordsIn } from '../../../mcp-server/src/intel/parse/words.ts';

// Examples of Porter's paper, and what SQLite's porter tokenizer gives for words of code.
const STEMS =
  'caresses caress, ponies poni, ties ti, cats cat, feed feed, agreed agre, plastered plaster, motoring motor, sing sing, conflated conflat, hopping hop, falling fall, filing file, happy happi, sky sky, relational relat, conditional condit, rational ration, digitizer digit, vietnamization vietnam, hopefulness hope, electrical electr, goodness good, revival reviv, adjustment adjust, adoption adopt, controlling control, rate rate, cease ceas, reading read, yes ye, a11y a11y';

test('words are cut to the stems of Porter', () => {
  for (const pair of STEMS.split(', ')) {
    const [word = '', expected = ''] = pair.split(' ');
    expect(`${word} ${stem(word)}`).toBe(`${word} ${expected}`);
  }
});

test.each([
  'const readPayload = readPayload2(_private$name, HTTPServer) // 12abc of $',
  'größe = messwert + größer; 顧客を読む readPayload',
  'read reading reads',
])('terms of a text are those of its words, in %s', (text) => {
  const terms: number[] = [];
  const around = `x${text}y`;
  addTerms(around, 1, around.length - 1, terms);
  expect(terms).toEqual([...wordsIn(text)].map(termOf));
});
