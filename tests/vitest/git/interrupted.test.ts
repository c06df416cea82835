import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { mergeTask } from '../../../mcp-server/src/git/merge.ts';
import { fillFromHead, scratchIndex } from '../../../mcp-server/src/git/scratch_index.ts';
import { LONG, times, tried } from '../soak.ts';
import { emptyFolder, failureOf, makeRepository, USERS_FILES, usersWork } from './sandbox.ts';
import { mainMoves, TASK, taskWith } from './task.ts';

describe('a merge that was interrupted', () => {
  it('before it began, on the base', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    await taskWith(sandbox, { a: '2\n' });
    sandbox.git('switch', '-q', 'main');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
    expect(users.picture()).toEqual(before);
  });

  it('while a conflict was open', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', b: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    await taskWith(sandbox, { a: 'task\n', b: '2\n' });
    mainMoves(sandbox, { a: 'main\n' });
    const repo = await sandbox.repo();
    sandbox.git('switch', '-q', 'main');
    const scratch = scratchIndex(repo, 'merge');
    await fillFromHead(repo, scratch);
    process.env.GIT_INDEX_FILE = scratch.file;
    expect(() => sandbox.git('merge', '--no-ff', '-m', 'x', TASK.branch)).toThrow();
    delete process.env.GIT_INDEX_FILE;
    expect(await mergeTask(repo, TASK)).toEqual({ status: 'conflict', files: ['a'] });
    expect([sandbox.branch(), sandbox.read('a')]).toEqual([TASK.branch, 'task\n']);
    expect(users.picture()).toEqual(before);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'b')).toBe('');
  });

  it('with a lock file left by a git that was killed, which is named and only has to be removed', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await taskWith(sandbox, { a: '2\n', b: 'x\n' });
    const repo = await sandbox.repo();
    sandbox.git('switch', '-q', 'main');
    const scratch = scratchIndex(repo, 'merge');
    await fillFromHead(repo, scratch);
    process.env.GIT_INDEX_FILE = scratch.file;
    sandbox.git('merge', '--no-ff', '--no-commit', TASK.branch);
    delete process.env.GIT_INDEX_FILE;
    sandbox.write('.git/HEAD.lock', '');
    const failure = await failureOf(mergeTask(repo, TASK));
    expect(failure).toMatchObject({ reason: 'lock', message: expect.stringContaining('HEAD.lock') });
    sandbox.remove('.git/HEAD.lock');
    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.status()).toBe('');
  });

  it("behind the merge commit, before the user's index followed and the branch was removed", async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    await taskWith(sandbox, { a: '2\n', b: 'x\n' });
    const tip = sandbox.head();
    sandbox.git('switch', '-q', 'main');
    const index = readFileSync(join(sandbox.root, '.git/index'));
    const result = await mergeTask(await sandbox.repo(), TASK);
    sandbox.git('branch', TASK.branch, tip);
    writeFileSync(join(sandbox.root, '.git/index'), index);
    expect(await mergeTask(await sandbox.repo(), TASK)).toEqual(result);
    expect(sandbox.branches()).toEqual(['main']);
    expect(users.picture()).toEqual(before);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'b')).toBe('');
  });

  it('behind the removal of the branch', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await taskWith(sandbox, { a: '2\n' });
    const done = await mergeTask(await sandbox.repo(), TASK);
    sandbox.git('config', `branch.${TASK.branch}.readygateBase`, 'main');
    sandbox.git('commit', '-q', '--allow-empty', '-m', 'later');
    expect(await mergeTask(await sandbox.repo(), TASK)).toEqual(done);
    expect(sandbox.read('.git/config')).not.toContain('readygate');
  });

  it('does not call a branch merged that simply is not there', async () => {
    const sandbox = makeRepository();
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'blocked', message: expect.stringContaining(TASK.branch) });
  });

  it('while git was writing the work tree', async () => {
    const sandbox = makeRepository({ a: '1\n', b: '1\n' });
    await taskWith(sandbox, { a: '2\n', b: '2\n', c: 'new\n' });
    sandbox.git('switch', '-q', 'main');
    // A killed git has written two of three files.
    sandbox.write('a', '2\n');
    sandbox.write('c', 'new\n');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.status()).toBe('');
  });

  it('while git was switching to the base', async () => {
    const sandbox = makeRepository({ a: '1\n', b: '1\n' });
    await taskWith(sandbox, { a: '2\n', b: '2\n', c: 'new\n' });
    sandbox.write('a', '1\n');
    sandbox.remove('c');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
    expect([sandbox.status(), sandbox.read('a'), sandbox.read('c')]).toEqual(['', '2\n', 'new\n']);
  });

  it('by a process that was killed at any time, goes on to the same end', LONG, async () => {
    const program = join(emptyFolder(), 'merge.mjs');
    buildSync({
      stdin: { contents: MERGE_PROGRAM, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    const unharmed = await timeOf(program);
    for (let part = 1; part <= times(5); part++) {
      const sandbox = makeRepository({ ...USERS_FILES, a: '1\n' });
      const users = usersWork(sandbox);
      const before = users.picture();
      await taskWith(sandbox, { a: '2\n', b: 'x\n' });
      const child = spawn(process.execPath, [program, sandbox.root], { stdio: 'ignore' });
      await pause((unharmed * (part + times(2))) / times(8));
      child.kill('SIGKILL');
      // The git that it had started comes to its own end.
      await pause(300);
      expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
      expect([sandbox.branch(), ...sandbox.branches(), sandbox.read('a'), sandbox.read('b')]).toEqual(['main', 'main', '2\n', 'x\n']);
      expect(sandbox.line('rev-list', '--count', '--merges', 'HEAD')).toBe('1');
      expect(users.picture()).toEqual(before);
    }
    tried('merges killed at any time', times(5));
  });
});

const MERGE_PROGRAM = `
  import { inspect } from '../../../mcp-server/src/git/repository.ts';
  import { mergeTask } from '../../../mcp-server/src/git/merge.ts';
  const result = await mergeTask(await inspect(process.argv[2]), { branch: 'readygate/s1', base: 'main' });
  process.exitCode = result.status === 'merged' ? 0 : 1;
`;

async function timeOf(program: string): Promise<number> {
  const sandbox = makeRepository({ a: '1\n' });
  await taskWith(sandbox, { a: '2\n' });
  const start = Date.now();
  const child = spawn(process.execPath, [program, sandbox.root], { stdio: 'inherit' });
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  return Date.now() - start;
}
