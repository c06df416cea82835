import { removeBranch, type StaleBranch, saveTip, staleBranch, staleBranches, switchTo, tipOf } from './branches.ts';
import { GitFailed } from './failure.ts';
import { goTo, mergeBranch } from './merge_branch.ts';
import { currentBranch, type Repository } from './repository.ts';

export type StaleChoice = 'delete' | 'merge' | 'continue';

export interface StaleDone {
  name: string;
  action: 'deleted' | 'merged';
  detail: string;
  /** The command that brings a deleted branch back. */
  restore?: string;
}

export interface StaleOutcome {
  done: StaleDone[];
  /** The stale branch that is checked out and now belongs to the session. */
  adopted: { name: string; base: string } | null;
  /** What is stale now. */
  left: StaleBranch[];
  /** Where it stopped; nothing of that branch was changed. */
  failed: { name: string; message: string } | null;
}

/**
 * Carries out what was chosen for the stale branches, one after the other, and stops at the first that cannot be done.
 * Another choice, or the same again, may follow. `except` is the session's own branch.
 */
export async function resolveStale(
  repo: Repository,
  { choice, except = null }: { choice: StaleChoice; except?: string | null },
): Promise<StaleOutcome> {
  const stale = innermostFirst(await staleBranches(repo, { except }));
  if (choice === 'continue') return adopt(stale);
  const start = await currentBranch(repo.root);
  const done: StaleDone[] = [];
  let failed: StaleOutcome['failed'] = null;
  for (const { name } of stale) {
    const step = choice === 'delete' ? await removeStale(repo, name, except) : await mergeStale(repo, name, except);
    if ('message' in step) {
      failed = { name, message: step.message };
      break;
    }
    done.push(step);
  }
  if (start !== null && (await tipOf(repo, start)) !== null) {
    const message = await failureOf(() => switchTo(repo, start));
    if (message !== null) failed ??= { name: start, message };
  }
  return { done, adopted: null, left: await staleBranches(repo, { except }), failed };
}

/** Deletes one stale branch: saves its tip, leaves it if it is checked out, removes it. */
export async function removeStale(repo: Repository, name: string, except: string | null): Promise<StaleDone | { message: string }> {
  // Looked at anew: what was done to another branch may have moved this one into the work tree.
  const branch = await staleBranch(repo, name, except);
  const tip = await tipOf(repo, name);
  if (!branch || tip === null) return { name, action: 'deleted', detail: `${name} was gone already` };
  let restore = '';
  const message = await failureOf(async () => {
    if (branch.checked_out) await leaveForBase(repo, branch);
    const ref = await saveTip(repo, name, tip);
    restore = `git branch ${name} ${ref}`;
    await removeBranch(repo, name, tip);
  });
  if (message !== null) return { message };
  return { name, action: 'deleted', detail: `${name} (${commits(branch.ahead)}) was deleted`, restore };
}

async function mergeStale(repo: Repository, name: string, except: string | null): Promise<StaleDone | { message: string }> {
  const branch = await staleBranch(repo, name, except);
  if (!branch) return { name, action: 'merged', detail: `${name} was gone already` };
  const { base } = branch;
  if (base === null || !branch.base_exists) return { message: noBase(branch) };
  const start = (await currentBranch(repo.root)) ?? base;
  let detail = '';
  const message = await failureOf(async () => {
    const result = await mergeBranch(repo, { branch: name, base, returnTo: start });
    if (result.status === 'conflict') {
      throw new GitFailed(`${name} conflicts with ${base} in: ${result.files.join(', ')}. The merge was undone.`, {
        command: ['merge', name],
      });
    }
    if (result.status === 'blocked') throw new GitFailed(result.message, { command: ['merge', name] });
    detail = result.commit === null ? `${name} had nothing that ${base} lacks` : `${name} was merged into ${base} as ${result.commit}`;
  });
  return message === null ? { name, action: 'merged', detail } : { message };
}

async function leaveForBase(repo: Repository, branch: StaleBranch): Promise<void> {
  if (branch.base === null || !branch.base_exists) throw new GitFailed(noBase(branch), { command: ['switch'] });
  const blocked = await goTo(repo, branch.base);
  if (blocked) {
    throw new GitFailed(`${blocked.message}. Commit or stash them, or choose continue.`, { command: ['switch', branch.base] });
  }
}

async function adopt(stale: StaleBranch[]): Promise<StaleOutcome> {
  const here = stale.find((branch) => branch.checked_out);
  const nothing: StaleOutcome = { done: [], adopted: null, left: stale, failed: null };
  if (!here) return nothing;
  if (here.base === null || !here.base_exists) return { ...nothing, failed: { name: here.name, message: noBase(here) } };
  return { ...nothing, adopted: { name: here.name, base: here.base }, left: stale.filter((branch) => branch !== here) };
}

function noBase({ name, base }: StaleBranch): string {
  const what =
    base === null ? `It is not recorded which branch ${name} was made from.` : `The base ${base} of ${name} does not exist any more.`;
  return `${what} Name one with: git config branch.${name}.readygateBase <branch>, or switch to another branch yourself.`;
}

/** A branch made from another stale branch comes before that one, so that its base is still there. */
function innermostFirst(branches: StaleBranch[]): StaleBranch[] {
  const waiting = [...branches];
  const order: StaleBranch[] = [];
  while (waiting.length > 0) {
    const free = waiting.findIndex((branch) => !waiting.some((other) => other !== branch && other.base === branch.name));
    order.push(...waiting.splice(Math.max(free, 0), 1));
  }
  return order;
}

async function failureOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof GitFailed) return error.message;
    throw error;
  }
}

function commits(count: number | null): string {
  if (count === null) return 'no base to compare with';
  return count === 1 ? '1 commit' : `${count} commits`;
}
