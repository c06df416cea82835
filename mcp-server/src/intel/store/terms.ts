/** Places by their words, ranked by BM25. The terms of all files are gone through for each question: there is no posting to keep in step. */
import { termOf } from '../parse/terms.ts';
import type { Database } from './database.ts';

/** So many files are held in memory at once. */
const PAGE = 2000;
/** What a word counts in the path, the name, the doc and the body. */
const WEIGHTS = { path: 3, name: 6, doc: 3, body: 1 };
const K1 = 1.2;
const B = 0.75;

export interface Place {
  path: string;
  line: number;
  end: number;
  name: string;
  score: number;
}

interface Row {
  file: number;
  terms: Uint8Array;
}

/** SQLite gives bytes that may lie anywhere; numbers have to lie on a border. */
const numbersOf = (bytes: Uint8Array): Uint32Array =>
  bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
    : new Uint32Array(bytes.slice().buffer);

function* pages(db: Database): Generator<Row[]> {
  for (let last = 0; ; ) {
    const rows = db.all(`select file, terms from chunks where file > ? order by file limit ${PAGE}`, [last]) as unknown as Row[];
    if (rows.length === 0) return;
    yield rows;
    last = (rows.at(-1) as Row).file;
  }
}

/** Files that hold a word, or one of its stem. @returns paths, sorted */
export function filesWithTerm(db: Database, word: string): string[] {
  const term = termOf(word);
  const files: number[] = [];
  for (const rows of pages(db))
    for (const { file, terms } of rows) {
      const numbers = numbersOf(terms);
      let at = 1 + (numbers[0] as number);
      while (at < numbers.length) {
        const from = at + 3 + (numbers[at] as number) + (numbers[at + 1] as number);
        const to = from + (numbers[at + 2] as number);
        const found = numbers.indexOf(term, from);
        if (found < 0) break;
        if (found < to) {
          files.push(file);
          break;
        }
        at = to;
      }
    }
  return db
    .all('select path from files where id in (select value from json_each(?)) order by path', [JSON.stringify(files)])
    .map(({ path }) => String(path));
}

/** Chunks that hold some of the words, in columns: there may be very many. */
interface Looked {
  file: number[];
  /** Which of the file's chunks. */
  at: number[];
  length: number[];
  /** How often each word, weighted; one row of all the words for each chunk. */
  counts: number[];
  /** Of the whole index. */
  chunks: number;
  words: number;
}

function look(db: Database, terms: readonly number[]): Looked {
  const places = new Map(terms.map((term, at) => [term, at]));
  // Nearly every number is none of those that are looked for, which its lower bits tell at once.
  const maybe = new Uint8Array(1 << 16);
  for (const term of terms) maybe[term & 0xffff] = 1;
  const found: Looked = { file: [], at: [], length: [], counts: [], chunks: 0, words: 0 };
  /** @returns whether any was there */
  const count = (numbers: Uint32Array, from: number, to: number, weight: number, into: Float64Array): boolean => {
    let any = false;
    for (let at = from; at < to; at++) {
      const number = numbers[at] as number;
      if (maybe[number & 0xffff] === 0) continue;
      const word = places.get(number);
      if (word === undefined) continue;
      into[word] = (into[word] as number) + weight;
      any = true;
    }
    return any;
  };
  const inPath = new Float64Array(terms.length);
  const counts = new Float64Array(terms.length);
  for (const rows of pages(db))
    for (const { file, terms: bytes } of rows) {
      const numbers = numbersOf(bytes);
      const path = numbers[0] as number;
      inPath.fill(0);
      const named = count(numbers, 1, 1 + path, WEIGHTS.path, inPath);
      for (let at = 1 + path, chunk = 0; at < numbers.length; chunk++) {
        const name = at + 3;
        const doc = name + (numbers[at] as number);
        const body = doc + (numbers[at + 1] as number);
        const end = body + (numbers[at + 2] as number);
        counts.set(inPath);
        let any = count(numbers, name, doc, WEIGHTS.name, counts) || named;
        any = count(numbers, doc, body, WEIGHTS.doc, counts) || any;
        any = count(numbers, body, end, WEIGHTS.body, counts) || any;
        const length = path + end - name;
        found.chunks++;
        found.words += length;
        if (any) {
          found.file.push(file);
          found.at.push(chunk);
          found.length.push(length);
          for (let word = 0; word < counts.length; word++) found.counts.push(counts[word] as number);
        }
        at = end;
      }
    }
  return found;
}

interface Scored {
  file: number;
  at: number;
  score: number;
}

/** The best chunks for some of the words; `of` says which of all `width` words. */
function best({ file, at, length, counts, chunks, words }: Looked, width: number, of: readonly number[], limit: number): Scored[] {
  const mean = words / Math.max(1, chunks);
  const rarity = of.map((word) => {
    let holding = 0;
    for (let cell = word; cell < counts.length; cell += width) if ((counts[cell] as number) > 0) holding++;
    return Math.max(1e-6, Math.log((chunks - holding + 0.5) / (holding + 0.5)));
  });
  const scores = new Float64Array(file.length);
  const order: number[] = [];
  for (let row = 0; row < file.length; row++) {
    const room = K1 * (1 - B + (B * (length[row] as number)) / mean);
    let score = 0;
    for (let each = 0; each < of.length; each++) {
      const count = counts[row * width + (of[each] as number)] as number;
      if (count > 0) score += ((rarity[each] as number) * count * (K1 + 1)) / (count + room);
    }
    scores[row] = score;
    if (score > 0) order.push(row);
  }
  // Only what may be among the first has to be put in order.
  const least =
    order.length > limit
      ? (Float64Array.from(order, (row) => scores[row] as number)
          .sort()
          .at(-limit) as number)
      : 0;
  return order
    .filter((row) => (scores[row] as number) >= least)
    .sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
    .slice(0, limit)
    .map((row) => ({ file: file[row] as number, at: at[row] as number, score: scores[row] as number }));
}

/**
 * Ranks places for several lists of words, in one go over the index.
 * @returns for each list its best places, best first
 */
export function rankPlaces(db: Database, lists: readonly (readonly string[])[], limit: number): Place[][] {
  const terms = [...new Set(lists.flat().map(termOf))];
  if (terms.length === 0) return lists.map(() => []);
  const looked = look(db, terms);
  return lists.map((words) => {
    const chosen = best(
      looked,
      terms.length,
      words.map((word) => terms.indexOf(termOf(word))),
      limit,
    );
    const files = JSON.stringify([...new Set(chosen.map(({ file }) => file))]);
    const rows = db.all(
      'select id, path, places from files join chunks on chunks.file = files.id where id in (select value from json_each(?))',
      [files],
    );
    const byFile = new Map(
      rows.map(({ id, path, places }) => [id, { path: String(path), places: JSON.parse(String(places)) as [number, number, string][] }]),
    );
    return chosen.flatMap(({ file, at, score }) => {
      const holder = byFile.get(file);
      const place = holder?.places[at];
      return holder && place ? [{ path: holder.path, line: place[0], end: place[1], name: place[2], score }] : [];
    });
  });
}
