import { Source } from './source.ts';
import type { Assignment, Word } from './syntax.ts';
import type { WordGrammar } from './words.ts';

const ASSIGNMENT = /([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]\n]*\])?(\+?)=/y;

/** Skips blank lines, comments and the bodies of here-documents. */
export function skipLines(source: Source, words: WordGrammar): void {
  for (;;) {
    source.skipBlanks();
    if (source.peek() === '\r' && (source.peek(1) === '\n' || source.position + 1 === source.text.length)) source.position++;
    else if (source.peek() === '\n') source.endLine((text, depth) => words.bodyOf(text, new Source(text, depth)));
    else return;
  }
}

/** `name=word`, `name+=word` or `name=(…)`, or null when none starts here. */
export function parseAssignment(source: Source, words: WordGrammar): Assignment | null {
  const match = source.match(ASSIGNMENT);
  if (match === null) return null;
  source.position += match[0].length;
  const name = match[1] ?? '';
  const append = match[2] === '+' || match[0].includes('[');
  if (source.peek() !== '(') {
    const value = words.word(source) ?? { parts: [], start: source.position, end: source.position };
    return { name, append, value };
  }
  return { name, append, value: parseArray(source, words) };
}

/** The items of `(…)`; newlines may stand between them. */
export function parseArray(source: Source, words: WordGrammar): Word[] {
  source.position++;
  const items: Word[] = [];
  for (skipLines(source, words); source.peek() !== ')'; skipLines(source, words)) {
    const word = words.word(source);
    if (word === null) source.fail('bad array');
    items.push(word);
  }
  source.position++;
  return items;
}
