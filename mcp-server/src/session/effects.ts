/** Carries out the engine's effects with git. One function for each effect of state/phases.json. */
import fs from 'node:fs';
import path from 'node:path';
import type { Effect, EffectResults, MessageRef, SessionState } from '../flow/types.ts';
import { createTaskBranch, taskBranchName, tipOf } from '../git/branches.ts';
import { commitReviewed, discard } from '../git/commit.ts';
import { deleteEmptyTaskBranch, leaveBranch, mergeBaseIntoTask, mergeTask } from '../git/merge.ts';
import { pushAndOpenPullRequest } from '../git/pull_request.ts';
import { currentBranch, currentHead, type Repository } from '../git/repository.ts';
import { GitFailed } from '../git/run.ts';
import { keptStaged } from '../git/staged.ts';
import { resolveStale } from '../git/stale.ts';
import { readStatus } from '../git/status.ts';
import { discardFolder, stagedFolder } from '../state/layout.ts';
import { clearBaseline, usersFiles } from './baseline-file.ts';

export interface Carried {
  results: EffectResults;
  /** Said with the next instruction: how to get a branch back, where a pull request is. */
  notes: MessageRef[];
}

interface Work {
  state: SessionState;
  repo: Repository;
  /** HEAD before the first attempt at these effects: a commit that a cut-off one made is found again by it. */
  parent: string | null;
  carried: Carried;
}

/** Ties commits and merges to the session whose journal tells how they came about. */
export const TRAILER = 'Readygate-Session';

const titleOf = (state: SessionState): string => (state.task.split('\n')[0] ?? '').slice(0, 70).trim();

function branchAndBase(state: SessionState): { branch: string; base: string } {
  const { branch, base } = state.git ?? {};
  if (!branch || !base)
    throw new GitFailed('the session has no task branch', { command: ['git', 'branch'], stderrTail: 'the session has no task branch' });
  return { branch, base };
}

async function resolveBranches({ state, repo, carried }: Work, choice: 'delete' | 'merge' | 'continue'): Promise<void> {
  const { done, adopted, left, failed } = await resolveStale(repo, { choice });
  const branch = (await currentBranch(repo.root)) ?? state.git?.base ?? '';
  if (adopted) clearBaseline(repo.root, state.session, await currentHead(repo.root));
  carried.results.resolve_stale = {
    branch,
    adopted: adopted ? { name: adopted.name, base: adopted.base ?? branch } : null,
    incomplete: failed !== null || (choice !== 'continue' && left.length > 0),
    notes: [],
  };
  for (const { detail, restore } of done)
    carried.notes.push(
      restore ? { key: 'part.done_with_way_back', params: { detail, restore } } : { key: 'part.done', params: { detail } },
    );
  if (failed) carried.notes.push({ key: 'part.left_undone', params: failed });
}

async function createBranch({ state, repo, carried }: Work): Promise<void> {
  const name = taskBranchName(state.session);
  const base = (await currentBranch(repo.root)) ?? state.git?.base;
  if (!base)
    throw new GitFailed('HEAD is detached', {
      command: ['git', 'symbolic-ref', 'HEAD'],
      stderrTail: 'HEAD is detached; switch to a branch first',
    });
  // After a crash the branch may be there already, and checked out: then the base is the one remembered.
  const from = base === name ? (state.git?.base ?? base) : base;
  await createTaskBranch(repo, { name, base: from });
  carried.results.create_branch = { name, base: from };
}

async function dropBranch({ state, repo, carried }: Work): Promise<void> {
  const { deleted } = await deleteEmptyTaskBranch(repo, branchAndBase(state));
  carried.results.drop_branch = { dropped: deleted };
}

async function merge({ state, repo, carried }: Work, strategy: 'merge' | 'leave_branch' | 'pull_request'): Promise<void> {
  const { branch, base } = branchAndBase(state);
  const params = { branch, base };
  const nothing = () => {
    carried.results.merge = { status: 'nothing', files: [], commit: null, note: '' };
    carried.notes.push({ key: 'part.summary.nothing', params });
  };
  const committed = (state.git?.commits.length ?? 0) > 0;
  // An empty branch is no work to leave, or to ask anybody to merge.
  if (!committed && strategy !== 'merge' && (await deleteEmptyTaskBranch(repo, { branch, base })).deleted) return nothing();
  if (strategy === 'leave_branch') {
    await leaveBranch(repo, { branch, base, kind: 'leave_branch' });
    carried.results.merge = { status: 'left', files: [], commit: null, note: '' };
    carried.notes.push({ key: 'part.summary.left', params });
    return;
  }
  if (strategy === 'pull_request') {
    const { url, message } = await pushAndOpenPullRequest(repo, { branch, base, title: titleOf(state) || branch, body: state.task });
    await leaveBranch(repo, { branch, base, kind: 'pull_request' });
    carried.results.merge = { status: 'opened', files: [], commit: null, note: url ?? '' };
    // Without gh and glab the branch was pushed, and opening the request is left to the user.
    carried.notes.push(
      message ? { key: 'part.done', params: { detail: message } } : { key: 'part.summary.opened', params: { ...params, note: url ?? '' } },
    );
    return;
  }
  const message = `Merge ${branch}: ${titleOf(state) || branch}\n\n${TRAILER}: ${state.session}`;
  const done = await mergeTask(repo, { branch, base, message });
  if (!committed && done.status === 'merged' && done.commit === null) return nothing();
  // A first attempt was cut off after it had removed the empty branch.
  if (!committed && done.status === 'blocked' && (await tipOf(repo, branch)) === null && (await tipOf(repo, base)) !== null) {
    await deleteEmptyTaskBranch(repo, { branch, base });
    return nothing();
  }
  if (done.status === 'merged') {
    carried.results.merge = { status: 'merged', files: [], commit: done.commit, note: '' };
    carried.notes.push({ key: 'part.summary.merged', params });
    return;
  }
  carried.results.merge = { status: done.status, files: done.files, commit: null, note: done.status === 'blocked' ? done.message : '' };
  if (done.status === 'blocked') carried.notes.push({ key: 'part.blocked', params: { ...params, note: done.message } });
}

/** The copies that a cut-off attempt at the same discard made; the folder belongs to this revision alone. */
function savedBefore(saveDir: string): string | null {
  const folders = fs.existsSync(saveDir) ? fs.readdirSync(saveDir).filter((name) => /^\d+$/.test(name)) : [];
  const newest = folders.sort().at(-1);
  return newest === undefined ? null : path.join(saveDir, newest);
}

async function carryOut(effect: Effect, work: Work): Promise<void> {
  const { state, repo, parent, carried } = work;
  switch (effect.do) {
    case 'resolve_stale':
      return resolveBranches(work, effect.choice);
    case 'create_branch':
      return createBranch(work);
    case 'drop_branch':
      return dropBranch(work);
    case 'discard': {
      const saveDir = discardFolder(repo.root, state.session, state.rev);
      const baseline = usersFiles(repo.root, state.session);
      const files = effect.files.map((file) => file.path);
      const done = await discard(repo, { files, saveDir, ...(baseline ? { baseline } : {}) });
      const saved = done.saved ?? savedBefore(saveDir);
      const { left } = done;
      carried.results.discard = { saved };
      if (saved) carried.notes.push({ key: 'part.discarded', params: { count: files.length - left.length, folder: saved } });
      for (const { path, message } of left) carried.notes.push({ key: 'part.left_undone', params: { name: path, message } });
      return;
    }
    case 'commit': {
      const keepDir = stagedFolder(repo.root, state.session, state.rev);
      const { entries } = await readStatus(repo.root);
      const unnamable = effect.files.filter((file) => entries.get(file)?.unnamable);
      const { commit } = await commitReviewed(repo, {
        files: effect.files.filter((file) => !unnamable.includes(file)),
        message: effect.message,
        merging: effect.merging,
        trailers: { [TRAILER]: state.session },
        ...(parent ? { parent } : {}),
        keepDir,
      });
      const staged = (await keptStaged(keepDir)).map(({ path, file }) => ({ path, kept: file }));
      carried.results.commit = {
        commit,
        ...(commit === null ? { status: 'nothing' as const } : {}),
        ...(staged.length > 0 ? { staged } : {}),
        ...(unnamable.length > 0 ? { unnamable } : {}),
      };
      return;
    }
    case 'merge':
      return merge(work, effect.strategy);
    case 'merge_base': {
      const { branch, base } = branchAndBase(state);
      const done = await mergeBaseIntoTask(repo, { branch, base });
      carried.results.merge_base = { status: done.status, files: done.files };
    }
  }
}

/** Carries out effects in order. @throws GitFailed at the first that fails; those before it stay done, and can be repeated. */
export async function carryOutAll(
  effects: readonly Effect[],
  state: SessionState,
  repo: Repository,
  parent: string | null,
): Promise<Carried> {
  const carried: Carried = { results: {}, notes: [] };
  for (const effect of effects) await carryOut(effect, { state, repo, parent, carried });
  return carried;
}
