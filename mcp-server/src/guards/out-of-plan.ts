/** Guard RG08: an edit of an existing file that no task names and that was never opened in this session. Layer 2 only. */
import fs from 'node:fs';
import path from 'node:path';
import { globMatcher, isGlob } from '../evidence/file-glob.ts';
import { sessionFolder } from '../state/layout.ts';
import { fileField } from './catalog.ts';
import type { Surveyed } from './effect.ts';
import { absolutePath, isFolder, isInside, isThere, readings, stat } from './path.ts';
import type { Surroundings } from './place.ts';
import type { SessionView } from './session-view.ts';

interface ReadSoFar {
  /** Bytes of the ledger that `paths` stands for. */
  size: number;
  inode: bigint;
  paths: Set<string>;
}

/** Read on from where the last call stopped, so that a long session costs no more than a short one. */
const ledgers = new Map<string, ReadSoFar>();
const MAX_LEDGERS = 20;

function readFrom(file: string, start: number, end: number): string {
  const handle = fs.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(end - start);
    return bytes.toString('utf8', 0, fs.readSync(handle, bytes, 0, bytes.length, start));
  } finally {
    fs.closeSync(handle);
  }
}

function pathsIn(line: string): string[] {
  if (!line.startsWith('{')) return [];
  try {
    const entry = JSON.parse(line) as { path?: unknown; paths?: unknown };
    return [entry.path, entry.paths].flat().filter((value) => typeof value === 'string') as string[];
  } catch {
    return [];
  }
}

/** The paths of the session's tool calls; undefined when there is no ledger. */
function openedPaths(root: string, session: string): ReadonlySet<string> | undefined {
  const file = path.join(sessionFolder(root, session), 'ledger.jsonl');
  const info = stat(file);
  if (!info?.isFile()) return undefined;
  const size = Number(info.size);
  let known = ledgers.get(file);
  if (known === undefined || known.inode !== info.ino || known.size > size) {
    if (ledgers.size >= MAX_LEDGERS) ledgers.clear();
    known = { size: 0, inode: info.ino, paths: new Set() };
    ledgers.set(file, known);
  }
  if (size > known.size) {
    const text = readFrom(file, known.size, size);
    // A line that is still being written is read next time.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const line of whole.split('\n')) for (const found of pathsIn(line)) known.paths.add(found);
    known.size += Buffer.byteLength(whole);
  }
  return known.paths;
}

/** Whether a task names the file: as itself, by a folder above it, or by a glob. */
function isPlanned(relative: string, taskFiles: readonly string[]): boolean {
  return taskFiles.some((named) => {
    const plain = named.replace(/^\.\//, '').replace(/\/$/, '');
    if (plain === '.' || relative === plain || relative.startsWith(`${plain}/`)) return true;
    return isGlob(plain) && globMatcher(plain).test(relative);
  });
}

/**
 * Whether the call edits a file outside the plan that nobody looked at.
 * @param call an editing tool's call
 */
export function isOutOfPlan({ tool, input, cwd }: Surveyed, session: SessionView, around: Surroundings): boolean {
  const target = input[fileField(tool) ?? ''];
  if (typeof target !== 'string' || session.taskFiles.length === 0) return false;
  const absolute = absolutePath(target, cwd, around.home);
  const [physical = ''] = readings(absolute);
  if (!isThere(physical) || isFolder(physical) || !isInside(absolute, around.root)) return false;
  const opened = openedPaths(around.root, session.session);
  if (opened === undefined || opened.has(target) || opened.has(absolute) || opened.has(physical)) return false;
  const [root = ''] = readings(around.root);
  const named = session.taskFiles.map((file) => (file.startsWith(`${around.root}/`) ? file.slice(around.root.length + 1) : file));
  return physical.startsWith(`${root}/`) && !isPlanned(physical.slice(root.length + 1), named);
}
