import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * A content id says what is at a path, so that two looks can be compared:
 * `100644:<blob id>`, `100755:<blob id>`, `120000:<link target>`, `absent`, `folder`, `other` (a pipe, a socket),
 * `unreadable`, or for a very large file `100644:stat:<size>:<mtime>`.
 */
export type ContentId = string;

export type HashName = 'sha1' | 'sha256';

/** Above this size a file is known by size and time alone: hashing it would cost seconds. */
const LARGEST_HASHED = 32 * 1024 * 1024;
const AT_ONCE = 16;

/** The content id of `path` below `root`, without following symbolic links, not even in the folders above it. */
export async function contentId(root: string, path: string, hash: HashName): Promise<ContentId> {
  const stats = await look(root, path);
  if (stats === null) return 'absent';
  const full = join(root, path);
  try {
    if (stats.isSymbolicLink()) return `120000:${await readlink(full)}`;
    if (stats.isDirectory()) return 'folder';
    if (!stats.isFile()) return 'other';
    const mode = fileMode(stats);
    if (stats.size > LARGEST_HASHED) return `${mode}:stat:${stats.size}:${stats.mtimeNs}`;
    return `${mode}:${blobId(await readFile(full), hash)}`;
  } catch {
    return 'unreadable';
  }
}

/** What lies at a path of the work tree; null when nothing does, or when a link or a file stands where a folder should be. */
export async function look(root: string, path: string): Promise<BigIntStats | null> {
  const parent = dirname(path);
  if (parent !== '.' && !(await isRealFolder(root, parent))) return null;
  return lstat(join(root, path), { bigint: true }).catch(() => null);
}

async function isRealFolder(root: string, path: string): Promise<boolean> {
  const stats = await look(root, path);
  return stats?.isDirectory() ?? false;
}

/** The mode git would give a regular file. */
export function fileMode(stats: { mode: bigint }): '100755' | '100644' {
  return (stats.mode & 0o100n) === 0n ? '100644' : '100755';
}

/** The id git gives these bytes as a blob. */
function blobId(bytes: Uint8Array, hash: HashName): string {
  return createHash(hash).update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex');
}

/** The blob and mode within a content id, or null when the id does not name a blob. */
export function blobIn(id: ContentId): { mode: '100644' | '100755'; blob: string } | null {
  const match = /^(100644|100755):([0-9a-f]{40,64})$/.exec(id);
  return match ? { mode: match[1] as '100644' | '100755', blob: match[2] as string } : null;
}

/** Does `work` for every item, some at a time, and keeps the order. */
export async function inBatches<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}
