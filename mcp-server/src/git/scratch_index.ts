import { randomBytes } from 'node:crypto';
import { copyFile, lstat, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { look } from './content.ts';
import { diskFailure } from './failure.ts';
import type { Repository } from './repository.ts';
import { git, records } from './run.ts';

/**
 * A second index beside the user's. Commits and merges are made with it, so that what the user staged is neither
 * committed nor in the way, and so that the user's index is as it was whenever something fails.
 */
export interface ScratchIndex {
  file: string;
  /** For the environment of the git commands that shall use it. */
  env: { GIT_INDEX_FILE: string };
}

/** One entry that differs between two trees, or between a tree and an index. */
export interface TreeChange {
  path: string;
  oldMode: string;
  oldBlob: string;
  newMode: string;
  newBlob: string;
}

const ABSENT = '000000';

const COMPARE = /^readygate-compare-.*index(\.lock)?$/;
/** Far longer than any comparison takes. Process ids would not tell: another container may have made the file. */
const LEFTOVER_MS = 24 * 60 * 60_000;

/**
 * The place of the scratch index for one kind of work. What is done under the session's lock has a name of its own, so
 * that a file that a crash left there is found again. Comparing is done without the lock, so each has a new place.
 */
export function scratchIndex(repo: Repository, purpose: 'commit' | 'discard' | 'merge' | 'compare'): ScratchIndex {
  const unique = purpose === 'compare' ? `${process.pid}-${randomBytes(6).toString('hex')}-` : '';
  const file = join(repo.gitDir, `readygate-${purpose}-${unique}index`);
  return { file, env: { GIT_INDEX_FILE: file } };
}

/** Removes what comparisons of crashed processes left behind a day ago or earlier; never fails. */
export async function clearLeftovers(repo: Repository, now: number = Date.now()): Promise<void> {
  const names = await readdir(repo.gitDir).catch((): string[] => []);
  for (const name of names.filter((one) => COMPARE.test(one))) {
    const file = join(repo.gitDir, name);
    // A fresh copy of the user's index has that one's time of change.
    const made = await lstat(file).catch(() => null);
    if (made && now - made.ctimeMs > LEFTOVER_MS) await rm(file, { force: true }).catch(() => undefined);
  }
}

/** Fills a scratch index with HEAD. Copying the user's index first keeps what git knows about unchanged files. */
export async function fillFromHead(repo: Repository, scratch: ScratchIndex): Promise<void> {
  await dropScratch(scratch);
  try {
    const index = join(repo.gitDir, 'index');
    const { atime, mtimeMs } = await stat(index);
    await copyFile(index, scratch.file);
    // Git distrusts entries as new as the index itself. A copy that looks newer would hide a change made in that second.
    await utimes(scratch.file, atime, Math.floor(mtimeMs / 1000) - 1);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw diskFailure(`writing ${scratch.file}`, error);
  }
  await git(repo.root, ['read-tree', '--reset', 'HEAD'], { env: scratch.env });
}

/** Removes a scratch index; never fails. */
export async function dropScratch(scratch: ScratchIndex): Promise<void> {
  await rm(scratch.file, { force: true }).catch(() => undefined);
  await rm(`${scratch.file}.lock`, { force: true }).catch(() => undefined);
}

/**
 * Puts the work tree's state of exactly these paths into a scratch index: content, mode, link, or that they are gone.
 * A path in `removed` is taken out even if something is at that place.
 */
export async function takePaths(
  repo: Repository,
  scratch: ScratchIndex,
  paths: string[],
  removed: ReadonlySet<string> = new Set(),
): Promise<void> {
  const present: string[] = [];
  const gone: string[] = [];
  for (const path of paths) {
    const stats = removed.has(path) ? null : await look(repo.root, path);
    const folder = stats?.isDirectory() === true && !(await isSubmodule(repo, path));
    (stats === null || folder ? gone : present).push(path);
  }
  await updateIndex(repo, scratch, ['--force-remove'], gone);
  await updateIndex(repo, scratch, ['--add', '--replace'], present);
}

/** What differs between two trees, path by path, without guessing renames. */
export async function treeChanges(root: string, from: string, to: string): Promise<TreeChange[]> {
  return parseRaw((await git(root, ['diff-tree', '-r', '--raw', '-z', '--no-renames', '--no-abbrev', from, to])).stdout);
}

/** What differs between a tree and an index (the user's, or a scratch index). */
export async function indexChanges(root: string, tree: string, scratch?: ScratchIndex): Promise<TreeChange[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none', tree];
  return parseRaw((await git(root, args, scratch ? { env: scratch.env } : {})).stdout);
}

/**
 * Brings the user's index from commit `from` to commit `to`. Paths in `own` are set whatever is staged; any other
 * only if the user had not staged something of their own there. Doing it twice changes nothing more.
 */
export async function bringIndexTo(repo: Repository, from: string, to: string, own: ReadonlySet<string> = new Set()): Promise<void> {
  const staged = new Set((await indexChanges(repo.root, from)).map((change) => change.path));
  const target = new Map((await treeChanges(repo.root, from, to)).map((change) => [change.path, change]));
  const changes = [...target.values()].filter((change) => own.has(change.path) || !staged.has(change.path));
  const reset = (
    await entriesOf(
      repo.root,
      to,
      [...own].filter((path) => staged.has(path) && !target.has(path)),
    )
  ).values();
  const targets = changes.map((change) => ({ path: change.path, mode: change.newMode, blob: change.newBlob }));
  await forgetStats(repo, [...targets, ...reset]);
}

/** An entry for `setEntries`; mode 000000 takes the path out. `stage` is 1 to 3 for a conflict. */
export interface IndexEntry {
  path: string;
  mode: string;
  blob: string;
  stage?: number;
}

/** Sets entries of an index exactly, without looking at the work tree. */
export async function setEntries(repo: Repository, entries: IndexEntry[], scratch?: ScratchIndex): Promise<void> {
  if (entries.length === 0) return;
  const line = (entry: IndexEntry) => `${entry.mode} ${entry.blob} ${entry.stage ?? 0}\t${entry.path}\0`;
  const gone = entries.filter((entry) => entry.mode === ABSENT);
  const present = entries.filter((entry) => entry.mode !== ABSENT);
  await git(repo.root, ['update-index', '--replace', '-z', '--index-info'], {
    input: [...gone.map((entry) => `0 ${entry.blob}\t${entry.path}\0`), ...present.map(line)].join(''),
    ...(scratch ? { env: scratch.env } : {}),
  });
}

/**
 * Sets entries of the user's index for files that were written without it. Git has to look at such a file anew: it
 * takes one whose size is not the remembered one for changed, and line ends alone can do that.
 */
export async function forgetStats(repo: Repository, entries: IndexEntry[]): Promise<void> {
  await setEntries(repo, entries);
  await git(repo.root, ['update-index', '-q', '--refresh'], { okCodes: [0, 1] });
}

/** The entries of these paths in a tree; a path that is not there has mode 000000. */
export async function entriesOf(root: string, tree: string, paths: string[]): Promise<Map<string, IndexEntry>> {
  const entries = new Map<string, IndexEntry>();
  if (paths.length === 0) return entries;
  const { stdout } = await git(root, ['ls-tree', '-r', '-z', '--full-tree', tree]);
  const wanted = new Set(paths);
  let length = 40;
  for (const record of records(stdout)) {
    const tab = record.indexOf('\t');
    const path = record.slice(tab + 1);
    const [mode = ABSENT, , blob = ''] = record.slice(0, tab).split(' ');
    length = blob.length;
    if (wanted.has(path)) entries.set(path, { path, mode, blob });
  }
  const none = '0'.repeat(length);
  for (const path of paths) if (!entries.has(path)) entries.set(path, { path, mode: ABSENT, blob: none });
  return entries;
}

/** The paths that an index holds as conflicts, each with its stages. */
export async function conflictEntries(root: string, scratch?: ScratchIndex): Promise<IndexEntry[]> {
  const { stdout } = await git(root, ['ls-files', '-u', '-z', '--full-name'], scratch ? { env: scratch.env } : {});
  return records(stdout).map((record) => {
    const tab = record.indexOf('\t');
    const [mode = ABSENT, blob = '', stage = '0'] = record.slice(0, tab).split(' ');
    return { path: record.slice(tab + 1), mode, blob, stage: Number(stage) };
  });
}

async function updateIndex(repo: Repository, scratch: ScratchIndex, how: string[], paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await git(repo.root, ['update-index', ...how, '-z', '--stdin'], { input: paths.map((path) => `${path}\0`).join(''), env: scratch.env });
}

async function isSubmodule(repo: Repository, path: string): Promise<boolean> {
  return (await look(repo.root, `${path}/.git`)) !== null;
}

function parseRaw(stdout: string): TreeChange[] {
  const parts = records(stdout);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (parts[at] ?? '').slice(1).split(' ');
    changes.push({ path: parts[at + 1] ?? '', oldMode, oldBlob, newMode, newBlob });
  }
  return changes;
}
