/** The lock state.json.lock, made with mkdir (STATE.md, One lock). The same rules in bash: hooks/lib/lock.sh. */
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { folderOf, lockFolder, stateFile } from './layout.ts';
import { lockFs, removeOurs } from './lock-folder.ts';
import { StorageFailed } from './session-file.ts';
import { breakStale, STALE_MS, StaleWatch } from './stale-lock.ts';

export { STALE_MS } from './stale-lock.ts';

export const DEADLINE_MS = 5_000;

/** How often a holder shows that it lives. */
const HEARTBEAT_MS = 2_000;

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

type Release = () => Promise<void>;

/** Takes the lock if it is free; null when it is held. */
async function tryLock(root: string): Promise<Release | null> {
  try {
    return await lockfile.lock(stateFile(root), {
      lockfilePath: lockFolder(root),
      realpath: false,
      fs: lockFs,
      // It never breaks a lock by itself: two that find it stale at once would remove each other's.
      stale: Number.MAX_SAFE_INTEGER,
      update: HEARTBEAT_MS,
      // A lock that is taken over must not end the process; the fence discards the write that follows.
      onCompromised: () => {},
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return null;
    throw error;
  }
}

/** Waits a little longer with every attempt, each caller another time. */
const waitOf = (attempt: number): number => (0.5 + Math.random()) * Math.min(5 * 1.3 ** attempt, 100);

async function acquire(root: string, deadline: number): Promise<Release> {
  const begun = performance.now();
  const watch = new StaleWatch(lockFolder(root));
  try {
    makeFolder(folderOf(root));
    for (let attempt = 0; ; attempt++) {
      const release = await tryLock(root);
      if (release) return release;
      if (breakStale(lockFolder(root), watch)) continue;
      const waited = performance.now() - begun;
      // A lock dated in the future is either alive or watched until it counts as stale.
      if (waited > deadline + (watch.undecided ? STALE_MS : 0)) throw new LockTimeout(root);
      await pause(Math.min(waitOf(attempt), Math.max(deadline - waited, 10)));
    }
  } catch (error) {
    if (error instanceof LockTimeout) throw error;
    throw new StorageFailed(folderOf(root), error);
  }
}

async function locked<T>(root: string, work: () => Promise<T>, deadline: number): Promise<T> {
  const release = await acquire(root, deadline);
  try {
    return await work();
  } finally {
    // The folder may be gone with the work tree; releasing what no longer exists is no failure.
    await release().catch(() => removeOurs(lockFolder(root)));
  }
}

/**
 * Runs `work` while this process holds the session lock of a work tree. To write the state, use withState.
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
