/** Ending a session where nothing can be written (full disk, unwritable folder): its state is only renamed or removed. */
import fs from 'node:fs';
import { COMPLETE } from '../flow/table.ts';
import { archivedState, folderOf, sessionFolder, stateFile } from './layout.ts';
import { withLock } from './lock.ts';
import { readState } from './session-file.ts';
import { StorageFailed } from './storage-failed.ts';

/** Failures of writing as such: no room, no right, no working disk, a file where a folder belongs or the other way round. */
const UNWRITABLE = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ENOTDIR', 'EISDIR', 'EEXIST']);

export const isUnwritable = (error: unknown): error is StorageFailed => error instanceof StorageFailed && UNWRITABLE.has(error.code);

export interface LetGo {
  /** The state went to its session's folder, or is removed, or the whole folder was renamed. */
  how: 'archived' | 'removed' | 'moved';
  /** Where what is left lies. */
  place: string;
}

function works(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** The least that ends the lock-out, kindest first. null when not even that can be done. */
function takeAway(root: string, session: string): LetGo | null {
  const archived = archivedState(root, session);
  if (works(() => fs.renameSync(stateFile(root), archived))) return { how: 'archived', place: archived };
  if (works(() => fs.unlinkSync(stateFile(root)))) return { how: 'removed', place: sessionFolder(root, session) };
  // A folder that nobody may write in can still be renamed by whoever may write in the one above.
  const moved = `${folderOf(root)}.ended-${session}`;
  return works(() => fs.renameSync(folderOf(root), moved)) ? { how: 'moved', place: moved } : null;
}

function letGoNow(root: string, session: string): LetGo | null {
  const found = readState(root);
  const active = found.kind === 'present' && found.state.session === session && found.state.phase !== COMPLETE;
  return active ? takeAway(root, session) : null;
}

/**
 * Takes the state of this session away without writing anything. Only for a person who ends it, and only after writing failed.
 * @returns null when the session is not active any more, or cannot be taken away @throws LockTimeout
 */
export async function letGo(root: string, session: string): Promise<LetGo | null> {
  try {
    return await withLock(root, async () => letGoNow(root, session));
  } catch (error) {
    // Where not even the lock's folder can be made, no other writer gets it, either.
    if (!(error instanceof StorageFailed)) throw error;
    return letGoNow(root, session);
  }
}
