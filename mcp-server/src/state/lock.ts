/** The lock state.json.lock, made with mkdir (STATE.md, One lock). */
import fs from 'node:fs';
import lockfile from 'proper-lockfile';
import { folderOf, lockFolder, stateFile } from './layout.ts';
import { StorageFailed } from './session-file.ts';

export const STALE_MS = 10_000;
export const DEADLINE_MS = 5_000;

/** Somebody else held the lock until the deadline. */
export class LockTimeout extends Error {
  readonly root: string;
  constructor(root: string) {
    super(`lock held: ${root}`);
    this.root = root;
  }
}

/** Calls within this process wait for each other here, so that they never count against the deadline for other processes. */
const queues = new Map<string, Promise<unknown>>();

/** Not `recursive`: that answers ENOENT on a read-only file system, which would send the reader the wrong way. */
function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function acquire(root: string, deadline: number): Promise<() => Promise<void>> {
  try {
    makeFolder(folderOf(root));
    return await lockfile.lock(stateFile(root), {
      lockfilePath: lockFolder(root),
      realpath: false,
      stale: STALE_MS,
      retries: { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 150, randomize: true, maxRetryTime: deadline },
      // A lock that is taken over must not end the process; the write that follows is checked on its own.
      onCompromised: () => {},
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') throw new LockTimeout(root);
    throw new StorageFailed(folderOf(root), error);
  }
}

async function locked<T>(root: string, work: () => Promise<T>, deadline: number): Promise<T> {
  const release = await acquire(root, deadline);
  try {
    return await work();
  } finally {
    // The folder may be gone with the work tree; releasing what no longer exists is no failure.
    await release().catch(() => {});
  }
}

/**
 * Runs `work` while this process holds the session lock of a work tree.
 * @throws LockTimeout after 5 s, StorageFailed when the folder cannot be made; whatever `work` throws.
 */
export async function withLock<T>(root: string, work: () => Promise<T>, deadline: number = DEADLINE_MS): Promise<T> {
  const before = queues.get(root) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(() => locked(root, work, deadline));
  const tail = mine.catch(() => {});
  queues.set(root, tail);
  try {
    return await mine;
  } finally {
    if (queues.get(root) === tail) queues.delete(root);
  }
}
