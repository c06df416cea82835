/** The fingerprint of a folder without git: every file by mode, size and times, then content (git/walk.ts). */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { ChangedFile } from '../git/baseline.ts';
import { type WalkedFolder, walkChanged } from '../git/walk.ts';

export interface Folder extends WalkedFolder {
  /** Change times in nanoseconds: a file whose size and modification time were put back still has a new one. */
  times: Record<string, string>;
}

function changeTime(root: string, path: string): string | null {
  try {
    return String(fs.lstatSync(join(root, path), { bigint: true }).ctimeNs);
  } catch {
    return null;
  }
}

export function timesOf(root: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    paths.flatMap((path): [string, string][] => {
      const time = changeTime(root, path);
      return time === null ? [] : [[path, time]];
    }),
  );
}

/** The content as the walk wrote it down: the last part of `mode:size:mtime:content`. */
const contentIn = (known: string): string => known.split(':').slice(3).join(':');

function contentNow(full: string): string {
  try {
    if (fs.lstatSync(full).isSymbolicLink()) return fs.readlinkSync(full);
    return createHash('sha256').update(fs.readFileSync(full)).digest('hex');
  } catch {
    return '-';
  }
}

/** Whether a file whose stamp is the same holds something else. Content is only read where the change time moved. */
function changedUnderStamp(root: string, path: string, folder: Folder): boolean {
  const known = contentIn(folder.files[path] ?? '');
  const unsure = Number(BigInt(folder.times[path] ?? '0') / 1_000_000n) >= folder.taken_at - UNSURE_MS;
  if (!unsure && changeTime(root, path) === folder.times[path]) return false;
  return known !== '-' && known !== contentNow(join(root, path));
}

/** As in fingerprint.ts: times move in coarse ticks. */
const UNSURE_MS = 2000;

/** The files that are not as they were, sorted by path. */
export async function changedInFolder(root: string, folder: Folder): Promise<ChangedFile[]> {
  const { files } = await walkChanged(root, folder);
  const told = new Set(files.map(({ path }) => path));
  const silent = Object.keys(folder.files).filter((path) => !told.has(path) && changedUnderStamp(root, path, folder));
  const all = [...files, ...silent.map((path): ChangedFile => ({ path, status: 'modified', users: false }))];
  return all.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
