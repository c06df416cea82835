import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { GitFailed, tailOf } from './failure.ts';
import type { Repository } from './repository.ts';
import { environment, git, gitLine } from './run.ts';

export interface PullRequest {
  branch: string;
  base: string;
  title: string;
  body: string;
}

export interface PullRequestResult {
  /** `pushed`: neither gh nor glab is there to open a request; `message` says so. */
  status: 'opened' | 'pushed';
  remote: string;
  program: 'gh' | 'glab' | null;
  url: string | null;
  message: string | null;
}

const TIMEOUT = 2 * 60_000;

/**
 * Pushes the task branch and opens a pull request (gh) or merge request (glab) against the base. The branch stays
 * checked out. One that is open already counts as opened. Throws GitFailed when there is no remote,
 * and when the push or the program fails.
 */
export async function pushAndOpenPullRequest(repo: Repository, request: PullRequest): Promise<PullRequestResult> {
  const remote = await remoteFor(repo, request.base);
  if (remote === null) {
    const message = 'This repository has no remote to push to. Add one with: git remote add origin <url>';
    throw new GitFailed(message, { command: ['git', 'push'], stderrTail: message });
  }
  const ref = `refs/heads/${request.branch}`;
  await git(repo.root, ['push', '-q', '-u', remote, `${ref}:${ref}`], { hooks: true, env: await quietSsh(repo) });
  // 128: a remote may have nothing but an address to push to.
  const program = await programFor((await gitLine(repo.root, ['remote', 'get-url', remote], [2, 128])) ?? '');
  if (program === null) {
    const message = `${request.branch} was pushed to ${remote}. Neither gh nor glab was found: open the request by hand.`;
    return { status: 'pushed', remote, program, url: null, message };
  }
  const base = await remoteName(repo, request.base, remote);
  return { status: 'opened', remote, program, url: await open(repo, program, { ...request, base }), message: null };
}

async function open(repo: Repository, program: 'gh' | 'glab', { branch, base, title, body }: PullRequest): Promise<string | null> {
  const args =
    program === 'gh'
      ? ['pr', 'create', '--base', base, '--head', branch, '--title', title, '--body-file', '-']
      : ['mr', 'create', '--target-branch', base, '--source-branch', branch, '--title', title, '--description', body, '--yes'];
  const result = await execa(program, args, {
    cwd: repo.root,
    env: environment({ GH_PROMPT_DISABLED: '1', NO_COLOR: '1', NO_PROMPT: '1' }),
    extendEnv: false,
    reject: false,
    timeout: TIMEOUT,
    input: program === 'gh' ? body : '',
  });
  const output = [result.stdout, result.stderr].join('\n').trim();
  const url = /https?:\/\/\S+/.exec(result.exitCode === 0 ? `${result.stdout}\n${result.stderr}` : output)?.[0] ?? null;
  if (result.exitCode === 0 || /already exists/i.test(output)) return url;
  throw new GitFailed(`${program} could not open the request: ${tailOf(output) || result.originalMessage}`, {
    command: [program, ...args],
    exitCode: result.exitCode ?? null,
    stderrTail: tailOf(output),
  });
}

/** Where the base is pushed to, else `origin`, else the only remote there is. */
async function remoteFor(repo: Repository, base: string): Promise<string | null> {
  const remotes = (await git(repo.root, ['remote'])).stdout.split('\n').filter((name) => name !== '');
  const wanted = [
    await gitLine(repo.root, ['config', '--get', 'remote.pushDefault'], [1]),
    await gitLine(repo.root, ['config', '--get', `branch.${base}.remote`], [1]),
    'origin',
  ];
  return wanted.find((name) => name !== null && remotes.includes(name)) ?? (remotes.length === 1 ? (remotes[0] ?? null) : null);
}

/** The base may have another name over there. */
async function remoteName(repo: Repository, base: string, remote: string): Promise<string> {
  if ((await gitLine(repo.root, ['config', '--get', `branch.${base}.remote`], [1])) !== remote) return base;
  const ref = await gitLine(repo.root, ['config', '--get', `branch.${base}.merge`], [1]);
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : base;
}

async function programFor(url: string): Promise<'gh' | 'glab' | null> {
  const order: ('gh' | 'glab')[] = /github/i.test(url) ? ['gh'] : /gitlab/i.test(url) ? ['glab'] : ['gh', 'glab'];
  for (const program of order) if (await isOnPath(program)) return program;
  return null;
}

async function isOnPath(program: string): Promise<boolean> {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter((part) => part !== '')) {
    for (const ending of endings) {
      const found = await access(join(folder, program + ending), constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return true;
    }
  }
  return false;
}

/** Ssh asks on the terminal, past everything git is told; unless the user has set up their own command, it shall not. */
async function quietSsh(repo: Repository): Promise<Record<string, string>> {
  const own = process.env.GIT_SSH_COMMAND ?? process.env.GIT_SSH ?? (await gitLine(repo.root, ['config', '--get', 'core.sshCommand'], [1]));
  return own ? {} : { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' };
}
