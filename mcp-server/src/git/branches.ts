import { GitFailed } from './failure.ts';
import { commitOf, currentBranch, type Repository } from './repository.ts';
import { git, gitLine, records } from './run.ts';
import { readStatus } from './status.ts';

const BRANCH_PREFIX = 'readygate/';

export type KeptKind = 'leave_branch' | 'pull_request';

/** A task branch of an earlier session that nobody finished. */
export interface StaleBranch {
  name: string;
  /** The branch it was made from; null when that was not recorded. */
  base: string | null;
  base_exists: boolean;
  /** Commits that the base does not have; null when there is no base to compare with. */
  ahead: number | null;
  /** ISO time of its newest commit. */
  last_commit: string;
  /** It is checked out here, and files are changed. */
  dirty: boolean;
  /** It is checked out in this work tree. */
  checked_out: boolean;
  kept: KeptKind | null;
}

/** Any task branch; `elsewhere` is the other work tree that has it checked out. */
export interface TaskBranch extends StaleBranch {
  elsewhere: string | null;
  tip: string;
}

/** The task branch of a session. */
export function taskBranchName(sessionId: string): string {
  return `${BRANCH_PREFIX}${sessionId}`;
}

/**
 * Makes the task branch at HEAD and switches to it; every file stays as it is. Remembers `base` in git's
 * configuration. If the branch is there already, only switches. Throws GitFailed.
 */
export async function createTaskBranch(repo: Repository, { name, base }: { name: string; base: string }): Promise<void> {
  // First the base: a crash in between must not leave a branch of which nobody knows where it belongs.
  await git(repo.root, ['config', '--local', `branch.${name}.readygateBase`, base]);
  if (await branchExists(repo, name)) return switchTo(repo, name);
  const create = ['switch', '-q', '--no-track', '-c', name];
  await git(repo.root, create, { hooks: true }).catch((error: unknown) => unlessOn(repo, name, error));
}

/**
 * All local task branches, with everything that decides what may be done to them; or `only` that one. Takes one git
 * process for each branch, to count its commits, and a few for all of them together.
 */
export async function taskBranches(repo: Repository, only: string | null = null): Promise<TaskBranch[]> {
  const format = ['%(refname:lstrip=2)', '%(objectname)', '%(committerdate:iso-strict)', '%(worktreepath)'].join('%00');
  const { stdout } = await git(repo.root, ['for-each-ref', `--format=${format}%00`, `refs/heads/${only ?? BRANCH_PREFIX}`]);
  if (stdout === '') return [];
  const settings = await branchSettings(repo);
  const current = await currentBranch(repo.root);
  const fields = stdout.split('\0');
  const rows: [name: string, tip: string, last_commit: string, path: string][] = [];
  for (let at = 0; at + 4 < fields.length; at += 4) {
    const [name = '', tip = '', last_commit = '', path = ''] = fields.slice(at, at + 4);
    rows.push([name.replace(/^\n/, ''), tip, last_commit, path]);
  }
  // A name is also a pattern: below a branch that is gone there may be others.
  const found = rows.filter(([name]) => only === null || name === only);
  const baseOf = (name: string): string | null => settings.get(`${name}\0base`) ?? null;
  const existing = await existingBranches(
    repo,
    found.map(([name]) => baseOf(name)).filter((base) => base !== null),
  );
  const branches: TaskBranch[] = [];
  for (const [name, tip, last_commit, path] of found) {
    const base = baseOf(name);
    const base_exists = base !== null && existing.has(base);
    const checked_out = name === current;
    branches.push({
      name,
      base,
      base_exists,
      ahead: base_exists && base !== null ? await countAhead(repo, base, name) : null,
      last_commit,
      dirty: checked_out && (await readStatus(repo.root)).entries.size > 0,
      checked_out,
      kept: keptKind(settings.get(`${name}\0kept`)),
      elsewhere: path !== '' && !checked_out ? path : null,
      tip,
    });
  }
  return branches;
}

/**
 * The stale task branches: local, not `except` (the session's own), not checked out in another work tree, not kept
 * on purpose. Worked out anew by every call.
 */
export async function staleBranches(repo: Repository, { except = null }: { except?: string | null } = {}): Promise<StaleBranch[]> {
  return staleAmong(await taskBranches(repo, null), except);
}

/** One stale task branch, worked out anew; null when it is gone, or not stale any more. */
export async function staleBranch(repo: Repository, name: string, except: string | null): Promise<StaleBranch | null> {
  return staleAmong(await taskBranches(repo, name), except)[0] ?? null;
}

function staleAmong(all: TaskBranch[], except: string | null): StaleBranch[] {
  return all
    .filter((branch) => branch.name !== except && branch.kept === null && branch.elsewhere === null)
    .map(({ elsewhere: _, tip: __, ...branch }) => branch);
}

/** Those of these local branches that are there, asked for in one process. */
async function existingBranches(repo: Repository, names: string[]): Promise<Set<string>> {
  const wanted = new Set(names);
  if (wanted.size === 0) return wanted;
  const refs = [...wanted].map((name) => `refs/heads/${name}`);
  const { stdout } = await git(repo.root, ['for-each-ref', '--format=%(refname:lstrip=2)', ...refs]);
  return new Set(stdout.split('\n').filter((name) => wanted.has(name)));
}

/** Whether a local branch is there. @throws GitFailed where git cannot tell */
export async function branchExists(repo: Repository, name: string): Promise<boolean> {
  return (await gitLine(repo.root, ['show-ref', '--verify', '-q', `refs/heads/${name}`], [1])) !== null;
}

/** The commit a local branch points to, or null. */
export async function tipOf(repo: Repository, name: string): Promise<string | null> {
  return commitOf(repo.root, `refs/heads/${name}`);
}

/** How many commits `name` has that `base` has not. */
export async function countAhead(repo: Repository, base: string, name: string): Promise<number> {
  return Number((await git(repo.root, ['rev-list', '--count', `refs/heads/${base}..refs/heads/${name}`])).stdout);
}

/** The branch that a task branch was made from, as git's configuration has it. */
export async function recordedBase(repo: Repository, name: string): Promise<string | null> {
  return gitLine(repo.root, ['config', '--local', '--get', `branch.${name}.readygateBase`], [1]);
}

/** Marks a task branch as kept on purpose, so that it is never stale. */
export async function markKept(repo: Repository, name: string, kind: KeptKind): Promise<void> {
  await git(repo.root, ['config', '--local', `branch.${name}.readygateKept`, kind]);
}

/** The other work tree that has a branch checked out, or null. */
export async function checkedOutElsewhere(repo: Repository, name: string): Promise<string | null> {
  if ((await currentBranch(repo.root)) === name) return null;
  const path = await gitLine(repo.root, ['for-each-ref', '--format=%(worktreepath)', `refs/heads/${name}`], []);
  return path === null || path === '' ? null : path;
}

/**
 * Switches to a branch and carries the user's changed files along. Throws GitFailed, with everything as it was, when
 * that would overwrite one of them, ignored files included.
 */
export async function switchTo(repo: Repository, name: string): Promise<void> {
  if ((await currentBranch(repo.root)) === name) return;
  const args = ['switch', '-q', '--no-guess', '--no-overwrite-ignore', name];
  await git(repo.root, args, { hooks: true }).catch((error: unknown) => unlessOn(repo, name, error));
}

/** Removes a branch with its configuration if it still points to `tip`. Not there: nothing to do. */
export async function removeBranch(repo: Repository, name: string, tip: string): Promise<void> {
  if (await branchExists(repo, name)) await git(repo.root, ['update-ref', '-d', `refs/heads/${name}`, tip]);
  // 128: there is no such section.
  await git(repo.root, ['config', '--local', '--remove-section', `branch.${name}`], { okCodes: [0, 5, 128] });
}

/** Saves a branch's tip where git does not forget it. Returns the ref; a tip saved before is not saved again. */
export async function saveTip(repo: Repository, name: string, tip: string): Promise<string> {
  const folder = `refs/readygate/trash/${name.startsWith(BRANCH_PREFIX) ? name.slice(BRANCH_PREFIX.length) : name}`;
  const { stdout } = await git(repo.root, ['for-each-ref', '--format=%(objectname) %(refname)', `${folder}/`]);
  const saved = stdout.split('\n').find((line) => line.startsWith(`${tip} `));
  if (saved) return saved.slice(tip.length + 1);
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('.', '-');
  const ref = `${folder}/${time}`;
  await git(repo.root, ['update-ref', '-m', `readygate: ${name} removed`, '--create-reflog', ref, tip, '']);
  return ref;
}

/** A hook that fails after a switch makes git report failure although it switched. */
async function unlessOn(repo: Repository, name: string, error: unknown): Promise<void> {
  if (!(error instanceof GitFailed) || (await currentBranch(repo.root)) !== name) throw error;
}

async function branchSettings(repo: Repository): Promise<Map<string, string>> {
  const args = ['config', '--local', '-z', '--get-regexp', '^branch\\.readygate/.*\\.readygate(base|kept)$'];
  const { stdout } = await git(repo.root, args, { okCodes: [0, 1] });
  const settings = new Map<string, string>();
  for (const record of records(stdout)) {
    const end = record.indexOf('\n');
    const match = /^branch\.(.*)\.readygate(base|kept)$/s.exec(record.slice(0, end));
    if (match) settings.set(`${match[1]}\0${match[2]}`, record.slice(end + 1));
  }
  return settings;
}

function keptKind(value: string | undefined): KeptKind | null {
  return value === 'leave_branch' || value === 'pull_request' ? value : null;
}
