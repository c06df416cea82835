/** ledger.jsonl on disk: one line for every tool call that ended (STATE.md, Evidence ledger). */
import fs from 'node:fs';
import path from 'node:path';
import { sessionFolder } from '../state/layout.ts';
import type { LedgerEntry } from './entry.ts';

const ledgerFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'ledger.jsonl');

/** Of a longer ledger only the end is read; that is some ten thousand calls. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A link in the ledger's place could lead out of the folder; Windows has no such flag, nor such links without rights. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = fs.constants;

/**
 * Appends one entry: one write to a file opened for appending, so that several servers may do it at once. No lock, no
 * fsync: a crash costs the newest line at most, and evidence that is missing is only asked for again.
 * @throws the system's error (no folder, full disk, a link in the file's place)
 */
export function appendLedger(root: string, session: string, entry: LedgerEntry): void {
  const handle = fs.openSync(ledgerFile(root, session), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    // Its own line end first: a line that a crash cut off must not swallow this one.
    fs.writeSync(handle, `\n${JSON.stringify(entry)}\n`);
  } finally {
    fs.closeSync(handle);
  }
}

/** The entries of a session, oldest first. Lines that are cut off or are no entry are passed over. Never throws. */
export function readLedger(root: string, session: string): LedgerEntry[] {
  return readEnd(ledgerFile(root, session)).split('\n').flatMap(parse);
}

/** Size of the ledger, to see whether it grew; 0 when there is none. */
export function ledgerSize(root: string, session: string): number {
  try {
    return fs.statSync(ledgerFile(root, session)).size;
  } catch {
    return 0;
  }
}

function readEnd(file: string): string {
  let handle: number;
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | O_NOFOLLOW);
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = fs.readSync(handle, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
    return bytes.toString('utf8', 0, read);
  } catch {
    return '';
  } finally {
    fs.closeSync(handle);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isMissingOr = (is: (value: unknown) => boolean, value: unknown): boolean => value === undefined || is(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isEntry(value: unknown): value is LedgerEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Record<string, unknown>;
  const optional = ['path', 'pattern', 'glob', 'url', 'command'].every((key) => isMissingOr(isText, entry[key]));
  const flags = ['ok', 'background', 'edits'].every((key) => typeof entry[key] === 'boolean');
  const numbers = [entry.ms, entry.exit].every((number) => number === null || isNumber(number));
  const check = isMissingOr((given) => given === 'shown' || given === 'hidden' || given === 'none', entry.check);
  const agent = entry.agent === null || isText(entry.agent);
  return (
    isNumber(entry.at) &&
    isText(entry.tool) &&
    isText(entry.cwd) &&
    optional &&
    flags &&
    numbers &&
    check &&
    agent &&
    isMissingOr(isTexts, entry.paths)
  );
}

function parse(line: string): LedgerEntry[] {
  if (line === '') return [];
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? [value] : [];
  } catch {
    return [];
  }
}
