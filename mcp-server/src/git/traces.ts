/** What Readygate left in a repository besides commits: for uninstalling, which shows it first and then takes it away. */
import fs from 'node:fs';
import path from 'node:path';
import { FOLDER, isMadeSessionId } from '../state/layout.ts';
import { diskFailure, GitFailed } from './failure.ts';
import type { Repository } from './repository.ts';
import { git, records } from './run.ts';

export interface BranchTrace {
  name: string;
  /** Commits that no other branch, tag or remote holds. */
  alone: number;
  checked_out: boolean;
}

export interface Traces {
  /** `.readygate` folders, of every work tree. */
  folders: string[];
  /** The exclude file, when it holds our line. */
  exclude: string | null;
  /** Keys of the repository's own configuration. */
  config: string[];
  refs: string[];
  branches: BranchTrace[];
}

const EXCLUDED = /^\/?\.readygate\/?$/;

async function workTrees(root: string): Promise<string[]> {
  const { stdout } = await git(root, ['worktree', 'list', '--porcelain', '-z'], { okCodes: [0, 128, 129] });
  const listed = records(stdout).filter((line) => line.startsWith('worktree '));
  return [...new Set([root, ...listed.map((line) => path.resolve(line.slice('worktree '.length)))])];
}

async function configKeys(root: string): Promise<string[]> {
  const args = ['config', '--local', '--null', '--name-only', '--get-regexp', '^(branch\\..*\\.readygate(base|kept)|readygate\\..*)$'];
  const { stdout } = await git(root, args, { okCodes: [0, 1] });
  return [...new Set(records(stdout))];
}

async function refsBelow(root: string, prefix: string): Promise<string[]> {
  const { stdout } = await git(root, ['for-each-ref', '--format=%(refname)', prefix]);
  return stdout.split('\n').filter(Boolean);
}

const TASK_BRANCH = 'readygate/';

async function branchTraces(root: string): Promise<BranchTrace[]> {
  const { stdout } = await git(root, ['for-each-ref', '--format=%(refname:lstrip=2)%09%(worktreepath)', 'refs/heads/readygate/']);
  const found = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
    // What the user named so is theirs.
    .filter(([name = '']) => isMadeSessionId(name.slice(TASK_BRANCH.length)));
  return Promise.all(
    found.map(async ([name = '', at = '']) => {
      const args = ['rev-list', '--count', `refs/heads/${name}`, '--not', '--exclude=readygate/*', '--branches', '--tags', '--remotes'];
      return { name, alone: Number((await git(root, args)).stdout.trim()), checked_out: at !== '' };
    }),
  );
}

function excludeFile(repo: Repository): string | null {
  const file = path.join(repo.commonDir, 'info/exclude');
  if (!fs.existsSync(file)) return null;
  return fs
    .readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .some((line) => EXCLUDED.test(line.trim()))
    ? file
    : null;
}

const folderIn = (root: string): string => path.join(root, FOLDER);

/** Everything there is; without a repository only the folder. @throws GitFailed */
export async function findTraces(root: string, repo: Repository | null): Promise<Traces> {
  const roots = repo ? await workTrees(repo.root) : [root];
  return {
    folders: roots.map(folderIn).filter((folder) => fs.existsSync(folder)),
    exclude: repo ? excludeFile(repo) : null,
    config: repo ? await configKeys(repo.root) : [],
    refs: repo ? await refsBelow(repo.root, 'refs/readygate/') : [],
    branches: repo ? await branchTraces(repo.root) : [],
  };
}

/** Takes the line out of the exclude file and leaves every other byte. @throws GitFailed when the file cannot be written */
export function removeExclude(file: string): void {
  try {
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    fs.writeFileSync(file, lines.filter((line) => !EXCLUDED.test(line.trim())).join('\n'));
  } catch (error) {
    throw diskFailure(`writing ${file}`, error);
  }
}

/** @throws GitFailed */
export async function removeConfigKey(root: string, key: string): Promise<void> {
  await git(root, ['config', '--local', '--unset-all', key], { okCodes: [0, 5] });
}

/** @throws GitFailed */
export async function removeRef(root: string, ref: string): Promise<void> {
  await git(root, ['update-ref', '-d', ref]);
}

/** Deletes a branch with whatever only it holds. @returns why not, or null when it is gone */
export async function removeBranchWholly(root: string, name: string): Promise<string | null> {
  try {
    await git(root, ['branch', '-D', '--', name]);
    return null;
  } catch (error) {
    if (error instanceof GitFailed) return error.message;
    throw error;
  }
}
