/** Puts the work tree back to a fingerprint; what was there is kept first. */
import fs from 'node:fs';
import { join } from 'node:path';
import { type Discarded, discard } from '../git/discard.ts';
import { diskFailure } from '../git/failure.ts';
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run.ts';
import type { Fingerprint, Unseen } from './fingerprint.ts';
import { putStagingBack } from './staging.ts';
import { unwatchedPaths } from './unwatched.ts';

export interface Undo {
  repo: Repository | null;
  root: string;
  fingerprint: Fingerprint;
  /** What `changedSince` gave. No other file is touched. */
  files: readonly Unseen[];
  /** Each undo keeps its copies in a new numbered folder below. */
  keepDir: string;
}

export interface Undone extends Discarded {
  /** Paths whose index entry was put back. */
  restaged: string[];
}

const MOVED = 'The branch or commit that is checked out changed, and this file with it; git checkout or git reset brings it back.';
const UNWATCHED = 'Git was told not to look at it (assume-unchanged or skip-worktree), so it keeps no copy; bring it back yourself.';
const NO_COPY = 'Without git there is no copy of what it held before; bring it back yourself, or let the user accept it.';

/** Git has to look at a file before it can give it back. Only marks made since the fingerprint are taken off. */
async function watchAgain(repo: Repository, paths: readonly string[]): Promise<void> {
  const hidden = new Set(await unwatchedPaths(repo.root));
  const marked = paths.filter((path) => hidden.has(path));
  if (marked.length === 0) return;
  const input = marked.map((path) => `${path}\0`).join('');
  for (const option of ['--no-assume-unchanged', '--no-skip-worktree'])
    await git(repo.root, ['update-index', option, '-z', '--stdin'], { input });
}

async function undoWithGit(
  repo: Repository,
  fingerprint: Fingerprint & { kind: 'git' },
  files: readonly Unseen[],
  keepDir: string,
): Promise<Undone> {
  const paths = files.filter(({ status }) => status !== 'index').map(({ path }) => path);
  await watchAgain(
    repo,
    paths.filter((path) => fingerprint.unwatched[path] === undefined),
  );
  const done = await discard(repo, { files: paths, saveDir: keepDir, baseline: fingerprint.baseline });
  const told = new Set([...done.undone, ...done.left.map(({ path }) => path)]);
  const left = paths
    .filter((path) => !told.has(path))
    .map((path) => ({ path, message: fingerprint.unwatched[path] === undefined ? MOVED : UNWATCHED }));
  const { head, staged } = fingerprint.baseline;
  // The work tree is as it was by now, so that what is in the index only can be told.
  const restaged = staged ? await putStagingBack(repo, head, staged, keepDir) : [];
  return { ...done, left: [...done.left, ...left], restaged };
}

function nextFolder(keepDir: string): string {
  fs.mkdirSync(keepDir, { recursive: true });
  const taken = fs.readdirSync(keepDir).map((name) => Number.parseInt(name, 10) || 0);
  return join(keepDir, String(Math.max(0, ...taken) + 1).padStart(3, '0'));
}

/** Without git only what was added can be undone: it is moved away. */
function undoWithoutGit(root: string, files: readonly Unseen[], keepDir: string): Undone {
  const added = files.filter(({ status }) => status === 'added').map(({ path }) => path);
  const left = files.filter(({ status }) => status !== 'added').map(({ path }) => ({ path, message: NO_COPY }));
  if (added.length === 0) return { saved: null, undone: [], left, restaged: [] };
  try {
    const saved = nextFolder(keepDir);
    for (const path of added) {
      const kept = join(saved, 'files', path);
      fs.mkdirSync(join(kept, '..'), { recursive: true });
      fs.cpSync(join(root, path), kept, { preserveTimestamps: true, verbatimSymlinks: true });
      fs.rmSync(join(root, path));
    }
    return { saved, undone: added, left, restaged: [] };
  } catch (error) {
    throw diskFailure(`keeping changed files in ${keepDir}`, error);
  }
}

/**
 * Undoes these changes. A file that was dirty when the fingerprint was taken gets the content it had then, every other
 * one that of HEAD; new files go. What was staged is staged again, and nothing else, unless HEAD moved. What cannot be undone is in `left`, as it was.
 * @returns where the copies are, what was undone, and what was left and why
 * @throws GitFailed when the copies cannot be kept; then nothing was undone
 */
export function undo({ repo, root, fingerprint, files, keepDir }: Undo): Promise<Undone> {
  if (fingerprint.kind === 'git' && repo) return undoWithGit(repo, fingerprint, files, keepDir);
  return Promise.resolve().then(() => undoWithoutGit(root, files, keepDir));
}
