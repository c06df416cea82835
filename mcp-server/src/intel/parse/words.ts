/** Words for search: identifiers split where people read a border, each also whole. Pure. */

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const ASCII_WORD = /[A-Za-z_$][\w$]*/g;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const LONGEST = 64;

const known = new Map<string, readonly string[]>();
const KNOWN = 50_000;

/** Japanese, Chinese and Korean write no spaces: pairs of characters stand for words. */
function pairs(text: string): string[] {
  if (text.length === 1) return [text];
  return Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2));
}

function split(word: string): readonly string[] {
  if (CJK.test(word)) return pairs(word);
  const whole = word.toLowerCase().replace(/[_$]/g, '');
  if (whole === '' || whole.length > LONGEST) return [];
  const parts = word.match(PART)?.map((part) => part.toLowerCase()) ?? [];
  return parts.length > 1 ? [whole, ...parts] : [whole];
}

/** `readPayload` as readpayload, read, payload. */
export function wordsOf(identifier: string): readonly string[] {
  const ready = known.get(identifier);
  if (ready) return ready;
  const words = split(identifier);
  if (known.size > KNOWN) known.clear();
  known.set(identifier, words);
  return words;
}

/** The form under which an identifier is found whole. */
export const wholeWord = (identifier: string): string => identifier.toLowerCase().replace(/[_$]/g, '');

/** Every word of a text, each once. */
export function wordsIn(text: string): Set<string> {
  const words = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  const pattern = /^[\x00-\x7f]*$/.test(text) ? ASCII_WORD : WORD;
  for (const identifier of text.match(pattern) ?? []) for (const word of wordsOf(identifier)) words.add(word);
  return words;
}
