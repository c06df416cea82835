/** Looking through files for text: bytes for plain words, lines for expressions. Runs in a worker thread. */
import fs from 'node:fs';
import { decode, LARGEST } from '../files/content.ts';
import { finderOf, type LineMatch, linesIn, type Needle } from './lines.ts';

export interface ScanRequest {
  id: number;
  root: string;
  /** Names the list of files; the list itself is sent once and kept for the next search. */
  list: string;
  files?: string[];
  needles: Needle[];
  caseSensitive: boolean;
  context: number;
  /** Matching lines that are given back with their text; the others are counted. */
  limit: number;
}

export interface FileMatches {
  path: string;
  count: number;
  lines: LineMatch[];
}

export interface ScanReply {
  id: number;
  files: FileMatches[];
  /** The list that is named here is not known: send it. */
  unknown: boolean;
  searched: number;
  large: number;
  /** Files that hold no text. */
  binary: number;
  unreadable: number;
}

/** Contents that are kept for the next search; two workers hold this much each. */
const CACHE_BYTES = 40 * 1024 * 1024;
/** Above this a file is not worth its room. */
const CACHED_FILE = 256 * 1024;

interface Cached {
  size: number;
  mtime: number;
  bytes: Buffer | null;
}

const cache = new Map<string, Cached>();
let cachedBytes = 0;

function forget(file: string): void {
  cachedBytes -= cache.get(file)?.bytes?.length ?? 0;
  cache.delete(file);
}

function keep(file: string, entry: Cached): void {
  const size = entry.bytes?.length ?? 0;
  if (size > CACHED_FILE) return;
  for (const oldest of cache.keys()) {
    if (cachedBytes + size <= CACHE_BYTES) break;
    forget(oldest);
  }
  cache.set(file, entry);
  cachedBytes += size;
}

function readBytes(file: string, known: number): Buffer {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.allocUnsafe(known + 1);
    const read = fs.readSync(handle, bytes, 0, known + 1, 0);
    if (read <= known) return bytes.subarray(0, read);
    return fs.fstatSync(handle).size > LARGEST ? bytes.subarray(0, known) : fs.readFileSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** A zero in the beginning is binary, or UTF-16: that is turned into UTF-8. Null for binary. */
function asText(bytes: Buffer): Buffer | null {
  if (!bytes.subarray(0, 8192).includes(0)) return bytes;
  const text = decode(bytes);
  return text === null ? null : Buffer.from(text);
}

const lists = new Map<string, string[]>();
const LISTS = 4;

function listOf({ list, files }: ScanRequest): string[] | undefined {
  if (files) {
    lists.set(list, files);
    for (const oldest of lists.keys()) if (lists.size > LISTS) lists.delete(oldest);
  }
  return lists.get(list);
}

/** A file as it is now; null for no text, 'gone' and 'large' for what is not searched. */
function contentOf(file: string): Buffer | null | 'gone' | 'large' {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) return 'gone';
  const { size, mtimeMs: mtime } = stats;
  if (size > LARGEST) return 'large';
  const there = cache.get(file);
  if (there && there.size === size && there.mtime === mtime) return there.bytes;
  if (there) forget(file);
  const bytes = asText(readBytes(file, size));
  // What changed within a tick may have changed again with the same time.
  if (Date.now() - mtime > 100) keep(file, { size, mtime, bytes });
  return bytes;
}

/** The bytes that a file must hold to be looked at closer; null where that cannot be told from bytes. */
function probes(needles: readonly Needle[], caseSensitive: boolean): Buffer[] | null {
  if (!caseSensitive) return null;
  const literals = needles.map(({ pattern, regex, literal }) => (regex ? literal : pattern));
  return literals.includes('') ? null : literals.map((literal) => Buffer.from(literal));
}

export function scan(request: ScanRequest): ScanReply {
  const { id, root, needles, caseSensitive, context, limit } = request;
  const files = listOf(request);
  const reply: ScanReply = { id, files: [], unknown: files === undefined, searched: 0, large: 0, binary: 0, unreadable: 0 };
  const finders = needles.map((needle) => finderOf(needle, caseSensitive));
  const bytesOf = probes(needles, caseSensitive);
  let given = 0;
  for (const path of files ?? []) {
    let content: ReturnType<typeof contentOf>;
    try {
      content = contentOf(`${root}/${path}`);
    } catch {
      reply.unreadable++;
      continue;
    }
    if (content === 'gone') continue;
    if (content === 'large') reply.large++;
    else if (content === null) reply.binary++;
    else {
      reply.searched++;
      const bytes = content;
      if (bytesOf && !bytesOf.some((probe) => bytes.includes(probe))) continue;
      const { count, lines } = linesIn(bytes.toString('utf8'), finders, context);
      if (count === 0) continue;
      reply.files.push({ path, count, lines: given < limit ? lines : [] });
      given += lines.length;
    }
  }
  return reply;
}
