import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { blobIn, type ContentId, contentId, type HashName, inBatches } from './content.ts';
import type { Repository } from './repository.ts';
import { git, records } from './run.ts';
import { readIgnored, readStatus, type Staging, type StatusEntry, stagingOf } from './status.ts';

/** What was already dirty or untracked when a session began. Plain JSON. */
export interface Baseline {
  head: string | null;
  /** Content id by path; the user's deletions are here too, as `absent`. */
  files: Record<string, ContentId>;
  /** What was staged then; a baseline of an earlier version has none. */
  staged?: Staging;
  /** What was ignored then, folders with a slash at their end; none for a fingerprint. */
  ignored?: string[];
}

export interface ChangedFile {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  /** The path was the user's when the session began, and is not as they left it. */
  users: boolean;
  /** It was ignored when the session began: the user's, whatever has become of the rule. */
  wasIgnored?: true;
}

/**
 * Records HEAD and every dirty or untracked, not ignored file with its content id.
 *
 * The contents are also put into git's object store, where that is possible, so that a discard can give the user's
 * version back. Throws GitFailed when git cannot tell the status.
 */
export async function takeBaseline(repo: Repository): Promise<Baseline> {
  const baseline = await snapshot(repo.root);
  await keepContents(repo.root, baseline.files);
  return baseline;
}

/** The same with what is ignored, so that a shorter .gitignore does not make the user's files the session's. @throws GitFailed */
export async function takeWholeBaseline(repo: Repository): Promise<Baseline> {
  const [baseline, ignored] = await Promise.all([takeBaseline(repo), readIgnored(repo.root)]);
  return { ...baseline, ignored };
}

/** Whether a path was ignored when a baseline was taken, itself or with a folder that it lies in. */
export function ignoredIn({ ignored = [] }: Baseline): (path: string) => boolean {
  const known = new Set(ignored);
  return (path) => {
    if (known.size === 0 || known.has(path)) return known.has(path);
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) if (known.has(path.slice(0, at + 1))) return true;
    return false;
  };
}

/**
 * What differs from HEAD now and is the session's doing: files that are as the user left them are not listed.
 * A file of the user's that the session put back to HEAD, or removed, is listed although git sees no change in it.
 * A file that the session committed counts only if it changed again. Sorted by path.
 */
export async function changedFiles(repo: Repository, baseline: Baseline): Promise<ChangedFile[]> {
  const { entries: status, head } = await readStatus(repo.root);
  const committed = await pathsBetween(repo.root, baseline.head, head);
  const users = new Map(Object.entries(baseline.files));
  const hash = hashName(head);
  const ignoredThen = ignoredIn(baseline);
  const changed: ChangedFile[] = [];
  for (const entry of status.values()) {
    const before = users.get(entry.path);
    const asTheyLeftIt = before !== undefined && !committed.has(entry.path) && (await idOf(repo.root, entry, hash)) === before;
    if (asTheyLeftIt) continue;
    const wasIgnored = before === undefined && !entry.inHead && !entry.inIndex && ignoredThen(entry.path);
    changed.push({ path: entry.path, status: statusOf(entry), users: before !== undefined, ...(wasIgnored ? { wasIgnored } : {}) });
  }
  const silent = [...users].filter(([path]) => !status.has(path) && !committed.has(path));
  for (const [path, before] of silent) {
    const now = await idOfPath(repo.root, path, before, hash);
    if (now !== before) changed.push({ path, status: now === 'absent' || now === 'folder' ? 'deleted' : 'modified', users: true });
  }
  return changed.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** The paths whose committed content differs between two commits; none when they are the same or one is missing. */
export async function pathsBetween(root: string, from: string | null, to: string | null): Promise<Set<string>> {
  if (from === null || to === null || from === to) return new Set();
  const { stdout } = await git(root, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to]);
  return new Set(records(stdout));
}

async function snapshot(root: string): Promise<Baseline> {
  const found = await readStatus(root);
  const { entries: status, head } = found;
  const hash = hashName(head);
  const pairs = await inBatches(
    [...status.values()],
    async (entry): Promise<[string, ContentId]> => [entry.path, await idOf(root, entry, hash)],
  );
  return { head, files: Object.fromEntries(pairs), staged: stagingOf(found) };
}

function statusOf(entry: StatusEntry): ChangedFile['status'] {
  if (!entry.inTree) return 'deleted';
  return entry.inHead ? 'modified' : 'added';
}

async function idOf(root: string, entry: StatusEntry, hash: HashName): Promise<ContentId> {
  if (!entry.inTree) return 'absent';
  return entry.submodule ? submoduleId(join(root, entry.path)) : contentId(root, entry.path, hash);
}

async function idOfPath(root: string, path: string, before: ContentId, hash: HashName): Promise<ContentId> {
  return before.startsWith('160000:') ? submoduleId(join(root, path)) : contentId(root, path, hash);
}

/** A submodule is known by its commit and by what is dirty inside. */
async function submoduleId(folder: string): Promise<ContentId> {
  // Without its own .git, git would answer for the repository around it.
  if (!existsSync(join(folder, '.git'))) return '160000:none';
  const { head, files } = await snapshot(folder);
  const inside = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return `160000:${head}:${createHash('sha256').update(JSON.stringify(inside)).digest('hex')}`;
}

/** Commit ids are as long as blob ids, so one tells which hash this repository uses. */
export function hashName(head: string | null): HashName {
  return head !== null && head.length === 64 ? 'sha256' : 'sha1';
}

async function keepContents(root: string, files: Record<string, ContentId>): Promise<void> {
  const paths = Object.entries(files)
    .filter(([, id]) => blobIn(id) !== null)
    .map(([path]) => quoted(path));
  if (paths.length === 0) return;
  // Only a convenience: a full disk or a read-only repository must not keep a session from starting.
  await git(root, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input: `${paths.join('\n')}\n`, okCodes: [0, 1, 128] });
}

/** The list is read line by line, so names are quoted the way git quotes them. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}
