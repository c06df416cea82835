/** Getting a session back whose state.json is damaged (STATE.md): from the copy that the journal vouches for, or not at all. */
import fs from 'node:fs';
import { abort } from '../flow/engine.ts';
import { archivedSession, newestSessions } from './archive.ts';
import { checkJournal } from './check-journal.ts';
import type { Fence } from './fence.ts';
import { appendJournal, type JournalLine, sha256 } from './journal.ts';
import { archivedState, isSessionId, journalFile, snapshotFile, stateFile } from './layout.ts';
import { readState, readStateFile, type SessionFile, StorageFailed, serialize, writeAtomic } from './session-file.ts';

export type Recovered =
  /** The session goes on where it was. */
  | { kind: 'rebuilt'; kept: string; detail: string; state: SessionFile }
  /** It could not be rebuilt, and ended: `aborted`. Its folder is as it was. */
  | { kind: 'closed'; kept: string; detail: string; session: string }
  /** There was no session to get back. */
  | { kind: 'none'; kept: string; detail: string };

/** The session that a damaged state still names in its first bytes. */
function namedSession(root: string): string | null {
  try {
    const file = stateFile(root);
    if (!fs.lstatSync(file).isFile()) return null;
    const handle = fs.openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(512);
      const text = bytes.toString('latin1', 0, fs.readSync(handle, bytes, 0, bytes.length, 0));
      const id = /"session":"([0-9A-Za-z-]+)"/.exec(text)?.[1] ?? '';
      return isSessionId(id) && fs.existsSync(journalFile(root, id)) ? id : null;
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** The newest session that has begun and not ended. */
function unfinishedSession(root: string): string | null {
  const newest = newestSessions(root).find((id) => fs.existsSync(journalFile(root, id)));
  return newest !== undefined && !fs.existsSync(archivedState(root, newest)) ? newest : null;
}

function sessionLost(root: string): string | null {
  const named = namedSession(root);
  if (named === null) return unfinishedSession(root);
  return archivedSession(root, named) ? null : named;
}

/** The lines of a journal that nobody has tampered with; none otherwise. */
function trustedLines(root: string, session: string): JournalLine[] {
  try {
    const { lines, broken } = checkJournal(journalFile(root, session));
    return broken ? [] : lines;
  } catch {
    return [];
  }
}

/** The copies that are left of a session's state, newest first. */
function copies(root: string, session: string): { text: string; state: SessionFile }[] {
  return [0, 1]
    .map((parity) => snapshotFile(root, session, parity))
    .flatMap((file) => {
      const found = readStateFile(file);
      return found.kind === 'present' && found.state.session === session
        ? [{ text: fs.readFileSync(file, 'utf8'), state: found.state }]
        : [];
    })
    .sort((a, b) => b.state.rev - a.state.rev);
}

/** Only the very state that the journal's last transition led to: any other could be more open than the session was. */
function rebuild(root: string, session: string): SessionFile | null {
  // By revision: a writer that slept after its commit may have written its line late.
  const [last] = trustedLines(root, session)
    .filter((line) => typeof line.state === 'string')
    .sort((a, b) => b.rev - a.rev || b.seq - a.seq);
  return (last && copies(root, session).find(({ text }) => sha256(text) === last.state)?.state) ?? null;
}

/** Keeps the damaged file. Where it can, the name state.json goes on without a gap, so that a crash now loses nothing. */
function keep(fence: Fence, now: Date): string {
  return fence.linkAside(now) ?? fence.setAside(now);
}

function write(root: string, session: string, rev: number, entry: Record<string, unknown>, now: Date): void {
  try {
    appendJournal(root, session, [{ event: 'recovered', rev, ...entry }], now);
  } catch (error) {
    // A journal that is damaged, too, must not stand in the way.
    if (!(error instanceof StorageFailed)) throw error;
  }
}

/**
 * Keeps a damaged state under another name, and brings its session back or ends it.
 * @returns null when the state is not damaged (any more) @throws Fenced, StorageFailed
 */
export function recover(fence: Fence, now: Date): Recovered | null {
  const { root } = fence;
  const found = readState(root);
  if (found.kind !== 'corrupt') return null;
  const { detail } = found;
  const session = sessionLost(root);
  if (session === null) return { kind: 'none', kept: fence.setAside(now), detail };
  const state = rebuild(root, session);
  if (state) {
    const kept = keep(fence, now);
    const text = fence.commit(state);
    write(root, session, state.rev, { from: 'snapshot', kept, detail, state: sha256(text) }, now);
    return { kind: 'rebuilt', kept, detail, state };
  }
  const [best] = copies(root, session);
  if (best) writeAtomic(archivedState(root, session), serialize({ ...best.state, ...abort(best.state) }));
  const kept = fence.setAside(now);
  write(root, session, best?.state.rev ?? 0, { from: 'nothing', outcome: 'aborted', kept, detail }, now);
  return { kind: 'closed', kept, detail, session };
}
