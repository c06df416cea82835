import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFiles, takeBaseline } from '../../../mcp-server/src/git/baseline.ts';
import { createTaskBranch } from '../../../mcp-server/src/git/branches.ts';
import { commitReviewed } from '../../../mcp-server/src/git/commit.ts';
import { filesEqualToBase, mergeBaseIntoTask, mergeTask, pendingMerge } from '../../../mcp-server/src/git/merge.ts';
import { AWKWARD_NAMES, emptyFolder, failureOf, makeRepository, Sandbox, USERS_FILES, usersWork } from './sandbox.ts';
import { mainMoves, ownFiles, TASK, taskWith } from './task.ts';

describe('merging the task', () => {
  it("makes a merge commit on the base, removes the branch, and leaves the user's files bit for bit as they are", async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    const base = sandbox.head();
    await taskWith(sandbox, { a: '2\n', 'new/b': 'x\n' });
    const task = sandbox.head();
    const result = await mergeTask(await sandbox.repo(), TASK);
    expect(result).toEqual({ status: 'merged', commit: sandbox.head(), moved: false });
    expect(sandbox.line('rev-list', '--parents', '-1', 'HEAD')).toBe(`${sandbox.head()} ${base} ${task}`);
    expect(sandbox.line('log', '-1', '--format=%s')).toBe("Merge branch 'readygate/s1' into main");
    expect([sandbox.branch(), ...sandbox.branches()]).toEqual(['main', 'main']);
    expect(sandbox.read('.git/config')).not.toContain('readygate');
    expect(users.picture()).toEqual(before);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'new')).toBe('');
    expect(ownFiles(sandbox)).toEqual([]);
  });

  it('merges a base that moved all the same', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', b: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    await taskWith(sandbox, { a: '2\n' });
    mainMoves(sandbox, { b: '2\n', c: 'x\n' });
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged', moved: true });
    expect([sandbox.read('a'), sandbox.read('b'), sandbox.read('c')]).toEqual(['2\n', '2\n', 'x\n']);
    expect(users.picture()).toEqual(before);
  });

  it('takes a message of its own, # at its beginning included', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await taskWith(sandbox, { a: '2\n' });
    await mergeTask(await sandbox.repo(), { ...TASK, message: '#7 修正\n\n# body' });
    expect(sandbox.line('log', '-1', '--format=%B')).toBe('#7 修正\n\n# body');
  });

  it('is not misled by configuration of the user', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await taskWith(sandbox, { a: '2\n' });
    sandbox.git('config', 'merge.ff', 'only');
    sandbox.git('config', 'branch.main.mergeOptions', '--squash --no-commit');
    sandbox.git('config', 'merge.autoStash', 'true');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
  });

  it('carries awkward names, links, modes and files that changed their kind', async () => {
    const sandbox = makeRepository({ file: 'x', 'folder/inner': 'x', tool: '#!/bin/sh\n' });
    const repo = await sandbox.repo();
    await createTaskBranch(repo, { name: TASK.branch, base: 'main' });
    sandbox.remove('file');
    sandbox.write('file/inner', 'x');
    sandbox.remove('folder');
    symlinkSync('file', join(sandbox.root, 'folder'));
    chmodSync(join(sandbox.root, 'tool'), 0o755);
    for (const name of AWKWARD_NAMES) sandbox.write(name, name);
    await commitReviewed(repo, { files: ['file', 'file/inner', 'folder', 'folder/inner', 'tool', ...AWKWARD_NAMES], message: 'x' });
    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.status()).toBe('');
    for (const name of AWKWARD_NAMES) expect(sandbox.read(name)).toBe(name);
  });

  it('merges the branch also when a tag has its name', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    sandbox.git('tag', TASK.branch);
    await taskWith(sandbox, { a: '2\n' });
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.read('a')).toBe('2\n');
  });

  it('counts a branch without commits as merged', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await createTaskBranch(await sandbox.repo(), { name: TASK.branch, base: 'main' });
    expect(await mergeTask(await sandbox.repo(), TASK)).toEqual({ status: 'merged', commit: null, moved: false });
    expect([sandbox.branch(), ...sandbox.branches()]).toEqual(['main', 'main']);
  });

  it('works in a linked work tree whose base is not checked out anywhere', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    sandbox.git('branch', 'dev');
    const tree = new Sandbox(join(emptyFolder(), 'tree'));
    sandbox.git('worktree', 'add', '-q', tree.root, 'dev');
    const repo = await tree.repo();
    await createTaskBranch(repo, { name: TASK.branch, base: 'dev' });
    tree.write('a', '2\n');
    await commitReviewed(repo, { files: ['a'], message: 'x' });
    expect(await mergeTask(repo, { branch: TASK.branch, base: 'dev' })).toMatchObject({ status: 'merged' });
    expect([tree.branch(), tree.status(), sandbox.status()]).toEqual(['dev', '', '']);
  });

  it('keeps line ends under autocrlf and calls nothing changed', async () => {
    const sandbox = makeRepository({ 'a.txt': 'one\n', 'theirs.txt': 'one\n' });
    sandbox.git('config', 'core.autocrlf', 'true');
    sandbox.write('theirs.txt', 'mine\r\n');
    await taskWith(sandbox, { 'a.txt': 'two\r\n' });
    await mergeTask(await sandbox.repo(), TASK);
    expect([sandbox.read('a.txt'), sandbox.read('theirs.txt')]).toEqual(['two\r\n', 'mine\r\n']);
    expect(sandbox.status()).toBe(' M theirs.txt\n');
  });
});

describe('a merge that conflicts', () => {
  it('is undone, and the work tree is back on the task branch as it was', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', 'quo"te 日本': '1\n' });
    const users = usersWork(sandbox);
    await taskWith(sandbox, { a: 'task\n', 'quo"te 日本': 'task\n', fine: 'x\n' });
    mainMoves(sandbox, { a: 'main\n', 'quo"te 日本': 'main\n', other: 'x\n' });
    const before = { ...users.picture(), head: sandbox.head(), main: sandbox.line('rev-parse', 'main'), status: sandbox.status() };
    const result = await mergeTask(await sandbox.repo(), TASK);
    expect(result).toEqual({ status: 'conflict', files: ['a', 'quo"te 日本'] });
    expect(sandbox.branch()).toBe(TASK.branch);
    expect({ ...users.picture(), head: sandbox.head(), main: sandbox.line('rev-parse', 'main'), status: sandbox.status() }).toEqual(before);
    expect(sandbox.read('a')).toBe('task\n');
    expect(ownFiles(sandbox)).toEqual([]);
  });

  it('leaves line ends under autocrlf alone', async () => {
    const sandbox = makeRepository({ 'a.txt': '1\n', 'b.txt': '1\n' });
    sandbox.git('config', 'core.autocrlf', 'true');
    await taskWith(sandbox, { 'a.txt': 'task\r\n', 'b.txt': '2\r\n' });
    mainMoves(sandbox, { 'a.txt': 'main\r\n' });
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'conflict' });
    expect(sandbox.status()).toBe('');
  });

  it('can be resolved as a task: base into branch, commit the merge, merge again', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', b: '1\n', c: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    const repo = await sandbox.repo();
    const baseline = await takeBaseline(repo);
    await taskWith(sandbox, { a: 'task\n', c: 'task\n' });
    mainMoves(sandbox, { a: 'main\n', b: 'main\n', new: 'main\n' });
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'conflict', files: ['a'] });
    expect(sandbox.read('a')).toContain('<<<<<<< HEAD\ntask\n');
    expect(await pendingMerge(repo)).toEqual({ head: sandbox.line('rev-parse', 'main'), conflicts: ['a'], unresolved: ['a'] });
    expect(sandbox.git('diff', '--name-only', '--diff-filter=U')).toBe('a\n');
    expect(users.picture()['(staged)']).toContain(before['(staged)']?.split('\0')[1] ?? '-');
    // Asked again, it says the same and changes nothing.
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'conflict', files: ['a'] });

    const changed = (await changedFiles(repo, baseline)).map((file) => file.path);
    expect(changed).toEqual(['a', 'b', 'new']);
    expect(await filesEqualToBase(repo, { base: 'main', files: changed })).toEqual(['b', 'new']);
    const failure = await failureOf(commitReviewed(repo, { files: ['a'], message: 'x', merging: true }));
    expect(failure.message).toContain('Conflict markers are still in: a');

    sandbox.write('a', 'both\n');
    expect(await pendingMerge(repo)).toMatchObject({ conflicts: ['a'], unresolved: [] });
    const { commit } = await commitReviewed(repo, { files: ['a'], message: 'resolved', merging: true });
    expect(sandbox.line('rev-parse', 'HEAD^2')).toBe(sandbox.line('rev-parse', 'main'));
    expect(commit).toBe(sandbox.head());
    expect(sandbox.committed()).toEqual(['a', 'b', 'new']);
    expect(await pendingMerge(repo)).toBeNull();
    expect(users.picture()).toEqual(before);
    expect(await changedFiles(repo, baseline)).toEqual([]);

    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.read('a')).toBe('both\n');
    expect(users.picture()).toEqual(before);
  });

  it('can be resolved where one side deleted the file', async () => {
    const sandbox = makeRepository({ a: '1\n', b: '1\n' });
    const repo = await sandbox.repo();
    await taskWith(sandbox, { a: 'task\n' });
    const other = new Sandbox(join(emptyFolder(), 'tree'));
    sandbox.git('worktree', 'add', '-q', other.root, 'main');
    other.git('rm', '-q', 'a');
    other.git('commit', '-qm', 'a is gone');
    sandbox.git('worktree', 'remove', other.root);
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'conflict', files: ['a'] });
    sandbox.remove('a');
    expect(await filesEqualToBase(repo, { base: 'main', files: ['a'] })).toEqual(['a']);
    await commitReviewed(repo, { files: [], message: 'resolved', merging: true });
    expect(sandbox.git('ls-tree', '--name-only', 'HEAD')).toBe('b\n');
    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'merged' });
  });

  it('commits the merge also when the conflict ends with what the branch had', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    const repo = await sandbox.repo();
    await taskWith(sandbox, { a: 'task\n' });
    mainMoves(sandbox, { a: 'main\n' });
    await mergeBaseIntoTask(repo, TASK);
    sandbox.write('a', 'task\n');
    const { commit } = await commitReviewed(repo, { files: ['a'], message: 'ours', merging: true });
    expect(commit).not.toBeNull();
    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'merged' });
    expect(sandbox.read('a')).toBe('task\n');
  });
});

describe('merging the base into the task', () => {
  it('commits by itself when nothing conflicts, and has nothing to do the second time', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', b: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    const repo = await sandbox.repo();
    await taskWith(sandbox, { a: '2\n' });
    mainMoves(sandbox, { b: '2\n' });
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'clean', files: [] });
    const head = sandbox.head();
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'clean', files: [] });
    expect([sandbox.head(), sandbox.branch(), sandbox.read('b')]).toEqual([head, TASK.branch, '2\n']);
    expect(users.picture()).toEqual(before);
  });

  it("refuses to overwrite the user's files, changed, untracked or ignored", async () => {
    const sandbox = makeRepository({ a: '1\n', b: '1\n', '.gitignore': 'secret\n' });
    const repo = await sandbox.repo();
    await taskWith(sandbox, { a: '2\n' });
    mainMoves(sandbox, { b: '2\n', untracked: 'main\n', secret: 'main\n' });
    for (const path of ['b', 'untracked', 'secret']) {
      sandbox.write(path, 'precious\n');
      const failure = await failureOf(mergeBaseIntoTask(repo, TASK));
      expect(failure.message).toContain(path);
      expect([sandbox.branch(), sandbox.read(path)]).toEqual([TASK.branch, 'precious\n']);
      expect(await pendingMerge(repo)).toBeNull();
      if (path === 'b') sandbox.git('restore', 'b');
      else sandbox.remove(path);
    }
    expect(await mergeBaseIntoTask(repo, TASK)).toEqual({ status: 'clean', files: [] });
  });
});

describe('a merge that is blocked', () => {
  it('names the files of the user that it would overwrite, and leaves everything as it was', async () => {
    const sandbox = makeRepository({ a: '1\n', b: '1\n' });
    await taskWith(sandbox, { a: '2\n' });
    sandbox.write('a', 'precious\n');
    sandbox.write('b', 'fine\n');
    const result = await mergeTask(await sandbox.repo(), TASK);
    expect(result).toMatchObject({ status: 'blocked', files: ['a'], message: expect.stringContaining('a') });
    expect([sandbox.branch(), sandbox.read('a'), sandbox.read('b')]).toEqual([TASK.branch, 'precious\n', 'fine\n']);
  });

  it.each(['untracked', 'ignored/file', 'ignored'])('protects a file git would overwrite: %s', async (path) => {
    const sandbox = makeRepository({ a: '1\n', '.gitignore': 'ignored\n' });
    await taskWith(sandbox, { a: '2\n' });
    mainMoves(sandbox, { [path]: 'main\n' });
    sandbox.write(path, 'precious\n');
    const before = sandbox.head();
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'blocked', files: [path] });
    expect([sandbox.head(), sandbox.branch(), sandbox.read(path)]).toEqual([before, TASK.branch, 'precious\n']);
  });

  it('protects an ignored file that stands where the merge wants a folder, or is in a folder where it wants a file', async () => {
    for (const [theirs, merged] of [
      ['ignored', 'ignored/file'],
      ['ignored/file', 'ignored'],
    ] as const) {
      const sandbox = makeRepository({ a: '1\n', '.gitignore': 'ignored\n' });
      const repo = await sandbox.repo();
      await createTaskBranch(repo, { name: TASK.branch, base: 'main' });
      sandbox.write(merged, 'task\n');
      sandbox.git('add', '-f', merged);
      sandbox.git('commit', '-qm', 'task');
      sandbox.git('switch', '-q', 'main');
      sandbox.write(theirs, 'precious\n');
      expect(await mergeTask(repo, TASK).catch(() => ({ status: 'failed' }))).not.toMatchObject({ status: 'merged' });
      expect(sandbox.read(theirs)).toBe('precious\n');
    }
  });

  it('says so when the base is checked out in another work tree, and how to go on', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    await taskWith(sandbox, { a: '2\n' });
    const tree = join(emptyFolder(), 'tree');
    sandbox.git('worktree', 'add', '-q', tree, 'main');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({
      status: 'blocked',
      files: [],
      message: expect.stringContaining(tree),
    });
    expect(sandbox.branch()).toBe(TASK.branch);
    new Sandbox(tree).git('switch', '-q', '--detach');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
  });

  it('says so when the base is gone, and when a merge is still open', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    const repo = await sandbox.repo();
    await taskWith(sandbox, { a: 'task\n' });
    expect(await mergeTask(repo, { branch: TASK.branch, base: 'nowhere' })).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('nowhere'),
    });
    mainMoves(sandbox, { a: 'main\n' });
    await mergeBaseIntoTask(repo, TASK);
    expect(await mergeTask(repo, TASK)).toMatchObject({ status: 'blocked', message: expect.stringContaining('still open') });
    expect(sandbox.branch()).toBe(TASK.branch);
  });

  it('is a GitFailed when a hook refuses, or the identity is missing, back on the task branch', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    await taskWith(sandbox, { a: '2\n' });
    sandbox.hook('pre-merge-commit', 'echo "not on a Friday" >&2; exit 1');
    const failure = await failureOf(mergeTask(await sandbox.repo(), TASK));
    expect(failure).toMatchObject({ reason: 'hook', hook: 'pre-merge-commit' });
    expect(failure.message).toContain('not on a Friday');
    sandbox.unhook('pre-merge-commit');
    sandbox.git('config', '--unset', 'user.name');
    sandbox.git('config', '--unset', 'user.email');
    sandbox.git('config', 'user.useConfigOnly', 'true');
    expect((await failureOf(mergeTask(await sandbox.repo(), TASK))).reason).toBe('identity');
    expect([sandbox.branch(), sandbox.read('a')]).toEqual([TASK.branch, '2\n']);
    expect(ownFiles(sandbox)).toEqual([]);
    expect(users.picture()).toEqual(before);
    sandbox.git('config', 'user.name', 'T');
    sandbox.git('config', 'user.email', 't@example.com');
    expect(await mergeTask(await sandbox.repo(), TASK)).toMatchObject({ status: 'merged' });
  });
});
