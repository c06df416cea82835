import { Source } from './source.ts';
import type { Assignment, Part, Word } from './syntax.ts';
import type { WordGrammar } from './words.ts';

const NAME = /[A-Za-z_][A-Za-z0-9_]*(?=\[|\+?=)/y;
const EQUALS = /\+?=/y;

/** Skips blank lines, comments and the bodies of here-documents. */
export function skipLines(source: Source, words: WordGrammar): void {
  for (;;) {
    source.skipBlanks();
    if (source.peek() === '\r' && (source.peek(1) === '\n' || source.position + 1 === source.text.length)) source.position++;
    else if (source.peek() === '\n') source.endLine((text, depth) => words.bodyOf(text, new Source(text, depth)));
    else return;
  }
}

/** `name=word`, `name+=word`, `name[index]=word` or `name=(…)`, or null when none starts here. */
export function parseAssignment(source: Source, words: WordGrammar): Assignment | null {
  const start = source.position;
  const name = source.match(NAME)?.[0];
  if (name === undefined) return null;
  source.position += name.length;
  const subscript = parseSubscript(source, words);
  const equals = source.match(EQUALS)?.[0];
  if (equals === undefined) {
    source.position = start;
    return null;
  }
  source.position += equals.length;
  const append = equals === '+=' || subscript.length > 0;
  if (source.peek() === '(') return { name, append, subscript, ...parseArray(source, words, subscript) };
  return { name, append, subscript, value: words.word(source) ?? { parts: [], start: source.position, end: source.position } };
}

/** What stands in `[…]` before a `=`, consumed; nothing when no such thing starts here. */
function parseSubscript(source: Source, words: WordGrammar): Part[] {
  const start = source.position;
  if (source.peek() !== '[') return [];
  source.position++;
  const parts = words.arithmeticBody(source, ']');
  if (parts !== null && source.match(EQUALS) !== null) return parts;
  source.position = start;
  return [];
}

/**
 * The items of `(…)`; newlines may stand between them.
 * @param subscripts gets what stands in the brackets of items `[index]=value`
 */
export function parseArray(source: Source, words: WordGrammar, subscripts: Part[]): { value: Word[]; keys: string[] } {
  source.position++;
  const value: Word[] = [];
  const keys: string[] = [];
  for (skipLines(source, words); source.peek() !== ')'; skipLines(source, words)) {
    const start = source.position;
    const subscript = parseSubscript(source, words);
    const key = source.text.slice(start + 1, source.position - 1);
    subscripts.push(...subscript);
    if (subscript.length > 0) source.position += source.match(EQUALS)?.[0].length ?? 0;
    const word = words.word(source);
    if (word === null && subscript.length === 0) source.fail('bad array');
    if (word === null) continue;
    value.push(word);
    keys.push(subscript.length > 0 ? key : '');
  }
  source.position++;
  return { value, keys };
}
