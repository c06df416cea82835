import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { staleBranches } from '../../../mcp-server/src/git/branches.ts';
import { cleanStale } from '../../../mcp-server/src/git/clean.ts';
import { resolveStale } from '../../../mcp-server/src/git/stale.ts';
import { emptyFolder, makeRepository, type Sandbox, USERS_FILES, usersWork } from './sandbox.ts';

/** A branch with one commit that was left behind; ends where it began. */
function leftBehind(sandbox: Sandbox, name: string, base: string | null, files: Record<string, string>): string {
  const start = sandbox.branch();
  sandbox.git('switch', '-q', '-c', name, ...(base !== null && sandbox.branches().includes(base) ? [base] : []));
  if (base !== null) sandbox.git('config', `branch.${name}.readygateBase`, base);
  for (const [path, content] of Object.entries(files)) {
    sandbox.write(path, content);
    sandbox.git('add', path);
  }
  sandbox.git('commit', '-q', '--allow-empty', '-m', name);
  const tip = sandbox.head();
  sandbox.git('switch', '-q', start);
  return tip;
}

const names = (list: { name: string }[]) => list.map((one) => one.name);

/** Runs a command that a report gives to the user. */
function obey(sandbox: Sandbox, command: string | undefined): void {
  const [program, ...args] = (command ?? '').split(' ');
  expect(program).toBe('git');
  sandbox.git(...args);
}

describe('deleting stale branches', () => {
  it('removes them with their configuration, and the given command brings each back', async () => {
    const sandbox = makeRepository();
    const one = leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    const two = leftBehind(sandbox, 'readygate/deep/two', 'main', { b: '1' });
    const { done, left, failed, adopted } = await resolveStale(await sandbox.repo(), { choice: 'delete' });
    expect({ left, failed, adopted, actions: done.map((step) => step.action) }).toEqual({
      left: [],
      failed: null,
      adopted: null,
      actions: ['deleted', 'deleted'],
    });
    expect(sandbox.branches()).toEqual(['main']);
    expect(sandbox.read('.git/config')).not.toContain('readygate');
    for (const step of done) obey(sandbox, step.restore);
    expect([sandbox.line('rev-parse', 'readygate/one'), sandbox.line('rev-parse', 'readygate/deep/two')]).toEqual([one, two]);
  });

  it('keeps the saved tip from being collected as garbage', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'main', { a: 'content' });
    const { done } = await resolveStale(await sandbox.repo(), { choice: 'delete' });
    sandbox.git('reflog', 'expire', '--expire=now', '--all');
    sandbox.git('gc', '-q', '--prune=now');
    obey(sandbox, done[0]?.restore);
    expect(sandbox.git('show', 'readygate/one:a')).toBe('content');
  });

  it('does not save the same tip twice when it is repeated after a crash', async () => {
    const sandbox = makeRepository();
    const tip = leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    await resolveStale(await sandbox.repo(), { choice: 'delete' });
    sandbox.git('branch', 'readygate/one', tip);
    await resolveStale(await sandbox.repo(), { choice: 'delete' });
    expect(sandbox.git('for-each-ref', 'refs/readygate').trim().split('\n')).toHaveLength(1);
  });

  it("leaves one that is checked out for its base and carries the user's files along", async () => {
    const sandbox = makeRepository(USERS_FILES);
    leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    sandbox.git('switch', '-q', 'readygate/one');
    const users = usersWork(sandbox);
    const before = users.picture();
    const { failed } = await resolveStale(await sandbox.repo(), { choice: 'delete' });
    expect(failed).toBeNull();
    expect([sandbox.branch(), ...sandbox.branches()]).toEqual(['main', 'main']);
    expect(users.picture()).toEqual(before);
  });

  it('stops, with nothing lost, where changes would be lost, and another choice can follow', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    leftBehind(sandbox, 'readygate/one', 'main', { a: '2\n' });
    leftBehind(sandbox, 'readygate/two', 'main', { b: '2\n' });
    sandbox.git('switch', '-q', 'readygate/one');
    sandbox.write('a', 'precious\n');
    const repo = await sandbox.repo();
    const first = await resolveStale(repo, { choice: 'delete' });
    expect(first.failed).toMatchObject({ name: 'readygate/one', message: expect.stringContaining('a') });
    expect([sandbox.branch(), sandbox.read('a')]).toEqual(['readygate/one', 'precious\n']);
    expect(names(first.left)).toContain('readygate/one');
    const second = await resolveStale(repo, { choice: 'continue' });
    expect(second).toMatchObject({ adopted: { name: 'readygate/one', base: 'main' }, failed: null, done: [] });
    expect(sandbox.read('a')).toBe('precious\n');
  });

  it('reports a checked out branch whose base is not known, and how to name one', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', null, { a: '1' });
    sandbox.git('switch', '-q', 'readygate/one');
    const repo = await sandbox.repo();
    const { failed } = await resolveStale(repo, { choice: 'delete' });
    expect(failed?.message).toContain('git config branch.readygate/one.readygateBase <branch>');
    sandbox.git('config', 'branch.readygate/one.readygateBase', 'main');
    expect((await resolveStale(repo, { choice: 'delete' })).failed).toBeNull();
    expect(sandbox.branch()).toBe('main');
  });

  it('deletes a branch without a base when it is not checked out', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', null, { a: '1' });
    leftBehind(sandbox, 'readygate/two', 'gone', { b: '1' });
    expect((await resolveStale(await sandbox.repo(), { choice: 'delete' })).failed).toBeNull();
    expect(sandbox.branches()).toEqual(['main']);
  });

  it('gets through a chain of branches made from each other', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/a', 'main', { a: '1' });
    leftBehind(sandbox, 'readygate/b', 'readygate/a', { b: '1' });
    leftBehind(sandbox, 'readygate/c', 'readygate/b', { c: '1' });
    sandbox.git('switch', '-q', 'readygate/c');
    const { failed, done } = await resolveStale(await sandbox.repo(), { choice: 'delete' });
    expect({ failed, done: names(done) }).toEqual({ failed: null, done: ['readygate/c', 'readygate/b', 'readygate/a'] });
    expect([sandbox.branch(), ...sandbox.branches()]).toEqual(['main', 'main']);
  });

  it("never touches the session's own, a kept one, or one of another work tree", async () => {
    const sandbox = makeRepository();
    for (const name of ['own', 'kept', 'elsewhere', 'stale']) leftBehind(sandbox, `readygate/${name}`, 'main', { [name]: '1' });
    sandbox.git('config', 'branch.readygate/kept.readygateKept', 'leave_branch');
    sandbox.git('worktree', 'add', '-q', join(emptyFolder(), 'tree'), 'readygate/elsewhere');
    const { done } = await resolveStale(await sandbox.repo(), { choice: 'delete', except: 'readygate/own' });
    expect(names(done)).toEqual(['readygate/stale']);
    expect(sandbox.branches()).toEqual(['main', 'readygate/elsewhere', 'readygate/kept', 'readygate/own']);
  });
});

describe('merging stale branches', () => {
  it("merges each into its own base and ends on the branch the user was on, with the user's files untouched", async () => {
    const sandbox = makeRepository(USERS_FILES);
    sandbox.git('branch', 'dev');
    leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    leftBehind(sandbox, 'readygate/two', 'dev', { b: '1' });
    sandbox.git('switch', '-q', '-c', 'mine');
    const users = usersWork(sandbox);
    const before = users.picture();
    const { done, left, failed } = await resolveStale(await sandbox.repo(), { choice: 'merge' });
    expect({ done: done.map((step) => step.action), left, failed }).toEqual({ done: ['merged', 'merged'], left: [], failed: null });
    expect(sandbox.branch()).toBe('mine');
    expect([sandbox.git('show', 'main:a'), sandbox.git('show', 'dev:b')]).toEqual(['1', '1']);
    expect(sandbox.branches()).toEqual(['dev', 'main', 'mine']);
    expect(users.picture()).toEqual(before);
  });

  it('merges the one that is checked out, and ends on its base', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    sandbox.git('switch', '-q', 'readygate/one');
    expect((await resolveStale(await sandbox.repo(), { choice: 'merge' })).failed).toBeNull();
    expect([sandbox.branch(), sandbox.read('a')]).toEqual(['main', '1']);
  });

  it('merges a chain from its end', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/a', 'main', { a: '1' });
    leftBehind(sandbox, 'readygate/b', 'readygate/a', { b: '1' });
    expect((await resolveStale(await sandbox.repo(), { choice: 'merge' })).failed).toBeNull();
    expect(sandbox.branches()).toEqual(['main']);
    expect([sandbox.read('a'), sandbox.read('b')]).toEqual(['1', '1']);
  });

  it('undoes a merge that conflicts, reports it, and delete can follow for the rest', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    leftBehind(sandbox, 'readygate/1 fine'.replace(' ', '-'), 'main', { b: '1\n' });
    leftBehind(sandbox, 'readygate/2-conflict', 'main', { a: 'stale\n' });
    leftBehind(sandbox, 'readygate/3-later', 'main', { c: '1\n' });
    sandbox.write('a', 'main\n');
    sandbox.commit('main moves');
    sandbox.git('switch', '-q', '-c', 'mine');
    const repo = await sandbox.repo();
    const first = await resolveStale(repo, { choice: 'merge' });
    expect(names(first.done)).toEqual(['readygate/1-fine']);
    expect(first.failed).toMatchObject({ name: 'readygate/2-conflict', message: expect.stringContaining('conflicts with main in: a') });
    expect(names(first.left)).toEqual(['readygate/2-conflict', 'readygate/3-later']);
    expect([sandbox.branch(), sandbox.status()]).toEqual(['mine', '']);
    const second = await resolveStale(repo, { choice: 'delete' });
    expect({ done: names(second.done), left: second.left }).toEqual({ done: ['readygate/2-conflict', 'readygate/3-later'], left: [] });
  });

  it('reports a base that does not exist any more', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'gone', { a: '1' });
    const { failed } = await resolveStale(await sandbox.repo(), { choice: 'merge' });
    expect(failed?.message).toContain('The base gone of readygate/one does not exist any more');
  });

  it("is blocked by the user's files where they would be overwritten", async () => {
    const sandbox = makeRepository({ a: '1\n' });
    leftBehind(sandbox, 'readygate/one', 'main', { a: '2\n' });
    sandbox.write('a', 'precious\n');
    const { failed } = await resolveStale(await sandbox.repo(), { choice: 'merge' });
    expect(failed?.message).toContain('a');
    expect([sandbox.branch(), sandbox.read('a')]).toEqual(['main', 'precious\n']);
  });
});

describe('continuing', () => {
  it('leaves stale branches where they are', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    const outcome = await resolveStale(await sandbox.repo(), { choice: 'continue' });
    expect(outcome).toMatchObject({ done: [], adopted: null, failed: null });
    expect(names(outcome.left)).toEqual(['readygate/one']);
  });

  it('adopts the one that is checked out', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'main', { a: '1' });
    leftBehind(sandbox, 'readygate/two', 'main', { b: '1' });
    sandbox.git('switch', '-q', 'readygate/one');
    const outcome = await resolveStale(await sandbox.repo(), { choice: 'continue' });
    expect(outcome.adopted).toEqual({ name: 'readygate/one', base: 'main' });
    expect(names(outcome.left)).toEqual(['readygate/two']);
  });

  it('cannot adopt one that has no base to go back to', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one', 'gone', { a: '1' });
    sandbox.git('switch', '-q', 'readygate/one');
    expect((await resolveStale(await sandbox.repo(), { choice: 'continue' })).failed?.message).toContain('gone');
  });
});

describe('cleaning up', () => {
  it('removes every stale branch with a command to restore it, and reports those it cannot', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    leftBehind(sandbox, 'readygate/one', 'main', { a: '2\n' });
    leftBehind(sandbox, 'readygate/two', 'main', { b: '1' });
    leftBehind(sandbox, 'readygate/kept', 'main', { c: '1' });
    sandbox.git('config', 'branch.readygate/kept.readygateKept', 'pull_request');
    sandbox.git('switch', '-q', 'readygate/one');
    sandbox.write('a', 'precious\n');
    const repo = await sandbox.repo();
    const first = await cleanStale(repo);
    expect({ removed: names(first.removed), failed: names(first.failed), left: names(first.left) }).toEqual({
      removed: ['readygate/two'],
      failed: ['readygate/one'],
      left: ['readygate/one'],
    });
    expect(sandbox.read('a')).toBe('precious\n');
    obey(sandbox, first.removed[0]?.restore);
    sandbox.git('restore', 'a');
    const second = await cleanStale(repo);
    expect({ removed: names(second.removed), failed: second.failed, left: second.left }).toEqual({
      removed: ['readygate/one', 'readygate/two'],
      failed: [],
      left: [],
    });
    expect(sandbox.branches()).toEqual(['main', 'readygate/kept']);
    expect(await staleBranches(repo)).toEqual([]);
  });
});
