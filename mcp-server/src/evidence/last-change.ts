/** When the session's changes were last written, by the disk: an edit that went through a shell leaves no other trace. */
import fs from 'node:fs';
import path from 'node:path';
import type { LastChange } from './passed.ts';

/** @param files changed files of the session, relative to `root`; what is deleted has no time and is passed over */
export function lastChange(root: string, files: readonly string[]): LastChange | null {
  let last: LastChange | null = null;
  for (const file of files) {
    const at = writtenAt(path.join(root, file));
    if (at !== null && (last === null || at > last.at)) last = { path: file, at };
  }
  return last;
}

function writtenAt(file: string): number | null {
  try {
    const stats = fs.lstatSync(file);
    return stats.isDirectory() ? null : stats.mtimeMs;
  } catch {
    return null;
  }
}
