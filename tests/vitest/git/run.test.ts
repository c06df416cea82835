import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { git, gitBytes, gitLine } from '../../../mcp-server/src/git/run.ts';
import { emptyFolder, failureOf, makeRepository } from './sandbox.ts';

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

describe('running git', () => {
  it('returns output and exit code', async () => {
    const { root } = makeRepository();
    expect(await git(root, ['symbolic-ref', '--short', 'HEAD'])).toEqual({ stdout: 'main\n', stderr: '', exitCode: 0 });
  });

  it('takes an exit code as an answer where it is told to', async () => {
    const { root } = makeRepository();
    expect((await git(root, ['config', '--get', 'no.such'], { okCodes: [0, 1] })).exitCode).toBe(1);
    expect(await gitLine(root, ['config', '--get', 'no.such'], [1])).toBeNull();
    expect((await failureOf(gitLine(root, ['config', '--get', 'no.such'], []))).exitCode).toBe(1);
    expect((await failureOf(gitLine(root, ['rev-parse', 'no-such'], [1]))).exitCode).toBe(128);
  });

  it('reports a failure with command, exit code and the end of the output', async () => {
    const { root } = makeRepository();
    const failure = await failureOf(git(root, ['switch', 'nowhere']));
    expect(failure.command).toEqual(['git', 'switch', 'nowhere']);
    expect(failure.exitCode).toBe(128);
    expect(failure.stderrTail).toContain('invalid reference: nowhere');
    expect(failure.reason).toBe('other');
  });

  it('never passes anything through a shell', async () => {
    const sandbox = makeRepository();
    await failureOf(git(sandbox.root, ['switch', 'x; touch pwned', '$(touch pwned)']));
    expect(sandbox.has('pwned')).toBe(false);
  });

  it('is not led to another repository by variables of a git around it', async () => {
    const here = makeRepository();
    const there = makeRepository();
    there.git('switch', '-q', '-c', 'elsewhere');
    process.env.GIT_DIR = join(there.root, '.git');
    process.env.GIT_WORK_TREE = there.root;
    process.env.GIT_INDEX_FILE = join(there.root, 'index');
    expect((await git(here.root, ['symbolic-ref', '--short', 'HEAD'])).stdout).toBe('main\n');
  });

  it('speaks English whatever the language of the user', async () => {
    process.env.LC_ALL = 'ja_JP.UTF-8';
    process.env.LANGUAGE = 'ja';
    const { root } = makeRepository();
    expect((await failureOf(git(root, ['switch', 'nowhere']))).stderrTail).toContain('invalid reference');
  });

  it('keeps the bytes of a blob', async () => {
    const sandbox = makeRepository();
    const bytes = Uint8Array.from([0, 255, 13, 10, 128, 0]);
    sandbox.write('binary', bytes);
    sandbox.commit('binary');
    expect(Buffer.from(await gitBytes(sandbox.root, ['cat-file', 'blob', 'HEAD:binary'])).equals(bytes)).toBe(true);
  });

  it('says so when there is no git program', async () => {
    const { root } = makeRepository();
    process.env.PATH = emptyFolder('empty path');
    const failure = await failureOf(git(root, ['status']));
    expect(failure.reason).toBe('missing');
    expect(failure.message).toContain('--quick');
  });

  it('does not call git missing when the folder is', async () => {
    expect((await failureOf(git('/no/such/folder', ['status']))).reason).toBe('other');
  });

  it('recognises a missing identity and names the two commands', async () => {
    const sandbox = makeRepository();
    sandbox.git('config', '--unset', 'user.name');
    sandbox.git('config', '--unset', 'user.email');
    sandbox.git('config', 'user.useConfigOnly', 'true');
    const failure = await failureOf(git(sandbox.root, ['commit', '--allow-empty', '-m', 'x'], { hooks: true }));
    expect(failure.reason).toBe('identity');
    expect(failure.message).toContain('git config --global user.name');
    expect(failure.message).toContain('git config --global user.email');
  });

  it('tells what a remote refused without the password in its address', async () => {
    const sandbox = makeRepository();
    sandbox.git('remote', 'add', 'far', 'http://robot:S3CRET@127.0.0.1:9/r.git');
    for (const from of ['far', 'http://robot:S3CRET@127.0.0.1:9/r.git']) {
      const failure = await failureOf(git(sandbox.root, ['fetch', from]));
      expect(failure.stderrTail).toContain('127.0.0.1:9');
      expect(JSON.stringify([failure.message, failure])).not.toContain('S3CRET');
    }
  });

  it('names the hook that refused, and gives its output', async () => {
    const sandbox = makeRepository();
    sandbox.hook('commit-msg', 'echo "error: no ticket number" >&2; exit 3');
    const failure = await failureOf(git(sandbox.root, ['commit', '--allow-empty', '-m', 'x'], { hooks: true }));
    expect(failure).toMatchObject({ reason: 'hook', hook: 'commit-msg' });
    expect(failure.message).toContain('no ticket number');
  });

  it('does not blame a hook that let the commit pass', async () => {
    const sandbox = makeRepository();
    sandbox.hook('pre-commit', 'git rev-parse --verify -q nowhere; exit 0');
    const failure = await failureOf(git(sandbox.root, ['commit', '-m', 'nothing to commit'], { hooks: true }));
    expect(failure).toMatchObject({ reason: 'other', hook: null });
  });

  it("leaves the user's character set to hooks", async () => {
    process.env.LC_ALL = 'C.UTF-8';
    const sandbox = makeRepository();
    sandbox.hook('pre-commit', 'echo "lang=$LANG all=$LC_ALL literal=$GIT_LITERAL_PATHSPECS" >&2; exit 1');
    const failure = await failureOf(git(sandbox.root, ['commit', '--allow-empty', '-m', 'x'], { hooks: true }));
    expect(failure.stderrTail).toContain('lang=C.UTF-8 all= literal=');
  });

  it('waits for a lock that another git lets go', async () => {
    const sandbox = makeRepository();
    const lock = join(sandbox.root, '.git/index.lock');
    writeFileSync(lock, '');
    setTimeout(() => sandbox.remove('.git/index.lock'), 250);
    sandbox.write('new.txt', 'x');
    await git(sandbox.root, ['add', 'new.txt']);
    expect(sandbox.status()).toBe('A  new.txt\n');
  });

  it('reports a lock that stays, with the name of the lock file', async () => {
    const sandbox = makeRepository();
    sandbox.write('.git/index.lock', '');
    sandbox.write('new.txt', 'x');
    const failure = await failureOf(git(sandbox.root, ['add', 'new.txt']));
    expect(failure.reason).toBe('lock');
    expect(failure.message).toContain('index.lock');
  });

  it('does not wait for an editor, a pager or a prompt', async () => {
    const sandbox = makeRepository();
    const folder = emptyFolder('programs');
    mkdirSync(folder, { recursive: true });
    const editor = join(folder, 'editor');
    writeFileSync(editor, '#!/bin/sh\nsleep 60\n');
    chmodSync(editor, 0o755);
    process.env.EDITOR = editor;
    process.env.GIT_PAGER = editor;
    sandbox.git('config', 'core.editor', editor);
    sandbox.git('config', 'core.pager', editor);
    await git(sandbox.root, ['commit', '--allow-empty', '--amend'], { hooks: true });
    expect((await git(sandbox.root, ['log', '-1', '--format=%s'])).stdout).toBe('first\n');
  });

  it('does not wait for a program that a hook leaves running', async () => {
    const sandbox = makeRepository();
    sandbox.hook('pre-commit', 'sleep 20 & echo started >&2');
    const start = Date.now();
    await git(sandbox.root, ['commit', '--allow-empty', '-m', 'x'], { hooks: true });
    expect(Date.now() - start).toBeLessThan(10_000);
    expect((await git(sandbox.root, ['log', '-1', '--format=%s'])).stdout).toBe('x\n');
  });

  it('takes a long output whole', async () => {
    const sandbox = makeRepository();
    const text = 'a line of some length\n'.repeat(200_000);
    sandbox.write('long', text);
    sandbox.commit('long');
    expect((await git(sandbox.root, ['cat-file', 'blob', 'HEAD:long'])).stdout).toBe(text);
  });
});
