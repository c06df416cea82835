/** journal.jsonl: one line for every transition, block and git effect, each with the hash of the line before (STATE.md). */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { journalFile } from './layout.ts';
import { StorageFailed } from './session-file.ts';

export interface JournalEntry {
  event: string;
  rev: number;
  [key: string]: unknown;
}

interface JournalLine extends JournalEntry {
  seq: number;
  at: string;
  prev: string;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

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
  /** The last line, whole or cut off by a crash: either way its bytes are part of the chain. */
  line: string | null;
  /** Number of the last whole line. */
  seq: number;
  /** The last line has no line end. */
  cut: boolean;
}

const seqOf = (line: string): number | null => {
  try {
    return Number((JSON.parse(line) as JournalLine).seq);
  } catch {
    return null;
  }
};

/** Bytes that are read from the journal's end at first; lines are far shorter. */
const TAIL_BYTES = 16 * 1024;

/** Looks at the end alone, so that a submission costs the same however long the journal is. */
function readTail(file: string): Tail {
  let handle: number;
  try {
    handle = fs.openSync(file, 'r');
  } catch {
    return { line: null, seq: 0, cut: false };
  }
  try {
    const { size } = fs.fstatSync(handle);
    for (let length = Math.min(size, TAIL_BYTES); ; length = Math.min(size, length * 4)) {
      const bytes = Buffer.alloc(length);
      fs.readSync(handle, bytes, 0, length, size - length);
      const text = bytes.toString('utf8');
      // The first piece may begin in the middle of a line.
      const lines = text
        .split('\n')
        .slice(length < size ? 1 : 0)
        .filter(Boolean);
      const seq = lines.reduceRight<number | null>((found, line) => found ?? seqOf(line), null);
      if (seq !== null || length === size) return { line: lines.at(-1) ?? null, seq: seq ?? 0, cut: size > 0 && !text.endsWith('\n') };
    }
  } finally {
    fs.closeSync(handle);
  }
}

/** Appends entries under the session lock. @throws StorageFailed */
export function appendJournal(root: string, session: string, entries: JournalEntry[], now: Date): void {
  const file = journalFile(root, session);
  const tail = readTail(file);
  let previous = tail.line;
  let { seq } = tail;
  let text = tail.cut ? '\n' : '';
  for (const entry of entries) {
    seq += 1;
    const line = JSON.stringify({ seq, at: now.toISOString(), ...entry, prev: previous === null ? '' : sha256(previous) });
    text += `${line}\n`;
    previous = line;
  }
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.appendFileSync(file, text);
  } catch (error) {
    throw new StorageFailed(file, error);
  }
}
