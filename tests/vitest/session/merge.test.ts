import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, makeRepository } from '../git/sandbox.ts';
import type { Answer, Host } from '../server/host.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

const SHORT = '--fast --no-verify --no-doc add a greeting';

/** At step 19 with a base that moved in the meantime and changed the same line. */
async function conflicting(): Promise<{ world: World; host: Host; stopped: Answer }> {
  const world = new World(makeRepository({ 'hello.txt': 'old\n' }));
  const host = await world.host();
  await sessionAt(world, host, 'MERGE', SHORT);
  const task = world.box.branch();
  world.box.git('switch', '-q', 'main');
  world.box.write('hello.txt', 'somebody else\n');
  world.box.commit('moved on');
  world.box.git('switch', '-q', task);
  const stopped = await host.submit({});
  return { world, host, stopped };
}

describe('a merge that conflicts', () => {
  test('is taken back, stays at step 19 on the task branch, and lists the ways out', async () => {
    const { world, stopped } = await conflicting();
    expect(stopped).toMatchObject({ phase: 'MERGE', step: 19 });
    expect(stopped.error).toBeUndefined();
    expect(stopped.instruction).toContain('hello.txt');
    expect(stopped.instruction).toMatch(/send \{\} again.*leave_branch.*"revert_to": "READY"/);
    expect(world.box.branch()).toBe(`readygate/${stopped.session_id}`);
    expect(world.box.status()).toBe('');
    expect(world.box.has('.git/MERGE_HEAD')).toBe(false);
  });

  test('goes through when it is tried again after the base was mended', async () => {
    const { world, host, stopped } = await conflicting();
    const task = world.box.branch();
    expect((await host.submit({})).instruction).toBe(stopped.instruction);
    world.box.git('switch', '-q', 'main');
    world.box.git('revert', '--no-edit', 'HEAD');
    world.box.git('switch', '-q', task);
    expect(await host.submit({})).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(world.box.branches()).toEqual(['main']);
  });

  test('can be left on its branch', async () => {
    const { world, host, stopped } = await conflicting();
    const answer = await host.submit({ strategy: 'leave_branch' });
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(answer.instruction).toContain(`readygate/${stopped.session_id}`);
    expect(world.box.branch()).toBe('main');
    expect(world.box.branches()).toEqual(['main', `readygate/${stopped.session_id}`]);
    expect(world.box.read('hello.txt')).toBe('somebody else\n');
  });

  test('can be resolved as a task: the markers are left in the files, and the merge commit takes both sides', async () => {
    const { world, host } = await conflicting();
    const back = await host.submit({ revert_to: 'READY' });
    expect(placeOf(back)).toBe('READY.plan');
    expect(back.instruction).toContain('hello.txt');
    expect(world.box.read('hello.txt')).toContain('<<<<<<<');
    world.edits['hello.txt'] = 'hello from both\n';
    const tasks = [{ id: 'resolve', description: 'resolve the markers', status: 'pending' }];
    const replies = { 'READY.plan': { tasks }, PRE_COMMIT: { reviewed_files: ['hello.txt'], commit_message: 'Resolve' } };
    const { answer, trail } = await walk(world, host, back, { replies });
    expect(trail).toEqual(['READY.plan', 'READY.implement', 'READY.finish', 'PRE_COMMIT', 'MERGE']);
    expect(answer.outcome).toBe('completed');
    expect(world.box.read('hello.txt')).toBe('hello from both\n');
    expect(world.box.branch()).toBe('main');
    expect(world.box.status()).toBe('');
    expect(world.box.line('log', '--format=%s')).toContain('moved on');
  });

  test('can be resolved at most three times', async () => {
    const { world, host, stopped } = await conflicting();
    let at = stopped;
    for (let time = 0; time < 3; time++) {
      const back = await host.submit({ revert_to: 'READY' });
      world.edits['hello.txt'] = `resolved ${time}\n`;
      const tasks = [{ id: `resolve${time}`, description: 'resolve', status: 'pending' }];
      const replies = { 'READY.plan': { tasks }, PRE_COMMIT: { reviewed_files: ['hello.txt'], commit_message: 'Resolve' } };
      at = (await walk(world, host, back, { replies, until: 'MERGE' })).answer;
      const task = world.box.branch();
      world.box.git('switch', '-q', 'main');
      world.box.write('hello.txt', `somebody again ${time}\n`);
      world.box.commit(`moved again ${time}`);
      world.box.git('switch', '-q', task);
      at = await host.submit({});
      expect(placeOf(at)).toBe('MERGE');
    }
    expect(await host.submit({ revert_to: 'READY' })).toMatchObject({ error: 'guard_blocked', guard: 'RG15' });
    expect((await host.submit({ strategy: 'leave_branch' })).outcome).toBe('completed');
  });

  test('revert_to READY without a conflict is a mistake', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'MERGE', SHORT);
    expect((await host.submit({ revert_to: 'READY' })).error).toBe('payload_mismatch');
  });
});

describe("a merge that the user's own files stand in the way of", () => {
  test('names them, stays at step 19, and goes through once they made room', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'MERGE', SHORT);
    const task = world.box.branch();
    world.box.git('switch', '-q', 'main');
    world.box.write('base.txt', 'from the base\n');
    world.box.commit('moved on');
    world.box.git('switch', '-q', task);
    world.box.write('base.txt', 'from the user, untracked\n');
    const answer = await host.submit({});
    expect(answer).toMatchObject({ phase: 'MERGE', step: 19 });
    expect(answer.instruction).toContain('base.txt');
    expect(world.box.read('base.txt')).toBe('from the user, untracked\n');
    expect(world.box.branch()).toBe(task);
    world.box.remove('base.txt');
    expect((await host.submit({})).outcome).toBe('completed');
  });
});

describe('a pull request', () => {
  /** A folder with a program `gh` that notes its arguments and says where the request is. */
  function withGh(world: World): Record<string, string> {
    const folder = emptyFolder('bin');
    writeFileSync(
      join(folder, 'gh'),
      `#!/bin/sh\necho "$@" > '${world.root}/../gh-said'\ncat >/dev/null\necho https://example.invalid/pr/7\n`,
    );
    chmodSync(join(folder, 'gh'), 0o755);
    return { PATH: `${folder}:${process.env.PATH}` };
  }

  function withRemote(world: World): string {
    const remote = emptyFolder('remote.git');
    mkdirSync(remote, { recursive: true });
    world.box.git('init', '-q', '--bare', remote);
    world.box.git('remote', 'add', 'origin', remote);
    return remote;
  }

  test('is refused unless the request asks for one', async () => {
    const world = new World();
    withRemote(world);
    const host = await world.host();
    await sessionAt(world, host, 'MERGE', SHORT);
    const before = world.bytes();
    expect(await host.submit({ strategy: 'pull_request' })).toMatchObject({ error: 'guard_blocked', guard: 'RG09', phase: 'MERGE' });
    expect(world.bytes()).toBe(before);
    expect(world.box.git('ls-remote', 'origin')).toBe('');
  });

  test('is opened when the request asks for one, and the branch is kept', async () => {
    const world = new World();
    withRemote(world);
    const host = await world.host({ env: withGh(world) });
    const at = await sessionAt(world, host, 'MERGE', `${SHORT} and open a pull request`);
    const answer = await host.submit({ strategy: 'pull_request' });
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(answer.instruction).toContain('https://example.invalid/pr/7');
    expect(world.box.git('ls-remote', 'origin')).toContain(`refs/heads/readygate/${at.session_id}`);
    expect(world.box.branch()).toBe('main');
    expect((await host.start('another')).phase).toBe('DOCUMENT_RESEARCH');
  });

  test('is not claimed where no program could open it: the branch is pushed and the answer says so', async () => {
    const world = new World();
    withRemote(world);
    const bare = emptyFolder('bin');
    linkProgram(bare, 'git');
    const host = await world.host({ env: { PATH: bare } });
    await sessionAt(world, host, 'MERGE', `${SHORT} as a PR`);
    const answer = await host.submit({ strategy: 'pull_request' });
    expect(answer.phase).toBe('SESSION_COMPLETE');
    expect(answer.instruction).toContain('open the request by hand');
    expect(answer.instruction).not.toContain('was opened');
  });

  test('without a remote is git_failed and stays at step 19', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'MERGE', `${SHORT} as a pull request`);
    const before = world.bytes();
    expect(await host.submit({ strategy: 'pull_request' })).toMatchObject({
      error: 'git_failed',
      message: expect.stringContaining('git remote add'),
      step: 19,
    });
    expect(world.bytes()).toBe(before);
    expect((await host.submit({})).outcome).toBe('completed');
  });
});

function linkProgram(folder: string, name: string): void {
  const found = (process.env.PATH ?? '').split(':').map((part) => join(part, name));
  writeFileSync(join(folder, name), `#!/bin/sh\nexec ${found.find((file) => existsSync(file))} "$@"\n`);
  chmodSync(join(folder, name), 0o755);
}

describe('a session that commits nothing', () => {
  const discardIt = { reviewed_files: [{ path: 'hello.txt', decision: 'discard', reason: 'not needed' }], commit_message: 'None' };
  const none = { reviewed_files: [], commit_message: 'None' };

  test.each<[string, Record<string, string>, Record<string, unknown>, Record<string, unknown>]>([
    ['all discarded', { 'hello.txt': 'hello\n' }, discardIt, {}],
    ['nothing changed', {}, none, {}],
    ['nothing changed, and the branch was to be left', {}, none, { strategy: 'leave_branch' }],
  ])('claims no commit and no merge: %s', async (_name, edits, review, merge) => {
    const world = new World(undefined, edits);
    const head = world.box.head();
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start(SHORT), { replies: { PRE_COMMIT: review, MERGE: merge } });
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'nothing_to_do' });
    expect(answer.instruction).toContain('Nothing was committed and nothing merged');
    expect(answer.instruction).not.toContain('was merged into');
    expect([world.box.head(), world.box.branches()]).toEqual([head, ['main']]);
    const session = String(answer.session_id);
    const done = world.journal(session).filter(({ event }) => event === 'done');
    const results = Object.fromEntries(done.map(({ effect, result }) => [effect, result]));
    expect(results).toMatchObject({ commit: { status: 'nothing' }, merge: { status: 'nothing', commit: null } });
    const summary = readFileSync(world.path('sessions', session, 'summary.md'), 'utf8');
    expect(summary).toContain('Nothing was committed and nothing merged');
    expect(summary).not.toMatch(/^- Merge/m);
  });
});
