import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  branchExists,
  checkedOutElsewhere,
  createTaskBranch,
  recordedBase,
  staleBranches,
  switchTo,
  taskBranches,
  taskBranchName,
  tipOf,
} from '../../../mcp-server/src/git/branches.ts';
import { deleteEmptyTaskBranch, leaveBranch } from '../../../mcp-server/src/git/merge.ts';
import { mergeBranch } from '../../../mcp-server/src/git/merge_branch.ts';
import { commitOf, currentBranch, currentHead, inspect } from '../../../mcp-server/src/git/repository.ts';
import { emptyFolder, failureOf, makeRepository, Sandbox, USERS_FILES, usersWork } from './sandbox.ts';

const NAME = taskBranchName('2025-11-30-abc');

/** A finished commit on a new task branch; ends on main. */
function leftBehind(sandbox: Sandbox, name: string, base: string | null = 'main'): void {
  sandbox.git('switch', '-q', '-c', name);
  if (base !== null) sandbox.git('config', `branch.${name}.readygateBase`, base);
  sandbox.write(`${name.replace('/', '-')}.txt`, 'x\n');
  sandbox.git('add', `${name.replace('/', '-')}.txt`);
  sandbox.git('commit', '-q', '-m', name);
  sandbox.git('switch', '-q', 'main');
}

describe('what git is asked about branches', () => {
  it('is answered with no where there is nothing: no commit yet, no such branch, a detached HEAD', async () => {
    const unborn = new Sandbox(emptyFolder());
    unborn.git('init', '-q', '-b', 'main');
    const repo = await unborn.repo();
    expect([await currentBranch(repo.root), await currentHead(repo.root), await branchExists(repo, 'main')]).toEqual(['main', null, false]);
    const box = makeRepository();
    box.git('checkout', '-q', '--detach');
    const born = await box.repo();
    expect([await currentBranch(born.root), await branchExists(born, 'main'), await branchExists(born, 'gone')]).toEqual([
      null,
      true,
      false,
    ]);
    expect([await tipOf(born, 'gone'), await commitOf(born.root, 'HEAD^2'), await recordedBase(born, 'gone')]).toEqual([null, null, null]);
  });

  it('is a failure, not a no, where git refuses the repository', async () => {
    const box = makeRepository();
    const repo = await box.repo();
    box.write('.git/config', '[bad');
    const questions = [
      branchExists(repo, 'main'),
      tipOf(repo, 'main'),
      currentBranch(repo.root),
      recordedBase(repo, NAME),
      checkedOutElsewhere(repo, 'main'),
      mergeBranch(repo, { branch: NAME, base: 'main', returnTo: 'main' }),
    ];
    for (const question of questions) expect((await failureOf(question)).message).toContain('bad config');
    expect((await inspect(box.root)).failure?.message).toContain('bad config');
  });
});

describe('the task branch', () => {
  it("is made at HEAD, remembers its base, and leaves the user's files bit for bit as they are", async () => {
    const sandbox = makeRepository(USERS_FILES);
    const users = usersWork(sandbox);
    const before = users.picture();
    const head = sandbox.head();
    await createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' });
    expect([sandbox.branch(), sandbox.head()]).toEqual([NAME, head]);
    expect(await recordedBase(await sandbox.repo(), NAME)).toBe('main');
    expect(users.picture()).toEqual(before);
  });

  it('is only switched to when it is there already', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, NAME);
    const tip = sandbox.line('rev-parse', NAME);
    const repo = await sandbox.repo();
    await createTaskBranch(repo, { name: NAME, base: 'main' });
    await createTaskBranch(repo, { name: NAME, base: 'main' });
    expect([sandbox.branch(), sandbox.head()]).toEqual([NAME, tip]);
  });

  it('tracks nothing, whatever the configuration says', async () => {
    const sandbox = makeRepository();
    sandbox.git('config', 'branch.autoSetupMerge', 'always');
    await createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' });
    expect(() => sandbox.git('config', `branch.${NAME}.merge`)).toThrow();
  });

  it('counts as made when only a hook behind it failed', async () => {
    const sandbox = makeRepository();
    sandbox.hook('post-checkout', 'exit 1');
    await createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' });
    expect(sandbox.branch()).toBe(NAME);
  });

  it('cannot be made beside a branch named readygate, and that is a GitFailed', async () => {
    const sandbox = makeRepository();
    sandbox.git('branch', 'readygate');
    await failureOf(createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' }));
    expect(sandbox.branch()).toBe('main');
  });

  it('cannot be made in the middle of a merge', async () => {
    const sandbox = makeRepository({ f: '1\n' });
    leftBehind(sandbox, 'side');
    sandbox.git('merge', '-q', '--no-commit', '--no-ff', 'side');
    await failureOf(createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' }));
    expect(sandbox.branch()).toBe('main');
  });
});

describe('switching', () => {
  it('refuses to overwrite an ignored file', async () => {
    const sandbox = makeRepository({ '.gitignore': 'secret\n' });
    sandbox.git('switch', '-q', '-c', 'other');
    sandbox.write('secret', 'tracked there');
    sandbox.git('add', '-f', 'secret');
    sandbox.git('commit', '-qm', 'secret');
    sandbox.git('switch', '-q', 'main');
    sandbox.write('secret', 'precious');
    await failureOf(switchTo(await sandbox.repo(), 'other'));
    expect([sandbox.branch(), sandbox.read('secret')]).toEqual(['main', 'precious']);
  });
});

describe('stale branches', () => {
  it('are none in a fresh repository', async () => {
    expect(await staleBranches(await makeRepository().repo())).toEqual([]);
  });

  it('are described with base, commits ahead, date, and what is dirty or checked out', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, 'readygate/one');
    leftBehind(sandbox, 'readygate/no-base', null);
    leftBehind(sandbox, 'readygate/lost', 'gone');
    const repo = await sandbox.repo();
    const [lost, none, one] = await staleBranches(repo);
    expect(one).toEqual({
      name: 'readygate/one',
      base: 'main',
      base_exists: true,
      ahead: 1,
      last_commit: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      dirty: false,
      checked_out: false,
      kept: null,
    });
    expect(none).toMatchObject({ base: null, base_exists: false, ahead: null });
    expect(lost).toMatchObject({ base: 'gone', base_exists: false, ahead: null });
    sandbox.git('switch', '-q', 'readygate/one');
    expect((await staleBranches(repo))[2]).toMatchObject({ checked_out: true, dirty: false });
    sandbox.write('x', 'x');
    expect((await staleBranches(repo))[2]).toMatchObject({ checked_out: true, dirty: true });
  });

  it("are not the session's own, not kept ones, not those of another work tree", async () => {
    const sandbox = makeRepository();
    for (const name of ['readygate/own', 'readygate/left', 'readygate/pr', 'readygate/elsewhere', 'readygate/stale', 'other/branch'])
      leftBehind(sandbox, name);
    sandbox.git('config', 'branch.readygate/left.readygateKept', 'leave_branch');
    sandbox.git('config', 'branch.readygate/pr.readygateKept', 'pull_request');
    const tree = join(emptyFolder(), 'tree');
    sandbox.git('worktree', 'add', '-q', tree, 'readygate/elsewhere');
    const repo = await sandbox.repo();
    expect((await staleBranches(repo, { except: 'readygate/own' })).map((branch) => branch.name)).toEqual(['readygate/stale']);
    const kept = new Map((await taskBranches(repo)).map((branch) => [branch.name, branch]));
    expect(kept.get('readygate/pr')?.kept).toBe('pull_request');
    expect(kept.get('readygate/elsewhere')?.elsewhere).toBe(tree);
    // From the other side, its own branch is the stale one.
    const there = await new Sandbox(tree).repo();
    expect((await staleBranches(there, { except: 'readygate/own' })).map((branch) => branch.name)).toEqual([
      'readygate/elsewhere',
      'readygate/stale',
    ]);
  });
});

describe('leaving the branch', () => {
  it('ends on the base, and the branch is kept on purpose', async () => {
    const sandbox = makeRepository(USERS_FILES);
    const users = usersWork(sandbox);
    const before = users.picture();
    const repo = await sandbox.repo();
    await createTaskBranch(repo, { name: NAME, base: 'main' });
    await leaveBranch(repo, { branch: NAME, base: 'main', kind: 'pull_request' });
    await leaveBranch(repo, { branch: NAME, base: 'main', kind: 'pull_request' });
    expect(sandbox.branch()).toBe('main');
    expect(await staleBranches(repo)).toEqual([]);
    expect((await taskBranches(repo))[0]).toMatchObject({ name: NAME, base: 'main', kept: 'pull_request' });
    expect(users.picture()).toEqual(before);
  });

  it("does not overwrite the user's files", async () => {
    const sandbox = makeRepository({ f: '1\n' });
    const repo = await sandbox.repo();
    await createTaskBranch(repo, { name: NAME, base: 'main' });
    sandbox.write('f', '2\n');
    sandbox.commit('task');
    sandbox.write('f', 'precious\n');
    const failure = await failureOf(leaveBranch(repo, { branch: NAME, base: 'main', kind: 'leave_branch' }));
    expect(failure.message).toContain('f');
    expect([sandbox.branch(), sandbox.read('f')]).toEqual([NAME, 'precious\n']);
  });

  it('says so when the base is gone', async () => {
    const sandbox = makeRepository();
    await createTaskBranch(await sandbox.repo(), { name: NAME, base: 'main' });
    sandbox.git('branch', '-D', 'main');
    const failure = await failureOf(leaveBranch(await sandbox.repo(), { branch: NAME, base: 'main', kind: 'leave_branch' }));
    expect(failure.message).toContain('main');
  });
});

describe('deleting an empty task branch', () => {
  it('ends on the base without branch or configuration, and can be repeated', async () => {
    const sandbox = makeRepository(USERS_FILES);
    const users = usersWork(sandbox);
    const before = users.picture();
    const repo = await sandbox.repo();
    await createTaskBranch(repo, { name: NAME, base: 'main' });
    expect(await deleteEmptyTaskBranch(repo, { branch: NAME, base: 'main' })).toEqual({ deleted: true });
    expect(await deleteEmptyTaskBranch(repo, { branch: NAME, base: 'main' })).toEqual({ deleted: true });
    expect([sandbox.branch(), ...sandbox.branches()]).toEqual(['main', 'main']);
    expect(sandbox.read('.git/config')).not.toContain('readygate');
    expect(users.picture()).toEqual(before);
  });

  it('leaves a branch with a commit of its own', async () => {
    const sandbox = makeRepository();
    leftBehind(sandbox, NAME);
    sandbox.git('switch', '-q', NAME);
    expect(await deleteEmptyTaskBranch(await sandbox.repo(), { branch: NAME, base: 'main' })).toEqual({ deleted: false });
    expect(sandbox.branch()).toBe(NAME);
  });
});
