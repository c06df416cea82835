/**
 * Words as the index keeps them: each one's stem as a number of 32 bits. Of a hundred thousand words two share a number
 * about once, so what is found is nearly always what was meant, and nothing has to keep the words themselves.
 */
import { stem } from './stem.ts';
import { wordsIn, wordsOf } from './words.ts';

/** FNV-1a, mixed once more so that every bit depends on every letter. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The number of a word: the same for words of one stem. */
export const termOf = (word: string): number => hashOf(stem(word));

const START = 1;
const WORD = 2;
/** What an ASCII character may be in an identifier. */
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  return (/[A-Za-z_$]/.test(char) ? START : 0) | (/[\w$]/.test(char) ? WORD : 0);
});

const SLOTS = 1 << 17;
const MOST = SLOTS / 2;
const FULL = (SLOTS * 3) / 4;

/** Identifiers and words that were met before, told by two hashes, so that one met again needs no string of its own. */
class Met {
  readonly #first = new Int32Array(SLOTS);
  readonly #second = new Int32Array(SLOTS);
  /** Where an identifier's words are, from 1; 0 is a free slot. */
  readonly #at = new Int32Array(SLOTS);
  #identifiers: (readonly number[])[] = [[]];
  #ids = new Map<string, number>();
  #terms: number[] = [];
  /** By word: the stretch of text that it was last seen in. */
  #seen = new Int32Array(1024);
  #stretch = 0;

  #word(word: string): number {
    const there = this.#ids.get(word);
    if (there !== undefined) return there;
    const id = this.#terms.push(termOf(word)) - 1;
    this.#ids.set(word, id);
    if (id >= this.#seen.length) {
      const more = new Int32Array(this.#seen.length * 2);
      more.set(this.#seen);
      this.#seen = more;
    }
    return id;
  }

  #forget(): void {
    this.#at.fill(0);
    this.#identifiers = [[]];
    this.#ids.clear();
    this.#terms = [];
    this.#seen.fill(0);
  }

  #idsAt(first: number, second: number, text: string, from: number, to: number): readonly number[] {
    let slot = (first ^ (first >>> 15)) & (SLOTS - 1);
    for (; this.#at[slot] !== 0; slot = (slot + 1) & (SLOTS - 1))
      if (this.#first[slot] === first && this.#second[slot] === second) return this.#identifiers[this.#at[slot] as number] as number[];
    const ids = wordsOf(text.slice(from, to)).map((word) => this.#word(word));
    // One stretch may hold more than there is room for; the table must keep free slots, which end every search.
    if (this.#identifiers.length < FULL) {
      this.#first[slot] = first;
      this.#second[slot] = second;
      this.#at[slot] = this.#identifiers.push(ids) - 1;
    }
    return ids;
  }

  /** Before a stretch of text: every word counts once in it. */
  begin(): void {
    if (this.#identifiers.length > MOST) this.#forget();
    this.#stretch++;
  }

  /** @returns whether the text is ASCII up to its end; else what was added is not all */
  scan(text: string, from: number, to: number, into: number[]): boolean {
    const stretch = this.#stretch;
    for (let at = from; at < to; ) {
      let code = text.charCodeAt(at);
      if (code > 127) return false;
      if (((KIND[code] as number) & START) === 0) {
        at++;
        continue;
      }
      const start = at;
      let first = 0x811c9dc5;
      let second = 0;
      do {
        first = Math.imul(first ^ code, 0x01000193);
        second = (Math.imul(second, 31) + code) | 0;
        code = ++at < to ? text.charCodeAt(at) : 0;
      } while (code < 128 && ((KIND[code] as number) & WORD) !== 0);
      if (code > 127) return false;
      const ids = this.#idsAt(first, second, text, start, at);
      const seen = this.#seen;
      for (let each = 0; each < ids.length; each++) {
        const id = ids[each] as number;
        if (seen[id] === stretch) continue;
        seen[id] = stretch;
        into.push(this.#terms[id] as number);
      }
    }
    return true;
  }

  words(words: Iterable<string>, into: number[]): void {
    for (const word of words) {
      const id = this.#word(word);
      if (this.#seen[id] === this.#stretch) continue;
      this.#seen[id] = this.#stretch;
      into.push(this.#terms[id] as number);
    }
  }
}

const met = new Met();

/** Adds the terms of a stretch of text, each word once. */
export function addTerms(text: string, from: number, to: number, into: number[]): void {
  const before = into.length;
  met.begin();
  if (met.scan(text, from, to, into)) return;
  into.length = before;
  met.begin();
  met.words(wordsIn(text.slice(from, to)), into);
}

/**
 * The terms of a file's stretches in one array of numbers: how many the path has, and these; then for each stretch how many
 * its name, its doc and its body have, and these. store/terms.ts reads it.
 */
export class TermsWriter {
  readonly #numbers: number[] = [];

  constructor(path: readonly number[]) {
    this.#numbers.push(path.length, ...path);
  }

  add(name: readonly number[], doc: readonly number[], body: readonly number[]): void {
    this.#numbers.push(name.length, doc.length, body.length);
    for (const list of [name, doc, body]) for (const term of list) this.#numbers.push(term);
  }

  done(): Uint32Array {
    return Uint32Array.from(this.#numbers);
  }
}
