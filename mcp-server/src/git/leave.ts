import { branchExists, countAhead, type KeptKind, markKept, removeBranch, tipOf } from './branches.ts';
import { GitFailed } from './failure.ts';
import { goTo } from './merge_branch.ts';
import { commitOf, currentBranch, type Repository } from './repository.ts';

/**
 * Keeps the task branch for the user and ends on the base. The mark in git's configuration makes that the branch is
 * never taken for a stale one. Throws GitFailed, with nothing switched, when that would overwrite the user's files,
 * when a merge is open or when the base is gone.
 */
export async function leaveBranch(
  repo: Repository,
  { branch, base, kind }: { branch: string; base: string; kind: KeptKind },
): Promise<void> {
  if ((await commitOf(repo.root, 'MERGE_HEAD')) !== null) {
    throw refusal('A merge is still open in this work tree: finish it, or give it up with: git merge --abort', base);
  }
  await requireBranch(repo, base);
  if (await branchExists(repo, branch)) await markKept(repo, branch, kind);
  await endOn(repo, base);
}

/**
 * Removes the task branch if it has no commit of its own, and ends on the base; with commits, everything stays as it
 * is. Throws GitFailed, with everything as it was, when the switch would overwrite the user's files or the base is gone.
 */
export async function deleteEmptyTaskBranch(
  repo: Repository,
  { branch, base }: { branch: string; base: string },
): Promise<{ deleted: boolean }> {
  await requireBranch(repo, base);
  const tip = await tipOf(repo, branch);
  if (tip !== null && (await countAhead(repo, base, branch)) > 0) return { deleted: false };
  if ((await currentBranch(repo.root)) === branch) await endOn(repo, base);
  await removeBranch(repo, branch, tip ?? '');
  return { deleted: true };
}

async function endOn(repo: Repository, base: string): Promise<void> {
  const blocked = await goTo(repo, base);
  if (blocked) throw refusal(blocked.message, base);
}

async function requireBranch(repo: Repository, base: string): Promise<void> {
  if (!(await branchExists(repo, base))) throw refusal(`The base branch ${base} does not exist any more.`, base);
}

function refusal(message: string, base: string): GitFailed {
  return new GitFailed(message, { command: ['git', 'switch', base], stderrTail: message });
}
