/** The one way to change the state: under the lock, behind the fence, begun again when another writer came in between. */
import { archiveLeftover } from './archive.ts';
import { Fence, Fenced } from './fence.ts';
import { DEADLINE_MS, LockTimeout, withLock } from './lock.ts';

/** Being fenced takes a holder that lost its lock; more often than this in a row it is no accident. */
const ATTEMPTS = 5;

async function fenced<T>(root: string, work: (fence: Fence) => Promise<T>): Promise<T> {
  const fence = Fence.open(root);
  try {
    archiveLeftover(fence);
    return await work(fence);
  } finally {
    fence.close();
  }
}

/**
 * Runs `work` as the only writer of a work tree's state. What it knows must be read inside; it runs again when another
 * writer came in between.
 * @throws LockTimeout, StorageFailed, whatever `work` throws
 */
export async function withState<T>(root: string, work: (fence: Fence) => Promise<T>, deadline: number = DEADLINE_MS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withLock(root, () => fenced(root, work), deadline);
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
      if (attempt === ATTEMPTS) throw new LockTimeout(root);
    }
  }
}
