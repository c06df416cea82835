/** journal.jsonl: one line for every transition, block and git effect, each with the hash of the line before (STATE.md). */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { journalFile } from './layout.ts';
import { StorageFailed } from './storage-failed.ts';

export interface JournalEntry {
  event: string;
  rev: number;
  [key: string]: unknown;
}

export interface JournalLine extends JournalEntry {
  seq: number;
  at: string;
  prev: string;
}

export const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Hash of a value whose keys may come in any order. */
export function hashOf(value: unknown): string {
  return sha256(
    JSON.stringify(value, (_key, item: unknown) =>
      isPlain(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
    ),
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

interface Tail {
  /** Hash of the last line's bytes, whole or cut off by a crash; empty when there is none. */
  hash: string;
  /** Number of the last whole line. */
  seq: number;
  /** The last line has no line end. */
  cut: boolean;
}

/** A line of the journal; null when it is none, for instance because a crash cut it off. */
export function parseLine(text: string): JournalLine | null {
  try {
    const line = JSON.parse(text) as JournalLine | null;
    return line && Number.isInteger(line.seq) ? line : null;
  } catch {
    return null;
  }
}

/** Bytes that are read from the journal's end at first; lines are far shorter. */
const TAIL_BYTES = 16 * 1024;

/** Opens a journal to be read; null where there is none, or what lies there is no file. */
function opened(file: string): { handle: number; size: number } | null {
  let handle: number;
  try {
    handle = fs.openSync(file, 'r');
  } catch {
    return null;
  }
  const stats = fs.fstatSync(handle);
  if (stats.isFile()) return { handle, size: stats.size };
  fs.closeSync(handle);
  return null;
}

/** Looks at the end alone, so that a submission costs the same however long the journal is. */
function readTail(file: string): Tail {
  const found = opened(file);
  if (!found) return { hash: '', seq: 0, cut: false };
  const { handle, size } = found;
  try {
    for (let length = Math.min(size, TAIL_BYTES); ; length = Math.min(size, length * 4)) {
      const bytes = Buffer.alloc(length);
      fs.readSync(handle, bytes, 0, length, size - length);
      // One character a byte: what a crash left need not be valid text.
      const text = bytes.toString('latin1');
      // The first piece may begin in the middle of a line.
      const lines = text
        .split('\n')
        .slice(length < size ? 1 : 0)
        .filter(Boolean);
      const seq = lines.reduceRight<number | null>((known, line) => known ?? parseLine(line)?.seq ?? null, null);
      if (seq === null && length < size) continue;
      const last = lines.at(-1);
      return { hash: last === undefined ? '' : sha256(Buffer.from(last, 'latin1')), seq: seq ?? 0, cut: size > 0 && !text.endsWith('\n') };
    }
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * More lines than a writer appends at once. One that slept after its commit writes its lines late, behind those of later
 * revisions: so a few older lines may lie between the wanted ones, and only more of them in a row are the end of those.
 */
const LATE_LINES = 64;

/** Reads the wanted lines of a journal from its end, until more than `LATE_LINES` in a row are not wanted. In the order they were written. */
function readBack(file: string, wanted: (line: JournalLine) => boolean): JournalLine[] {
  const there = opened(file);
  if (!there) return [];
  const { handle, size } = there;
  try {
    for (let length = Math.min(size, TAIL_BYTES); ; length = Math.min(size, length * 4)) {
      const bytes = Buffer.alloc(length);
      fs.readSync(handle, bytes, 0, length, size - length);
      // The first piece may begin in the middle of a line.
      const lines = bytes
        .toString('utf8')
        .split('\n')
        .slice(length < size ? 1 : 0);
      const found: JournalLine[] = [];
      let ended = length === size;
      let others = 0;
      for (let at = lines.length - 1; at >= 0; at--) {
        const text = lines[at];
        const line = text ? parseLine(text) : null;
        if (line === null) continue;
        if (wanted(line)) {
          found.push(line);
          others = 0;
        } else if (++others > LATE_LINES) {
          ended = true;
          break;
        }
      }
      if (ended) return found.reverse();
    }
  } finally {
    fs.closeSync(handle);
  }
}

/** The lines that were written while the session stood at this revision, or later. */
export const linesSince = (root: string, session: string, rev: number): JournalLine[] =>
  readBack(journalFile(root, session), (line) => line.rev >= rev);

/** Appends entries under the session lock. @throws StorageFailed */
export function appendJournal(root: string, session: string, entries: JournalEntry[], now: Date): void {
  const file = journalFile(root, session);
  const tail = readTail(file);
  let prev = tail.hash;
  let { seq } = tail;
  let text = tail.cut ? '\n' : '';
  for (const entry of entries) {
    seq += 1;
    const line = JSON.stringify({ seq, at: now.toISOString(), ...entry, prev });
    text += `${line}\n`;
    prev = sha256(line);
  }
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, text);
  } catch (error) {
    throw new StorageFailed(file, error);
  }
}
