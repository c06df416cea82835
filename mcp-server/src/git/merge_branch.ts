import { existsSync } from 'node:fs';
import { branchExists, checkedOutElsewhere, removeBranch, switchTo, tipOf } from './branches.ts';
import { GitFailed } from './failure.ts';
import { changedFilesTouched, clearHalfDone, filesInTheWay } from './obstacles.ts';
import { commitOf, currentBranch, currentHead, type Repository } from './repository.ts';
import { git } from './run.ts';
import {
  bringIndexTo,
  conflictEntries,
  dropScratch,
  entriesOf,
  fillFromHead,
  forgetStats,
  indexChanges,
  scratchIndex,
} from './scratch_index.ts';

export type MergeResult =
  /** `commit` is null when the branch had nothing to merge; `moved` says that the base had gone on meanwhile. */
  | { status: 'merged'; commit: string | null; moved: boolean }
  /** Nothing was changed: the merge was undone. */
  | { status: 'conflict'; files: string[] }
  /** Nothing was changed: these files of the user's, or what the message says, is in the way. */
  | { status: 'blocked'; files: string[]; message: string };

export interface MergeRequest {
  branch: string;
  base: string;
  message?: string;
  /** The branch to be on when the merge does not come about. */
  returnTo: string;
}

/**
 * Switches to the base, merges with --no-ff and removes the branch. Ends on the base, or, when nothing was merged, on
 * `returnTo`. Can be run again after it was interrupted anywhere.
 */
export async function mergeBranch(repo: Repository, request: MergeRequest): Promise<MergeResult> {
  const { branch, base } = request;
  const tip = await tipOf(repo, branch);
  if (tip === null) return mergedBefore(repo, request);
  const refusal = await whyNot(repo, branch, base, tip);
  if (refusal) return refusal;
  await abandonInterrupted(repo, base, tip);
  const start = (await currentHead(repo.root)) ?? tip;
  const target = (await tipOf(repo, base)) ?? tip;
  const blocked = await goTo(repo, base, [start, target, tip]);
  if (blocked) return blocked;
  const done = await alreadyIn(repo, target, tip);
  if (done) {
    await removeBranch(repo, branch, tip);
    return done;
  }
  const message = request.message ?? `Merge branch '${branch}' into ${base}`;
  const back = () => switchTo(repo, request.returnTo);
  const result = await mergeIntoHead(repo, { other: tip, label: branch, message }).catch(async (error: unknown) => {
    await back();
    throw error;
  });
  if (result.status === 'merged') await removeBranch(repo, branch, tip);
  else await back();
  return result;
}

/** Merges a commit into HEAD in an index of its own, so that what the user staged is not in the way. */
async function mergeIntoHead(
  repo: Repository,
  { other, label, message }: { other: string; label: string; message: string },
): Promise<MergeResult> {
  const head = (await currentHead(repo.root)) ?? '';
  const moved = (await mergeBase(repo, head, other)) !== head;
  const scratch = scratchIndex(repo, 'merge');
  const outcome = await tryMerge(repo, { other, label, message });
  switch (outcome.status) {
    case 'merged':
      await bringIndexTo(repo, head, outcome.commit);
      await dropScratch(scratch);
      return { ...outcome, moved };
    case 'conflict':
      await abortMerge(repo);
      return outcome;
    default:
      return outcome;
  }
}

export type TriedMerge =
  | { status: 'merged'; commit: string }
  | { status: 'conflict'; files: string[] }
  | { status: 'blocked'; files: string[]; message: string };

/**
 * Runs the merge with the scratch index. A conflict is left open, in the work tree and in the scratch index; anything
 * else that goes wrong is undone, and thrown as GitFailed when it is not the user's files.
 */
export async function tryMerge(
  repo: Repository,
  { other, label, message }: { other: string; label: string; message: string },
): Promise<TriedMerge> {
  const head = (await currentHead(repo.root)) ?? '';
  const from = (await mergeBase(repo, head, other)) ?? head;
  const hidden = await filesInTheWay(repo, from, other);
  if (hidden.length > 0 && !(await clearHalfDone(repo, hidden, [other]))) return inTheWay(hidden, label);
  const scratch = scratchIndex(repo, 'merge');
  // A tag may have the branch's name, and git would take the tag.
  const name = (await commitOf(repo.root, label)) === other ? label : other;
  const merge = () => runMerge(repo, name, message);
  await fillFromHead(repo, scratch);
  let failed = await merge();
  if (failed && (await isUntouched(repo))) {
    const files = await changedFilesTouched(repo, from, other);
    if (await clearHalfDone(repo, files, [head, other])) failed = await merge();
    else if (files.length > 0) {
      await dropScratch(scratch);
      return inTheWay(files, label);
    }
  }
  const now = await currentHead(repo.root);
  if (now !== null && now !== head && (await commitOf(repo.root, `${now}^2`)) === other) return { status: 'merged', commit: now };
  if (!failed) throw new GitFailed(`git merge of ${label} made no commit.`, { command: ['git', 'merge', label] });
  const files = [...new Set((await conflictEntries(repo.root, scratch)).map((entry) => entry.path))];
  if (files.length > 0) return { status: 'conflict', files };
  // A hook refused, or git does not know who the user is.
  await abortMerge(repo);
  throw failed;
}

async function runMerge(repo: Repository, name: string, message: string): Promise<GitFailed | null> {
  const { env } = scratchIndex(repo, 'merge');
  const how = ['--no-ff', '--commit', '--no-squash', '--no-edit', '--no-autostash', '--no-rerere-autoupdate', '--cleanup=whitespace', '-q'];
  try {
    await git(repo.root, ['merge', ...how, '-m', message, name], { env, hooks: true });
    return null;
  } catch (error) {
    if (error instanceof GitFailed) return error;
    throw error;
  }
}

/** Gives up an open merge that was made with the scratch index, or, where that is gone, with the user's. */
async function abortMerge(repo: Repository): Promise<void> {
  const scratch = scratchIndex(repo, 'merge');
  const ours = existsSync(scratch.file);
  const head = (await currentHead(repo.root)) ?? 'HEAD';
  const written = ours ? (await indexChanges(repo.root, head, scratch)).map((change) => change.path) : [];
  if (!(await isUntouched(repo))) {
    await git(repo.root, ['merge', '--abort'], ours ? { env: scratch.env } : {}).catch(async (error: unknown) => {
      // With a lock in the way git undoes the merge and only then complains.
      if (!(await isUntouched(repo))) throw error;
    });
  }
  await dropScratch(scratch);
  const staged = new Set((await indexChanges(repo.root, head)).map((change) => change.path));
  const entries = await entriesOf(repo.root, head, written);
  await forgetStats(
    repo,
    [...entries.values()].filter((entry) => !staged.has(entry.path)),
  );
}

/** Shows an open merge in the user's index too: what merged by itself as staged, conflicts as conflicts. */
export async function showOpenMerge(repo: Repository): Promise<void> {
  const scratch = scratchIndex(repo, 'merge');
  if (!existsSync(scratch.file)) return;
  const conflicts = await conflictEntries(repo.root, scratch);
  const open = new Set(conflicts.map((entry) => entry.path));
  const head = (await currentHead(repo.root)) ?? 'HEAD';
  const changes = (await indexChanges(repo.root, head, scratch)).filter((change) => !open.has(change.path));
  const none = '0'.repeat(head.length);
  await forgetStats(repo, [
    ...changes.map((change) => ({ path: change.path, mode: change.newMode, blob: change.newBlob })),
    ...[...open].map((path) => ({ path, mode: '000000', blob: none })),
    ...conflicts,
  ]);
  await dropScratch(scratch);
}

/** Switches to a branch; says which of the user's files would be overwritten, instead of throwing, when that is why not. */
export async function goTo(
  repo: Repository,
  name: string,
  known: string[] = [],
): Promise<{ status: 'blocked'; files: string[]; message: string } | null> {
  const [here, there] = [await currentHead(repo.root), await tipOf(repo, name)];
  try {
    await switchTo(repo, name);
    return null;
  } catch (error) {
    if (!(error instanceof GitFailed) || error.reason === 'hook' || here === null || there === null) throw error;
    const files = await changedFilesTouched(repo, here, there);
    if (await clearHalfDone(repo, files, known)) {
      await switchTo(repo, name);
      return null;
    }
    const all = files.length > 0 ? files : await filesInTheWay(repo, here, there);
    if (all.length === 0) throw error;
    return { status: 'blocked', files: all, message: `Switching to ${name} would overwrite your changes in: ${all.join(', ')}` };
  }
}

/** Where two lines of commits parted. */
export async function mergeBase(repo: Repository, one: string, other: string): Promise<string | null> {
  const { stdout, exitCode } = await git(repo.root, ['merge-base', one, other], { okCodes: [0, 1] });
  return exitCode === 0 ? stdout.trim() : null;
}

function inTheWay(files: string[], label: string): { status: 'blocked'; files: string[]; message: string } {
  return { status: 'blocked', files, message: `Merging ${label} would overwrite your changes in: ${files.join(', ')}` };
}

async function isUntouched(repo: Repository): Promise<boolean> {
  return (await commitOf(repo.root, 'MERGE_HEAD')) === null;
}

async function whyNot(repo: Repository, branch: string, base: string, tip: string): Promise<MergeResult | null> {
  const blocked = (message: string): MergeResult => ({ status: 'blocked', files: [], message });
  if (!(await branchExists(repo, base))) {
    return blocked(`The base branch ${base} does not exist any more. Make it again with: git branch ${base} <commit>`);
  }
  const open = await commitOf(repo.root, 'MERGE_HEAD');
  if (open !== null && !(open === tip && (await currentBranch(repo.root)) === base)) {
    return blocked('A merge is still open in this work tree: finish it, or give it up with: git merge --abort');
  }
  const elsewhere = await checkedOutElsewhere(repo, base);
  if (elsewhere === null) return null;
  const remedy = existsSync(elsewhere) ? 'switch that work tree to another branch' : 'that folder is gone, so run: git worktree prune';
  return blocked(`${base} is checked out in ${elsewhere}, so ${branch} cannot be merged here: ${remedy}`);
}

/** A merge of ours that was interrupted while it was open is given up and made again. */
async function abandonInterrupted(repo: Repository, base: string, tip: string): Promise<void> {
  if ((await commitOf(repo.root, 'MERGE_HEAD')) === tip && (await currentBranch(repo.root)) === base) await abortMerge(repo);
}

async function alreadyIn(repo: Repository, base: string, tip: string): Promise<MergeResult | null> {
  if ((await mergeBase(repo, base, tip)) !== tip) return null;
  if ((await commitOf(repo.root, `${base}^2`)) !== tip) return { status: 'merged', commit: null, moved: base !== tip };
  // The merge is there and only what follows it is missing.
  await bringIndexTo(repo, `${base}^`, base);
  await dropScratch(scratchIndex(repo, 'merge'));
  const before = await commitOf(repo.root, `${base}^1`);
  return { status: 'merged', commit: base, moved: before !== null && (await mergeBase(repo, before, tip)) !== before };
}

/** The branch is gone: that is fine if the base holds a merge that names it. */
async function mergedBefore(repo: Repository, { branch, base, message }: MergeRequest): Promise<MergeResult> {
  const gone: MergeResult = { status: 'blocked', files: [], message: `There is no branch ${branch} to merge.` };
  if (!(await branchExists(repo, base))) return gone;
  const format = ['log', '-100', '--merges', '--first-parent', '-z', '--format=%H%n%s', `refs/heads/${base}`];
  const wanted = message?.split('\n', 1)[0]?.trim();
  const found = (await git(repo.root, format)).stdout
    .split('\0')
    .map((record) => record.split('\n', 2))
    .find(([, subject = '']) => subject.includes(`'${branch}'`) || (wanted !== undefined && wanted !== '' && subject === wanted));
  const commit = found?.[0];
  if (!commit) return gone;
  const blocked = await goTo(repo, base);
  if (blocked) return blocked;
  await removeBranch(repo, branch, commit);
  return { status: 'merged', commit, moved: false };
}
