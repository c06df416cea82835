/** Finished sessions: their final state stays in sessions/<id>/ (STATE.md). */
import fs from 'node:fs';
import { abort } from '../flow/engine.ts';
import { COMPLETE } from '../flow/table.ts';
import { type Fence, Fenced } from './fence.ts';
import {
  archivedState,
  isMadeSessionId,
  isSessionId,
  journalFile,
  sessionFolder,
  sessionsFolder,
  snapshotFolder,
  stateFile,
} from './layout.ts';
import { readStateFile, type SessionFile, StorageFailed, serialize, writeAtomic } from './session-file.ts';

/**
 * Ends a session: its final state becomes the active one, then goes to its folder. A crash in between leaves a state that
 * gates nothing and that the next writer archives.
 * @returns the text of the active state, for the journal @throws Fenced, StorageFailed: then the session goes on
 */
export function archive(fence: Fence, state: SessionFile): string {
  const text = fence.commit({ ...state, gate: 'open' });
  try {
    putAway(fence, state);
  } catch (error) {
    if (!(error instanceof StorageFailed || error instanceof Fenced)) throw error;
  }
  return text;
}

function putAway(fence: Fence, state: SessionFile): void {
  // A session that ended stands at the step it ended at; the phase tells that it is over.
  writeAtomic(archivedState(fence.root, state.session), serialize(state));
  fence.remove();
  fs.rmSync(snapshotFolder(fence.root, state.session), { recursive: true, force: true });
}

/** Whether the active state is one that only waits to be archived. Reads the gate line alone. */
function endedBefore(root: string): boolean {
  try {
    const handle = fs.openSync(stateFile(root), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(256);
      const length = fs.readSync(handle, bytes, 0, bytes.length, 0);
      return bytes.toString('latin1', 0, length).startsWith(`{"gate":"open","phase":"${COMPLETE}",`);
    } finally {
      fs.closeSync(handle);
    }
  } catch {
    return false; // absent, or damaged: not for this function to say
  }
}

/** Archives the state that a crash left active at the end of its session. @throws Fenced, StorageFailed */
export function archiveLeftover(fence: Fence): void {
  if (!endedBefore(fence.root)) return;
  const found = readStateFile(stateFile(fence.root));
  if (found.kind === 'present' && found.state.phase === COMPLETE) putAway(fence, { ...found.state, gate: 'closed' });
}

/** The archived session of this id, or null. */
export function archivedSession(root: string, session: string): SessionFile | null {
  if (!isSessionId(session)) return null;
  const found = readStateFile(archivedState(root, session));
  if (found.kind !== 'present') return null;
  // One that was put away where nothing could be written is as it was when the person ended it.
  return found.state.phase === COMPLETE ? found.state : { ...found.state, ...abort(found.state) };
}

/** What lies in the folder of sessions, newest first: ids begin with their time. */
export function newestSessions(root: string): string[] {
  try {
    return fs.readdirSync(sessionsFolder(root)).filter(isSessionId).sort().reverse();
  } catch {
    return [];
  }
}

/** The archived session that ended last, or null. It is found without opening the others. */
export function newestArchived(root: string): SessionFile | null {
  for (const session of newestSessions(root)) {
    const found = archivedSession(root, session);
    if (found) return found;
  }
  return null;
}

/** How many folders are looked at: one that a crash left is among the newest when the next session starts. */
const RECENT = 20;

/** What a start writes before its journal. Anything else is worth keeping: what the user's files were, for one. */
const OF_A_START = /^(?:baseline\.json|fingerprint\.json|issue\.json|request\.md)(?:\..*\.tmp)?$|^snapshots$/;

const holdsOnlyAStart = (folder: string): boolean => fs.readdirSync(folder).every((name) => OF_A_START.test(name));

/** Removes the folders of sessions that a crash cut off before they had begun: no journal, no state, nothing kept. */
export function removeGhosts(root: string): void {
  // Another folder in there is somebody's own.
  const recent = newestSessions(root).filter(isMadeSessionId).slice(0, RECENT);
  for (const session of recent) {
    if (fs.existsSync(journalFile(root, session)) || fs.existsSync(archivedState(root, session))) continue;
    const folder = sessionFolder(root, session);
    try {
      if (holdsOnlyAStart(folder)) fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // A ghost harms nobody.
    }
  }
}
