import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { diskFailure, GitFailed, tailOf } from './failure.ts';
import { git, gitLine } from './run.ts';

/** Where a work tree and its git data are. What HEAD is right now is always asked of git, never kept here. */
export interface Repository {
  /** The real path of the work tree's top level. */
  root: string;
  /** This work tree's git folder (HEAD, index). */
  gitDir: string;
  /** The git folder that linked work trees share (refs, objects, config). */
  commonDir: string;
}

export type RepositoryKind = 'none' | 'bare' | 'unborn' | 'detached' | 'branch';
export type Operation = 'merge' | 'rebase' | 'am' | 'cherry-pick' | 'revert' | 'bisect';

export interface Inspection extends Repository {
  kind: RepositoryKind;
  /** The branch checked out here, also when it has no commit yet. */
  branch: string | null;
  /** The commit checked out here. */
  head: string | null;
  /** What the user (or a crash) left half done. */
  in_progress: Operation | null;
  /** Why there is no repository to work with, when that is not simply that none is there. */
  failure: GitFailed | null;
}

const REV_PARSE = ['rev-parse'];

/**
 * Looks at the repository that `dir` belongs to: the innermost work tree, so that a submodule and a linked work
 * tree answer for themselves. Never throws for what it finds: `kind: 'none'` has `failure` when git is missing
 * or refuses the folder, and then `root` is `dir` itself and the git folders are empty.
 */
export async function inspect(dir: string): Promise<Inspection> {
  const here = await realpath(dir).catch(() => resolve(dir));
  const none: Inspection = {
    kind: 'none',
    root: here,
    gitDir: '',
    commonDir: '',
    branch: null,
    head: null,
    in_progress: null,
    failure: null,
  };
  if (!existsSync(here)) return { ...none, failure: new GitFailed(`There is no folder ${here}.`, { command: REV_PARSE }) };
  const flags = await git(here, [...REV_PARSE, '--is-bare-repository', '--is-inside-work-tree'], { okCodes: [0, 128] }).catch(asFailed);
  if (flags instanceof GitFailed) return { ...none, failure: flags };
  if (flags.exitCode !== 0) {
    const { exitCode, stderr } = flags;
    if (/not a git repository/i.test(stderr)) return none;
    return { ...none, failure: new GitFailed(stderr.trim(), { command: ['git', ...REV_PARSE], exitCode, stderrTail: tailOf(stderr) }) };
  }
  const [bare, inside] = flags.stdout.split('\n');
  if (inside !== 'true') return bare === 'true' ? { ...none, kind: 'bare', ...(await folders(here)) } : none;
  const top = await gitLine(here, ['rev-parse', '--show-toplevel']);
  const root = await realpath(top ?? here);
  const places = await folders(here);
  const [branch, head] = await Promise.all([currentBranch(root), currentHead(root)]);
  const kind = head === null ? 'unborn' : branch === null ? 'detached' : 'branch';
  return { ...none, ...places, kind, root, branch, head, in_progress: operation(places.gitDir) };
}

/**
 * For work that must not take a repository which git refuses (a broken configuration, another owner, no git program) for a
 * plain folder.
 * @throws GitFailed where `found.root` holds a `.git` and git does not serve it
 */
export function assertServed(found: Inspection): void {
  if (found.failure && existsSync(join(found.root, '.git'))) throw found.failure;
}

/** The branch checked out in this work tree, or null when HEAD is detached. */
export async function currentBranch(root: string): Promise<string | null> {
  const ref = await gitLine(root, ['symbolic-ref', '-q', 'HEAD']);
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** The commit checked out in this work tree, or null when there is none yet. */
export async function currentHead(root: string): Promise<string | null> {
  return commitOf(root, 'HEAD');
}

/** The commit that a ref or revision stands for, or null. */
export async function commitOf(root: string, revision: string): Promise<string | null> {
  return gitLine(root, ['rev-parse', '-q', '--verify', '--end-of-options', `${revision}^{commit}`]);
}

/** Keeps `.readygate/` out of git for this repository and its linked work trees; adds the line once. */
export async function excludeReadygate(repo: Repository): Promise<void> {
  const folder = join(repo.commonDir, 'info');
  const file = join(folder, 'exclude');
  try {
    const present = existsSync(file) ? await readFile(file, 'utf8') : '';
    if (present.split(/\r?\n/).some((line) => /^\/?\.readygate\/?$/.test(line.trim()))) return;
    await mkdir(folder, { recursive: true });
    await appendFile(file, `${present === '' || present.endsWith('\n') ? '' : '\n'}.readygate/\n`);
  } catch (error) {
    throw diskFailure(`writing ${file}`, error);
  }
}

async function folders(dir: string): Promise<{ gitDir: string; commonDir: string }> {
  const [own, common] = await Promise.all([
    gitLine(dir, ['rev-parse', '--absolute-git-dir']),
    gitLine(dir, ['rev-parse', '--git-common-dir']),
  ]);
  return { gitDir: await realpath(own ?? dir), commonDir: await realpath(resolve(dir, common ?? '.')) };
}

function operation(gitDir: string): Operation | null {
  const holds = (name: string) => existsSync(join(gitDir, name));
  if (holds('rebase-merge')) return 'rebase';
  if (holds('rebase-apply')) return holds('rebase-apply/applying') ? 'am' : 'rebase';
  if (holds('MERGE_HEAD')) return 'merge';
  if (holds('CHERRY_PICK_HEAD')) return 'cherry-pick';
  if (holds('REVERT_HEAD')) return 'revert';
  return holds('BISECT_LOG') ? 'bisect' : null;
}

function asFailed(error: unknown): GitFailed {
  if (error instanceof GitFailed) return error;
  throw error;
}
