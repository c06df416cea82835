/** Finished sessions: their final state stays in sessions/<id>/ (STATE.md). */
import fs from 'node:fs';
import { archivedState, isSessionId, sessionsFolder, stateFile } from './layout.ts';
import { readStateFile, type SessionFile, StorageFailed, serialize, writeAtomic } from './session-file.ts';

/** Moves a finished session out of the way: final state into its folder, then state.json removed. @throws StorageFailed */
export function archive(root: string, state: SessionFile): void {
  // A session that ended stands at the step it ended at; the phase tells that it is over.
  writeAtomic(archivedState(root, state.session), serialize(state));
  try {
    fs.rmSync(stateFile(root), { force: true });
  } catch (error) {
    throw new StorageFailed(stateFile(root), error);
  }
}

/** Keeps a state file that cannot be read under another name. @returns the new name, null when there was none. */
export function setAside(root: string, now: Date): string | null {
  const file = stateFile(root);
  const kept = `${file}.corrupt-${now.toISOString().replace(/[:.]/g, '-')}`;
  try {
    fs.renameSync(file, kept);
    return kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StorageFailed(file, error);
  }
}

/** The archived session of this id, or null. */
export function archivedSession(root: string, session: string): SessionFile | null {
  if (!isSessionId(session)) return null;
  const found = readStateFile(archivedState(root, session));
  return found.kind === 'present' ? found.state : null;
}

/** The archived session that ended last, or null. Ids begin with their time, so the newest is found without opening the others. */
export function newestArchived(root: string): SessionFile | null {
  let names: string[];
  try {
    names = fs.readdirSync(sessionsFolder(root));
  } catch {
    return null;
  }
  names.sort();
  for (let index = names.length - 1; index >= 0; index--) {
    const found = archivedSession(root, names[index] ?? '');
    if (found) return found;
  }
  return null;
}
