import { existsSync, lstatSync } from 'node:fs';
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

const HEADS = 'refs/heads/';

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
  if (!existsSync(here)) return { ...none, failure: new GitFailed(`There is no folder ${here}.`, { command: ['git', 'rev-parse'] }) };
  const asked = await git(here, ['rev-parse', ...QUESTIONS], { okCodes: [0, 128] }).catch(asFailed);
  if (asked instanceof GitFailed) return { ...none, failure: asked };
  const { exitCode, stdout, stderr } = asked;
  if (/not a git repository/i.test(stderr)) return none;
  // Git answers in order, and stops at the first question that it cannot answer.
  const [bare, inside, ...rest] = stdout.split('\n');
  if (inside !== 'true' && inside !== 'false')
    return { ...none, failure: new GitFailed(stderr.trim(), { command: ['git', 'rev-parse'], exitCode, stderrTail: tailOf(stderr) }) };
  if (inside === 'false') return bare === 'true' ? { ...none, kind: 'bare', ...(await folders(here)) } : none;
  const { places, top, at } = (await fromLines(here, rest)) ?? (await oneByOne(here));
  const root = await realpath(top);
  const checkedOut = at ?? (await Promise.all([currentBranch(root), currentHead(root)]).catch(asFailed));
  if (checkedOut instanceof GitFailed) return { ...none, failure: checkedOut };
  const [branch, head] = checkedOut;
  const kind = head === null ? 'unborn' : branch === null ? 'detached' : 'branch';
  return { ...none, ...places, kind, root, branch, head, in_progress: operation(places.gitDir) };
}

/** All of it in one process: on most systems a process costs more than what git does in it. */
const QUESTIONS = [
  '--is-bare-repository',
  '--is-inside-work-tree',
  '--absolute-git-dir',
  '--git-common-dir',
  '--show-toplevel',
  'HEAD^{commit}',
  '--symbolic-full-name',
  'HEAD',
];

interface Answers {
  places: { gitDir: string; commonDir: string };
  top: string;
  /** The branch and the commit checked out; null where they must be asked for, as on a branch without commits. */
  at: [string | null, string] | null;
}

/** The answers to the later questions; null when a name with a line break makes the lines ambiguous. */
async function fromLines(dir: string, lines: readonly string[]): Promise<Answers | null> {
  const [own, common, top, head, ref, ...more] = lines;
  if (!own || !common || !top || more.length > 1) return null;
  if (head === undefined || !/^[0-9a-f]{40,64}$/.test(head) || ref === undefined || ref === '')
    return lines.length > 5 ? null : { places: await realFolders(dir, own, common), top, at: null };
  const branch = ref.startsWith(HEADS) ? ref.slice(HEADS.length) : null;
  return { places: await realFolders(dir, own, common), top, at: [branch, head] };
}

async function oneByOne(dir: string): Promise<Answers> {
  return { places: await folders(dir), top: (await gitLine(dir, ['rev-parse', '--show-toplevel'], [128])) ?? dir, at: null };
}

/**
 * For work that must not take a repository which git refuses (a broken configuration, another owner) for a
 * plain folder.
 * @throws GitFailed where `found.root` holds a `.git` and git does not serve it
 */
export function assertServed(found: Inspection): void {
  // Without the program there is nobody to refuse: what does without git works.
  if (found.failure && found.failure.reason !== 'missing' && existsSync(join(found.root, '.git'))) throw found.failure;
}

interface Known {
  repository: Repository;
  ino: number;
  /** Of a `.git` file, which a move rewrites; a folder's time changes all the time. */
  mtime: number | null;
}

const known = new Map<string, Known>();

/**
 * Where the repository at a work tree's top level lies. Asked of git once for each process, and again when `.git` is another one:
 * every submission needs it, and a process of git costs more than all else that a submission does.
 */
export async function repositoryAt(root: string): Promise<Repository> {
  const at = lstatSync(join(root, '.git'), { throwIfNoEntry: false });
  const mtime = at?.isDirectory() ? null : (at?.mtimeMs ?? null);
  const before = known.get(root);
  if (at && before && before.ino === at.ino && before.mtime === mtime) return before.repository;
  const { kind, root: top, gitDir, commonDir } = await inspect(root);
  const repository = { root: top, gitDir, commonDir };
  if (at && kind !== 'none' && top === root) known.set(root, { repository, ino: at.ino, mtime });
  return repository;
}

/** The branch checked out in this work tree, or null when HEAD is detached. */
export async function currentBranch(root: string): Promise<string | null> {
  const ref = await gitLine(root, ['symbolic-ref', '-q', 'HEAD'], [1]);
  return ref?.startsWith(HEADS) ? ref.slice(HEADS.length) : null;
}

/** The commit checked out in this work tree, or null when there is none yet. */
export async function currentHead(root: string): Promise<string | null> {
  return commitOf(root, 'HEAD');
}

/** The commit that a ref or revision stands for, or null where there is none. @throws GitFailed where git cannot tell */
export async function commitOf(root: string, revision: string): Promise<string | null> {
  return gitLine(root, ['rev-parse', '-q', '--verify', '--end-of-options', `${revision}^{commit}`], [1]);
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
    gitLine(dir, ['rev-parse', '--absolute-git-dir'], [128]),
    gitLine(dir, ['rev-parse', '--git-common-dir'], [128]),
  ]);
  return realFolders(dir, own ?? dir, common ?? '.');
}

async function realFolders(dir: string, own: string, common: string): Promise<{ gitDir: string; commonDir: string }> {
  return { gitDir: await realpath(own), commonDir: await realpath(resolve(dir, common)) };
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
