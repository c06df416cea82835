/**
 * The lock's folder as proper-lockfile sees it. It removes and touches a folder by its name alone, even when the lock was
 * taken over meanwhile; behind this it can do so only to the folder that this process made.
 */
import fs from 'node:fs';

type Done<Value> = (error: NodeJS.ErrnoException | null, value?: Value) => void;

/** Which folder lies at a path: its name may come back, and its inode, too. */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeNs } = fs.statSync(folder, { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** The folders that this process made and did not remove. */
const made = new Map<string, string>();

function isOurs(folder: string): boolean {
  const known = made.get(folder);
  try {
    return known !== undefined && identityOf(folder) === known;
  } catch {
    return false;
  }
}

function make(folder: string): void {
  fs.mkdirSync(folder);
  made.set(folder, identityOf(folder));
}

/** Removes the folder if it is the one that this process made. */
export function removeOurs(folder: string): void {
  if (isOurs(folder)) fs.rmdirSync(folder);
  made.delete(folder);
}

let probed = false;

function touch(folder: string, time: Date): void {
  if (!isOurs(folder)) throw Object.assign(new Error(`taken over: ${folder}`), { code: 'ENOENT' });
  // The very first call only probes how exact times are here, with one up to a second ahead: a lock that is left behind
  // would go stale that much later. The time that mkdir gave tells as much.
  if (probed) {
    fs.utimesSync(folder, time, time);
    // Where the file system keeps no time of birth, the time of the last change stands in for it.
    made.set(folder, identityOf(folder));
  }
  probed = true;
}

function answering<Value>(work: () => Value, done: Done<Value>): void {
  let value: Value | undefined;
  let failed: NodeJS.ErrnoException | null = null;
  try {
    value = work();
  } catch (error) {
    failed = error as NodeJS.ErrnoException;
  }
  done(failed, value);
}

/** The functions of node:fs that proper-lockfile calls. Synchronous inside: a system call is shorter than the way to a thread. */
export const lockFs = {
  mkdir: (folder: string, done: Done<void>): void => answering(() => make(folder), done),
  rmdir: (folder: string, done: Done<void>): void => answering(() => removeOurs(folder), done),
  rmdirSync: removeOurs,
  utimes: (folder: string, _atime: Date, mtime: Date, done: Done<void>): void => answering(() => touch(folder, mtime), done),
  stat: (folder: string, done: Done<fs.Stats>): void => answering(() => fs.statSync(folder), done),
};
