/** The file state.json: its form on disk, reading it safely, writing it whole or not at all. */
import fs from 'node:fs';
import path from 'node:path';
import type { SessionState } from '../flow/types.ts';
import type { Language } from '../messages/messages.ts';
import { journalFile, stateFile } from './layout.ts';
import { migrate, SCHEMA } from './migrations.ts';
import { type Seal, sealed } from './seal.ts';
import { shapeError } from './shape.ts';
import { StorageFailed } from './storage-failed.ts';

export { StorageFailed };

/** What the status line shows besides the gate line: tasks done and in all, warnings so far, whose turn it is. */
export interface Shown {
  done: number;
  total: number;
  warnings: number;
  waits: 'model' | 'user';
}

/** What the disk holds: the engine's state and what the edges need besides. */
export interface SessionFile extends SessionState {
  /** CLAUDE_CODE_SESSION_ID of the last submit; dormancy and the Stop hook go by it. */
  owner: string | null;
  /** Epoch milliseconds. */
  last_activity: number;
  created: number;
  /** Epoch milliseconds at which the host's hooks last reached the server; null when they never did. */
  hooks_seen: number | null;
  /** Epoch milliseconds at which editing was last opened; null before. A state of an earlier version has none. */
  opened_at?: number | null;
  /** What the status line shows. A state of an earlier version has none. */
  progress?: Shown;
  language: Language;
  /** Text of the present instruction, for hooks that have no server to ask. */
  instruction: string;
}

/** A larger state file is damage, not state. */
const MAX_BYTES = 16 * 1024 * 1024;

export type ReadResult =
  | { kind: 'absent' }
  | { kind: 'present'; state: SessionFile }
  | { kind: 'corrupt'; file: string; detail: string }
  | { kind: 'newer'; file: string; schema: number }
  /** A sound state, but no session of this work tree on this machine: of another folder, or tracked by git. */
  | { kind: 'foreign'; file: string; why: 'elsewhere' | 'tracked'; state: SessionFile };

const GATE_LINE = /^\{"gate":"(open|closed)","phase":"([A-Z0-9_]+)","step":(\d+),"session":"([0-9A-Za-z-]+)","rev":(\d+),$/;

/**
 * The text of state.json: the gate line first, `progress` on a line of its own, so that the status line finds it without a
 * process, then the rest of one valid JSON document.
 */
export function serialize(state: SessionFile): string {
  const { gate, phase, step, session, rev, progress, ...rest } = state;
  const line = `{"gate":"${gate}","phase":"${phase}","step":${step},"session":"${session}","rev":${rev},`;
  if (!GATE_LINE.test(line)) throw new Error(`no valid gate line: ${line}`);
  const shown = progress ? `"progress":${JSON.stringify(progress)},\n` : '';
  return `${line}\n${shown}${JSON.stringify(rest, null, 1).slice(2)}\n`;
}

/** Parses the text of a state file. `file` only names it in the answer. */
function parseState(text: string, file: string): ReadResult {
  const end = text.indexOf('\n');
  if (end < 0 || !GATE_LINE.test(text.slice(0, end))) return { kind: 'corrupt', file, detail: 'its first line is not a gate line' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'corrupt', file, detail: (error as Error).message };
  }
  const { schema } = value as { schema?: unknown };
  if (typeof schema === 'number' && schema > SCHEMA) return { kind: 'newer', file, schema };
  const state = migrate(value as Record<string, unknown>);
  const wrong = shapeError(state);
  return wrong ? { kind: 'corrupt', file, detail: wrong } : { kind: 'present', state: state as unknown as SessionFile };
}

/** The text of a state file, or why there is none. */
function readText(file: string): string | ReadResult {
  try {
    const stat = fs.lstatSync(file);
    if (stat.isSymbolicLink()) return { kind: 'corrupt', file, detail: 'it is a symbolic link' };
    if (!stat.isFile()) return { kind: 'corrupt', file, detail: 'it is not a file' };
    if (stat.size > MAX_BYTES) return { kind: 'corrupt', file, detail: `it has ${stat.size} bytes` };
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    return { kind: 'corrupt', file, detail: code ?? (error as Error).message };
  }
}

/** Reads a state file without a lock: a write is a rename, so it is always whole. Never throws. */
export function readStateFile(file: string): ReadResult {
  const text = readText(file);
  return typeof text === 'string' ? parseState(text, file) : text;
}

/** Whether a state was begun in the folder that it was read from: a copy must not work on the original. */
function isBegunIn(root: string, { work_tree }: SessionFile): boolean {
  if (work_tree === root) return true;
  try {
    if (!path.isAbsolute(work_tree)) return false;
    const [here, there] = [fs.statSync(root, { bigint: true }), fs.statSync(work_tree, { bigint: true })];
    return here.ino === there.ino && here.dev === there.dev;
  } catch {
    return false; // the folder is not there any more: it was moved
  }
}

/** The text of the last active state that was found good, in its shape and by the journal: a submission reads it several times. */
let good: { file: string; text: string; session: string; journal: string } | null = null;

/** Changes whenever the journal is written: a later line may tell that a state is no longer the last. */
function markOf(root: string, session: string): string {
  try {
    const { size, mtimeNs } = fs.statSync(journalFile(root, session), { bigint: true });
    return `${size} ${mtimeNs}`;
  } catch {
    return '';
  }
}

const isGood = (root: string, file: string, text: string): boolean =>
  good !== null && good.file === file && good.text === text && good.journal === markOf(root, good.session);

const DAMAGE: Partial<Record<Seal, string>> = {
  broken: 'it was changed by something else than the server',
  older: 'it is an older one, put back by something else than the server',
};

/** What the text of an active state is, by itself and by the journal. */
function judge(root: string, file: string, text: string): ReadResult {
  // Each caller has an object of its own.
  if (isGood(root, file, text)) return { kind: 'present', state: migrate(JSON.parse(text)) as unknown as SessionFile };
  const found = parseState(text, file);
  if (found.kind !== 'present') return found;
  const { session, rev } = found.state;
  if (!isBegunIn(root, found.state)) return { kind: 'foreign', file, why: 'elsewhere', state: found.state };
  const journal = markOf(root, session);
  const seal = sealed(root, session, rev, text);
  const detail = DAMAGE[seal];
  if (detail !== undefined) return { kind: 'corrupt', file, detail };
  // A journal that does not know this revision may yet learn of another state of it.
  if (seal === 'whole') good = { file, text, session, journal };
  return found;
}

/** The active session of a work tree. A state that is not the last that the journal has seen written is damage. Never throws. */
export function readState(root: string): ReadResult {
  const file = stateFile(root);
  let text = readText(file);
  for (;;) {
    if (typeof text !== 'string') return text;
    const found = judge(root, file, text);
    if (found.kind !== 'corrupt') return found;
    // Without a lock: the journal may tell of a state that was written since.
    const now = readText(file);
    if (now === text) return found;
    text = now;
  }
}

/** Makes a rename in this folder last through a power failure. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder for this; there the rename alone has to do.
  if (process.platform === 'win32') return;
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Writes a file and waits until it is on the disk. Not atomic. */
export function writeDurably(file: string, text: string): void {
  const handle = fs.openSync(file, 'w', 0o600);
  try {
    fs.writeFileSync(handle, text);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Writes a file whole or not at all: temporary file, fsync, rename, fsync of the folder. Not for the active state, which
 * a fence commits.
 * @throws StorageFailed with the system's code; the old file is untouched then.
 */
export function writeAtomic(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    writeDurably(temporary, text);
    fs.renameSync(temporary, file);
    syncFolder(path.dirname(file));
  } catch (error) {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // Where its folder is none, there is no such file, either.
    }
    throw new StorageFailed(file, error);
  }
}
