import { createHash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangedFile } from './baseline.ts';
import { fileMode, inBatches } from './content.ts';

/** The files of a folder without git. Plain JSON. */
export interface WalkedFolder {
  /** By path: `<mode>:<size>:<mtime in ns>:<sha256, link target, or - where it was not read>`. */
  files: Record<string, string>;
  /** More files were there than were looked at. */
  truncated: boolean;
  /** When the walk began, in milliseconds. */
  taken_at: number;
}

export interface WalkOptions {
  /** The most files that are looked at. */
  limit?: number;
  /** The most bytes whose content is read; files beyond are known by size and time. */
  readBytes?: number;
}

const SKIPPED = new Set(['.git', '.readygate', 'node_modules']);
const LIMIT = 20_000;
const READ_BYTES = 64 * 1024 * 1024;

/** The clock of files runs in ticks, up to so far behind. */
const TICK_MS = 20;

/** Records every file below `root` but those in `.git`, `.readygate` and `node_modules`. Folders that cannot be read are skipped. */
export async function walkBaseline(root: string, options: WalkOptions = {}): Promise<WalkedFolder> {
  const taken_at = Date.now();
  const { paths, truncated } = await list(root, options.limit ?? LIMIT);
  let budget = options.readBytes ?? READ_BYTES;
  const pairs = await inBatches(paths, async (path): Promise<[string, string] | null> => {
    const stats = await statOf(root, path);
    if (!stats) return null;
    const read = stats.size <= budget;
    if (read) budget -= Number(stats.size);
    return [path, `${stamp(stats)}:${read ? await digest(root, path, stats) : '-'}`];
  });
  return { files: Object.fromEntries(pairs.filter((pair) => pair !== null)), truncated, taken_at };
}

/**
 * What differs from an earlier walk. Content is read only where mode, size or time moved. `users` is always false:
 * without git nothing tells the user's own edits from the state the session began with. Sorted by path.
 */
export async function walkChanged(
  root: string,
  baseline: WalkedFolder,
  options: WalkOptions = {},
): Promise<{ files: ChangedFile[]; truncated: boolean }> {
  const before = new Map(Object.entries(baseline.files));
  const { paths, truncated } = await list(root, options.limit ?? LIMIT);
  const found = await inBatches([...new Set([...paths, ...before.keys()])], async (path): Promise<ChangedFile | null> => {
    const status = await compare(root, path, before.get(path), baseline);
    return status ? { path, status, users: false } : null;
  });
  const files = found.filter((file) => file !== null).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { files, truncated: truncated || baseline.truncated };
}

async function compare(
  root: string,
  path: string,
  before: string | undefined,
  baseline: WalkedFolder,
): Promise<ChangedFile['status'] | null> {
  const stats = await statOf(root, path);
  if (!stats) return before === undefined ? null : 'deleted';
  if (before === undefined) {
    // A walk that stopped early did not see every old file; only a file made since is certainly new.
    return baseline.truncated && Number(stats.ctimeMs) < baseline.taken_at - TICK_MS ? null : 'added';
  }
  const now = stamp(stats);
  if (before.startsWith(`${now}:`)) return null;
  const [mode, size, time] = before.split(':', 3);
  const known = before.slice(`${mode}:${size}:${time}:`.length);
  const sameKind = now.startsWith(`${mode}:${size}:`);
  return sameKind && known !== '-' && known === (await digest(root, path, stats)) ? null : 'modified';
}

async function list(root: string, limit: number): Promise<{ paths: string[]; truncated: boolean }> {
  const paths: string[] = [];
  const waiting = [''];
  while (waiting.length > 0) {
    const folder = waiting.shift() ?? '';
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (SKIPPED.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) {
        if (paths.length >= limit) return { paths, truncated: true };
        paths.push(path);
      }
    }
  }
  return { paths, truncated: false };
}

async function statOf(root: string, path: string): Promise<BigIntStats | null> {
  const stats = await lstat(join(root, path), { bigint: true }).catch(() => null);
  return stats && (stats.isFile() || stats.isSymbolicLink()) ? stats : null;
}

function stamp(stats: BigIntStats): string {
  return `${stats.isSymbolicLink() ? '120000' : fileMode(stats)}:${stats.size}:${stats.mtimeNs}`;
}

async function digest(root: string, path: string, stats: BigIntStats): Promise<string> {
  const full = join(root, path);
  try {
    if (stats.isSymbolicLink()) return await readlink(full);
    return createHash('sha256')
      .update(await readFile(full))
      .digest('hex');
  } catch {
    return '-';
  }
}
