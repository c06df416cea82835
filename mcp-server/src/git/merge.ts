import { hasMarkers } from './commit.ts';
import { GitFailed } from './failure.ts';
import { goTo, type MergeResult, mergeBase, mergeBranch, showOpenMerge, tryMerge } from './merge_branch.ts';
import { commitOf, currentBranch, currentHead, type Repository } from './repository.ts';
import { bringIndexTo, conflictEntries, dropScratch, fillFromHead, indexChanges, scratchIndex, takePaths } from './scratch_index.ts';

export type { MergeResult } from './merge_branch.ts';

/**
 * Merges the task branch into its base with a merge commit and removes the branch. Ends on the base.
 *
 * A base that moved is merged all the same. With `conflict` and `blocked` the work tree is back on the task branch as
 * it was. A branch without commits counts as merged. Throws GitFailed when a hook or a missing identity stops it, then
 * also back on the task branch. May be called again after an interruption.
 */
export async function mergeTask(
  repo: Repository,
  { branch, base, message }: { branch: string; base: string; message?: string },
): Promise<MergeResult> {
  return mergeBranch(repo, { branch, base, returnTo: branch, ...(message === undefined ? {} : { message }) });
}

export type BaseMerge =
  /** Merged and committed; nothing is left to do. */
  | { status: 'clean'; files: string[] }
  /** The merge is open: these files hold conflict markers or wait for a decision. */
  | { status: 'conflict'; files: string[] };

/**
 * Merges the base into the task branch. A conflict stays open in the work tree, for `commitReviewed` with `merging` to
 * finish. Called again while that merge is open, it lists what is still in conflict. Throws GitFailed, with nothing
 * changed, when the merge would overwrite the user's files, when a hook refuses, or when the base is gone.
 */
export async function mergeBaseIntoTask(repo: Repository, { branch, base }: { branch: string; base: string }): Promise<BaseMerge> {
  const other = await commitOf(repo.root, `refs/heads/${base}`);
  if (other === null) throw refusal(`The base branch ${base} does not exist any more.`, base);
  const open = await pendingMerge(repo);
  if (open && (await currentBranch(repo.root)) === branch) {
    await showOpenMerge(repo);
    return { status: 'conflict', files: (await pendingMerge(repo))?.conflicts ?? [] };
  }
  const blocked = await goTo(repo, branch);
  if (blocked) throw refusal(blocked.message, base);
  const head = (await currentHead(repo.root)) ?? '';
  if ((await mergeBase(repo, head, other)) === other) {
    // Merged before, perhaps by a call that was interrupted.
    if ((await commitOf(repo.root, `${head}^2`)) === other) await bringIndexTo(repo, `${head}^`, head);
    return { status: 'clean', files: [] };
  }
  const outcome = await tryMerge(repo, { other, label: base, message: `Merge branch '${base}' into ${branch}` });
  switch (outcome.status) {
    case 'merged':
      await bringIndexTo(repo, head, outcome.commit);
      await dropScratch(scratchIndex(repo, 'merge'));
      return { status: 'clean', files: [] };
    case 'conflict':
      await showOpenMerge(repo);
      return outcome;
    default:
      throw refusal(outcome.message, base);
  }
}

function refusal(message: string, base: string): GitFailed {
  return new GitFailed(message, { command: ['git', 'merge', base], stderrTail: message });
}

export interface PendingMerge {
  /** The commit that is being merged. */
  head: string;
  /** Paths that git's index holds as conflicts. */
  conflicts: string[];
  /** Those of them that still have conflict markers in them. */
  unresolved: string[];
}

/** The merge that is open in this work tree, or null. */
export async function pendingMerge(repo: Repository): Promise<PendingMerge | null> {
  const head = await commitOf(repo.root, 'MERGE_HEAD');
  if (head === null) return null;
  const conflicts = [...new Set((await conflictEntries(repo.root)).map((entry) => entry.path))];
  const unresolved: string[] = [];
  for (const path of conflicts) if (await hasMarkers(repo, path)) unresolved.push(path);
  return { head, conflicts, unresolved };
}

/**
 * Those of `files` that are in the work tree exactly as the base has them, so that they need no review. While a merge
 * is open that is the commit being merged.
 */
export async function filesEqualToBase(repo: Repository, { base, files }: { base: string; files: string[] }): Promise<string[]> {
  const against = (await commitOf(repo.root, 'MERGE_HEAD')) ?? (await commitOf(repo.root, `refs/heads/${base}`));
  if (against === null || files.length === 0) return [];
  const scratch = scratchIndex(repo, 'compare');
  try {
    await fillFromHead(repo, scratch);
    await takePaths(repo, scratch, files);
    const different = new Set((await indexChanges(repo.root, against, scratch)).map((change) => change.path));
    return files.filter((path) => !different.has(path));
  } finally {
    await dropScratch(scratch);
  }
}

export { deleteEmptyTaskBranch, leaveBranch } from './leave.ts';
