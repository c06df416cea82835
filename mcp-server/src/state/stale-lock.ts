/** When a lock counts as left behind, and removing one without ever removing a live one (STATE.md, One lock). */
import fs from 'node:fs';

export const STALE_MS = 10_000;

/** A clock that is set, or another machine's, may date a lock a little ahead; such a lock ages like any other. */
const AHEAD_MS = 1_500;

interface Seen {
  /** Which folder, with its time. */
  what: string;
  since: number;
}

/** Watches one lock for one caller. */
export class StaleWatch {
  readonly #folder: string;
  /** The lock dated in the future that is being watched: only watching tells its age. */
  #future: Seen | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether a lock dated in the future is being watched, so that its fate is not known yet. */
  get undecided(): boolean {
    return this.#future !== null;
  }

  isStale(): boolean {
    const stat = fs.statSync(this.#folder, { throwIfNoEntry: false });
    const age = stat ? Date.now() - stat.mtimeMs : 0;
    if (!stat || age > -AHEAD_MS) {
      this.#future = null;
      return age > STALE_MS;
    }
    const what = `${stat.ino}:${stat.mtimeMs}`;
    if (this.#future?.what !== what) this.#future = { what, since: performance.now() };
    return performance.now() - this.#future.since > STALE_MS;
  }
}

/** What is gone already needs no removing. */
function removeFolder(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** A guard is held for one look and one removal; an older one was left by a process that died in between. */
function dropOldGuard(guard: string): void {
  const stat = fs.statSync(guard, { throwIfNoEntry: false });
  if (stat && Math.abs(Date.now() - stat.mtimeMs) > STALE_MS) removeFolder(guard);
}

/**
 * Removes the lock if it is stale. Of several that find it stale one removes it, and only after it looked again: in
 * between another may have removed it and taken it.
 * @returns whether it is worth trying to take the lock at once
 */
export function breakStale(folder: string, watch: StaleWatch): boolean {
  if (!watch.isStale()) return false;
  const guard = `${folder}.break`;
  try {
    fs.mkdirSync(guard);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    dropOldGuard(guard);
    return false;
  }
  try {
    if (watch.isStale()) removeFolder(folder);
    return true;
  } finally {
    removeFolder(guard);
  }
}
