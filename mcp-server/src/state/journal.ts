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

export interface JournalLine extends JournalEntry {
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

function lastLine(file: string): string | null {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const lines = text.split('\n').filter(Boolean);
  return lines.at(-1) ?? null;
}

function seqOf(line: string | null): number {
  try {
    return line === null ? 0 : Number((JSON.parse(line) as JournalLine).seq);
  } catch {
    return 0; // a line that a crash cut off; its bytes are still part of the chain
  }
}

/** Appends entries under the session lock. @throws StorageFailed */
export function appendJournal(root: string, session: string, entries: JournalEntry[], now: Date): void {
  const file = journalFile(root, session);
  let previous = lastLine(file);
  let seq = seqOf(previous);
  let text = '';
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
