import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { undoToHead } from './discard.ts';
import { currentHead, type Repository } from './repository.ts';
import { git, records } from './run.ts';
import { dropScratch, fillFromHead, indexChanges, type ScratchIndex, scratchIndex, takePaths, treeChanges } from './scratch_index.ts';
import { readStatus } from './status.ts';

const ABSENT = '000000';
const SUBMODULE = '160000';

/**
 * Files of the user's that lie where a merge of `from..to` would make new ones. Git itself overwrites ignored files
 * there without a word.
 */
export async function filesInTheWay(repo: Repository, from: string, to: string): Promise<string[]> {
  const changes = await treeChanges(repo.root, from, to);
  const added = changes.filter((change) => change.oldMode === ABSENT && change.newMode !== SUBMODULE).map((change) => change.path);
  if (added.length === 0) return [];
  const tracked = new Set(records((await git(repo.root, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'])).stdout));
  // Where the file system folds case, a renamed file finds itself in its way.
  const leaving = new Set(changes.filter((change) => change.newMode === ABSENT).map((change) => change.path.toLowerCase()));
  const found = new Set<string>();
  for (const path of added) {
    if (tracked.has(path) || leaving.has(path.toLowerCase())) continue;
    for (const obstacle of await obstaclesAt(repo.root, path, tracked)) found.add(obstacle);
  }
  return [...found].sort();
}

async function obstaclesAt(root: string, path: string, tracked: ReadonlySet<string>): Promise<string[]> {
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const stats = await lstat(join(root, parent)).catch(() => null);
    if (stats && !stats.isDirectory()) return tracked.has(parent) ? [] : [parent];
  }
  const stats = await lstat(join(root, path)).catch(() => null);
  if (!stats) return [];
  return stats.isDirectory() ? filesNotIn(root, path, tracked) : [path];
}

async function filesNotIn(root: string, folder: string, tracked: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesNotIn(root, path, tracked)));
    else if (!tracked.has(path)) found.push(path);
  }
  return found;
}

/** The changed files of the work tree that going from one commit to another touches. */
export async function changedFilesTouched(repo: Repository, from: string, to: string): Promise<string[]> {
  const touched = (await treeChanges(repo.root, from, to)).map((change) => change.path);
  const whole = new Set(touched);
  const folders = new Set(touched.flatMap(parentsOf));
  const dirty = [...(await readStatus(repo.root)).entries.keys()];
  return dirty.filter((path) => whole.has(path) || folders.has(path) || parentsOf(path).some((parent) => whole.has(parent))).sort();
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) parents.push(path.slice(0, at));
  return parents;
}

/**
 * Clears what a git that was killed half way left in the work tree: files that are exactly as one of these commits has
 * them. Nothing is lost by that. Does nothing and returns false if any of the files holds something else.
 */
export async function clearHalfDone(repo: Repository, files: string[], commits: string[]): Promise<boolean> {
  const head = await currentHead(repo.root);
  if (files.length === 0 || head === null) return false;
  const scratch = scratchIndex(repo, 'compare');
  try {
    await fillFromHead(repo, scratch);
    await takePaths(repo, scratch, files);
    // Index and work tree may have got to different points, but both have to be somewhere known.
    if (!(await allWithin(repo, files, [head, ...commits]))) return false;
    if (!(await allWithin(repo, files, commits, scratch))) return false;
  } finally {
    await dropScratch(scratch);
  }
  return (await undoToHead(repo, files)).length === 0;
}

/** Whether an index has each of these paths exactly as one of the commits has it. */
async function allWithin(repo: Repository, paths: string[], commits: string[], scratch?: ScratchIndex): Promise<boolean> {
  const different: Set<string>[] = [];
  for (const commit of commits) different.push(new Set((await indexChanges(repo.root, commit, scratch)).map((change) => change.path)));
  return paths.every((path) => different.some((changes) => !changes.has(path)));
}
