import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTaskBranch } from '../../../mcp-server/src/git/branches.ts';
import { commitReviewed } from '../../../mcp-server/src/git/commit.ts';
import { pushAndOpenPullRequest } from '../../../mcp-server/src/git/pull_request.ts';
import { emptyFolder, failureOf, makeRepository, Sandbox } from './sandbox.ts';

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

const REQUEST = { branch: 'readygate/s1', base: 'main', title: 'Title "with" $(quotes)', body: '日本語\n-- body\n' };

/** A program that notes its arguments, one to a line, and its standard input. */
function recorder(folder: string, name: string, answer = 'echo https://example.com/pr/1'): () => { args: string[]; input: string } {
  const program = join(folder, name);
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\0' "$@" > "${program}.args"\ncat > "${program}.input"\n${answer}\n`);
  chmodSync(program, 0o755);
  return () => ({
    args: readFileSync(`${program}.args`, 'utf8').split('\0').slice(0, -1),
    input: readFileSync(`${program}.input`, 'utf8'),
  });
}

/** Only these programs and what they need: a real gh or glab of this machine is out of reach. */
function onPath(folder: string): void {
  for (const name of ['git', 'sh', 'cat']) symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
  process.env.PATH = folder;
}

/** A repository on its task branch with a real bare remote named like a forge. */
async function withRemote(forge: string): Promise<{ sandbox: Sandbox; remote: Sandbox }> {
  const remote = new Sandbox(emptyFolder(`${forge}.com`));
  remote.git('init', '-q', '--bare');
  const sandbox = makeRepository({ a: '1\n' });
  sandbox.git('remote', 'add', 'origin', remote.root);
  sandbox.git('push', '-q', '-u', 'origin', 'main');
  const repo = await sandbox.repo();
  await createTaskBranch(repo, { name: REQUEST.branch, base: 'main' });
  sandbox.write('a', '2\n');
  await commitReviewed(repo, { files: ['a'], message: 'x' });
  return { sandbox, remote };
}

describe('opening a pull request', () => {
  it('pushes the branch and calls gh with an argument array', async () => {
    const { sandbox, remote } = await withRemote('github');
    const folder = emptyFolder('programs');
    const seen = recorder(folder, 'gh');
    recorder(folder, 'glab');
    onPath(folder);
    expect(await pushAndOpenPullRequest(await sandbox.repo(), REQUEST)).toEqual({
      status: 'opened',
      remote: 'origin',
      program: 'gh',
      url: 'https://example.com/pr/1',
      message: null,
    });
    expect(remote.line('rev-parse', REQUEST.branch)).toBe(sandbox.head());
    expect(sandbox.line('config', `branch.${REQUEST.branch}.remote`)).toBe('origin');
    expect(sandbox.branch()).toBe(REQUEST.branch);
    const { args, input } = seen();
    expect(args).toEqual(['pr', 'create', '--base', 'main', '--head', REQUEST.branch, '--title', REQUEST.title, '--body-file', '-']);
    expect(input).toBe(REQUEST.body);
    expect(existsSync(join(folder, 'glab.args'))).toBe(false);
  });

  it('calls glab for GitLab', async () => {
    const { sandbox } = await withRemote('gitlab');
    const folder = emptyFolder('programs');
    const seen = recorder(folder, 'glab');
    recorder(folder, 'gh');
    onPath(folder);
    expect(await pushAndOpenPullRequest(await sandbox.repo(), REQUEST)).toMatchObject({ status: 'opened', program: 'glab' });
    expect(seen().args).toEqual([
      'mr',
      'create',
      '--target-branch',
      'main',
      '--source-branch',
      REQUEST.branch,
      '--title',
      REQUEST.title,
      '--description',
      REQUEST.body,
      '--yes',
    ]);
  });

  it('takes the program that is there for a forge it does not know', async () => {
    const { sandbox } = await withRemote('forge');
    const folder = emptyFolder('programs');
    recorder(folder, 'glab');
    onPath(folder);
    expect(await pushAndOpenPullRequest(await sandbox.repo(), REQUEST)).toMatchObject({ program: 'glab' });
  });

  it('only pushes, and says so, when neither program is there', async () => {
    const { sandbox, remote } = await withRemote('github');
    const folder = emptyFolder('programs');
    recorder(folder, 'glab');
    onPath(folder);
    expect(await pushAndOpenPullRequest(await sandbox.repo(), REQUEST)).toMatchObject({
      status: 'pushed',
      program: null,
      url: null,
      message: expect.stringContaining('by hand'),
    });
    expect(remote.line('rev-parse', REQUEST.branch)).toBe(sandbox.head());
  });

  it('counts one that is open already as opened', async () => {
    const { sandbox } = await withRemote('github');
    const folder = emptyFolder('programs');
    recorder(
      folder,
      'gh',
      'echo "a pull request for branch x into branch main already exists:" >&2; echo https://example.com/pr/9 >&2; exit 1',
    );
    onPath(folder);
    expect(await pushAndOpenPullRequest(await sandbox.repo(), REQUEST)).toMatchObject({
      status: 'opened',
      url: 'https://example.com/pr/9',
    });
  });

  it('is a GitFailed with the output when the program fails', async () => {
    const { sandbox } = await withRemote('github');
    const folder = emptyFolder('programs');
    recorder(folder, 'gh', 'echo "not logged in" >&2; exit 4');
    onPath(folder);
    const failure = await failureOf(pushAndOpenPullRequest(await sandbox.repo(), REQUEST));
    expect(failure).toMatchObject({ exitCode: 4, stderrTail: expect.stringContaining('not logged in') });
    expect(failure.command.slice(0, 3)).toEqual(['gh', 'pr', 'create']);
  });

  it('is a GitFailed when there is no remote, or the push is refused', async () => {
    const lonely = makeRepository();
    await createTaskBranch(await lonely.repo(), { name: REQUEST.branch, base: 'main' });
    expect((await failureOf(pushAndOpenPullRequest(await lonely.repo(), REQUEST))).message).toContain('git remote add origin');
    const { sandbox, remote } = await withRemote('github');
    writeFileSync(join(remote.root, 'hooks/pre-receive'), '#!/bin/sh\necho "no pushes today" >&2\nexit 1\n');
    chmodSync(join(remote.root, 'hooks/pre-receive'), 0o755);
    expect((await failureOf(pushAndOpenPullRequest(await sandbox.repo(), REQUEST))).stderrTail).toContain('no pushes today');
  });

  it('uses the name that the base has over there', async () => {
    const { sandbox } = await withRemote('github');
    sandbox.git('push', '-q', 'origin', 'main:trunk');
    sandbox.git('config', 'branch.main.merge', 'refs/heads/trunk');
    const folder = emptyFolder('programs');
    const seen = recorder(folder, 'gh');
    onPath(folder);
    await pushAndOpenPullRequest(await sandbox.repo(), REQUEST);
    expect(seen().args.slice(2, 4)).toEqual(['--base', 'trunk']);
  });
});
