/**
 * Which files git tracks in folders that are named like build output: those are somebody's work. Read from git's index
 * itself, since a guard starts no process. The hook layer cannot read it, and leaves them to this one.
 */
import fs from 'node:fs';
import { gitFolders, stat } from './path.ts';
import { effectTable } from './shell/effects.ts';

/** A larger index is not worth the wait; then the names alone decide. */
const MAX_BYTES = 128n * 1024n * 1024n;

/** SHA-1 and SHA-256. The index does not say which one it has: only one of them gives paths in order. */
const HASH_BYTES = [20, 32];

interface Known {
  mtimeNs: bigint;
  size: bigint;
  paths: ReadonlySet<string>;
}

const cache = new Map<string, Known>();

/** How much of the path before is dropped: git's numbers of any length, most significant part first. */
function droppedAt(bytes: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, end: at };
}

/** The paths of an index whose hashes are so long, as bytes; null when they are not. */
function pathsOf(bytes: Buffer, hashBytes: number): Buffer[] | null {
  const version = bytes.readUInt32BE(4);
  const paths: Buffer[] = [];
  let at = 12;
  let last: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const flags = start + 40 + hashBytes;
    if (flags + 2 > bytes.length) return null;
    at = flags + ((bytes[flags] ?? 0) & 0x40 ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const { value, end } = droppedAt(bytes, at);
      kept = last.length - value;
      at = end;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0 || kept < 0) return null;
    const path = kept > 0 ? Buffer.concat([last.subarray(0, kept), bytes.subarray(at, end)]) : bytes.subarray(at, end);
    // The stages of a conflict have one path.
    if (path.length === 0 || path.compare(last) < 0) return null;
    paths.push(path);
    last = path;
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
  return paths;
}

/** Of each tracked path, what ends with a name of build output: `packages/a/build` of `packages/a/build/x.js`. */
function outputPaths(index: Buffer): ReadonlySet<string> {
  const found = new Set<string>();
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return found;
  const paths = HASH_BYTES.map((size) => pathsOf(index, size)).find((one) => one !== null) ?? [];
  for (const path of paths) {
    const segments = path.toString('utf8').split('/');
    for (const [at, name] of segments.entries()) if (effectTable().ignored.has(name)) found.add(segments.slice(0, at + 1).join('/'));
  }
  return found;
}

/**
 * The files and folders of the work tree at `root`, relative to it, that are named like build output and that git tracks,
 * or something in them. Nothing where there is no index that can be read.
 */
export function trackedOutput(root: string): ReadonlySet<string> {
  const file = `${gitFolders(root)[0] ?? ''}/index`;
  const info = stat(file);
  if (!info?.isFile() || info.size > MAX_BYTES) return new Set();
  const known = cache.get(file);
  if (known && known.mtimeNs === info.mtimeNs && known.size === info.size) return known.paths;
  let paths: ReadonlySet<string> = new Set();
  try {
    paths = outputPaths(fs.readFileSync(file));
  } catch {
    // The names alone decide.
  }
  cache.clear();
  cache.set(file, { mtimeNs: info.mtimeNs, size: info.size, paths });
  return paths;
}
