import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { makeRepository } from '../git/sandbox.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

/** A world where an earlier session left its branch behind with one commit. It is not checked out. */
function abandoned(name = 'readygate/20200101-000000-aaaaaa'): World {
  const world = new World();
  const { box } = world;
  box.git('switch', '-q', '-c', name);
  box.write('old.txt', 'unfinished\n');
  box.commit('unfinished');
  box.git('config', `branch.${name}.readygateBase`, 'main');
  box.git('switch', '-q', 'main');
  return world;
}

const OLD = 'readygate/20200101-000000-aaaaaa';

/** Runs a command that an answer told the user to type. */
const typed = (world: World, command: string): string => execFileSync('sh', ['-c', command], { cwd: world.root, encoding: 'utf8' });

const restoreIn = (text: string): string => /git branch readygate\S+ refs\/readygate\/trash\S+/.exec(text)?.[0] ?? '';

describe('stale task branches, where the client can ask', () => {
  test.each([
    ['delete', false],
    ['merge', false],
    ['continue', true],
  ])('are put to the person at the start, who says %s; the model is not asked any more', async (choice, stays) => {
    const world = abandoned();
    const host = await world.host({ person: () => choice });
    const answer = await host.start('--no-doc add a greeting');
    expect(answer.phase).toBe('QUERY_FRAME');
    expect(host.questions).toEqual([
      { question: expect.stringContaining(`${OLD}: base main, 1 ahead`), choices: ['delete', 'merge', 'continue'] },
    ]);
    expect(world.box.branches().includes(OLD)).toBe(stays);
    expect(world.box.has('old.txt')).toBe(choice === 'merge');
    expect(world.journal(answer.session_id).at(-1)).toMatchObject({ kind: 'choice', by: 'person' });
  });

  test.each(['cancel', 'decline'])('are left to the instruction when the person says %s', async (said) => {
    const world = abandoned();
    const host = await world.host({ person: () => said });
    expect(await host.start('add a greeting')).toMatchObject({ phase: 'BRANCH_INTERVENTION', step: 2 });
    expect((await host.submit({ choice: 'continue' })).phase).toBe('DOCUMENT_RESEARCH');
    expect(host.questions).toHaveLength(1);
  });

  test('are left to the instruction when nobody answers in time', async () => {
    const world = abandoned();
    const host = await world.host({ person: () => new Promise(() => {}), env: { READYGATE_ANSWER_MS: '200' } });
    expect(await host.start('add a greeting')).toMatchObject({ phase: 'BRANCH_INTERVENTION', step: 2 });
    expect(world.box.branches()).toContain(OLD);
  });
});

describe('stale task branches', () => {
  test('are shown with base, commits ahead and date before anything else is asked', async () => {
    const world = abandoned();
    const host = await world.host();
    const answer = await host.start('add a greeting');
    expect(answer).toMatchObject({ phase: 'BRANCH_INTERVENTION', step: 2, expected_payload: { choice: 'delete|merge|continue' } });
    expect(answer.instruction).toMatch(new RegExp(`${OLD}: base main, 1 ahead, last commit \\d{4}-\\d\\d-\\d\\d`));
  });

  test('delete removes them, and the answer tells the command that brings each back', async () => {
    const world = abandoned();
    const tip = world.box.line('rev-parse', OLD);
    const host = await world.host();
    await host.start('--no-doc add a greeting');
    const answer = await host.submit({ choice: 'delete' });
    expect(answer.phase).toBe('QUERY_FRAME');
    expect(world.box.branches()).toEqual(['main']);
    const command = restoreIn(answer.instruction);
    expect(command).not.toBe('');
    typed(world, command);
    expect(world.box.line('rev-parse', OLD)).toBe(tip);
  });

  test('merge brings them into their base', async () => {
    const world = abandoned();
    const host = await world.host();
    await host.start('--no-doc add a greeting');
    const answer = await host.submit({ choice: 'merge' });
    expect(answer.phase).toBe('QUERY_FRAME');
    expect(answer.instruction).toContain('merged into main');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.read('old.txt')).toBe('unfinished\n');
  });

  test('a merge that conflicts is taken back and stays here, and another choice may follow', async () => {
    const world = abandoned();
    world.box.write('old.txt', 'something else\n');
    world.box.commit('in the way');
    const host = await world.host();
    await host.start('--no-doc add a greeting');
    const answer = await host.submit({ choice: 'merge' });
    expect(answer).toMatchObject({ phase: 'BRANCH_INTERVENTION', step: 2 });
    expect(answer.instruction).toContain('old.txt');
    expect(world.box.status()).toBe('');
    expect(world.box.branch()).toBe('main');
    expect((await host.submit({ choice: 'delete' })).phase).toBe('QUERY_FRAME');
    expect(world.box.branches()).toEqual(['main']);
  });

  test('continue leaves those that are not checked out', async () => {
    const world = abandoned();
    const host = await world.host();
    const started = await host.start('--fast add a greeting');
    const { answer } = await walk(world, host, started);
    expect(answer.outcome).toBe('completed');
    expect(world.box.branches()).toEqual(['main', OLD]);
  });

  test('continue takes the checked-out one over, with what is dirty there', async () => {
    const world = abandoned();
    world.box.git('switch', '-q', OLD);
    world.box.write('half.txt', 'half done\n');
    const host = await world.host();
    const started = await host.start('--fast add a greeting');
    expect(started.instruction).toContain('checked out here');
    const { answer } = await walk(world, host, started);
    expect(answer.outcome).toBe('completed');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.branch()).toBe('main');
    expect(world.box.read('old.txt')).toBe('unfinished\n');
    expect(world.box.read('half.txt')).toBe('half done\n');
    expect(world.box.status()).toBe('');
  });

  test('a branch that the user kept on purpose is not stale', async () => {
    const world = new World();
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start('--fast add a greeting'), {
      replies: { MERGE: { strategy: 'leave_branch' } },
    });
    expect(answer.outcome).toBe('completed');
    expect(world.box.branches()).toEqual(['main', `readygate/${answer.session_id}`]);
    expect((await host.start('add another')).phase).toBe('DOCUMENT_RESEARCH');
  });
});

describe('--clean', () => {
  test('without a session and without branches reports that there was nothing, and makes no folder', async () => {
    const world = new World();
    const host = await world.host();
    const answer = await host.start('--clean');
    expect(answer.error).toBeUndefined();
    expect(answer).toMatchObject({ session_id: null, cleaned: { session: null, branches: [] } });
    expect(answer.instruction).toMatch(/No session.*No stale/);
    expect(world.sessions()).toEqual([]);
    expect(world.box.has('.readygate')).toBe(false);
  });

  test('removes stale branches, and each comes back by the command beside it', async () => {
    const world = abandoned();
    const tip = world.box.line('rev-parse', OLD);
    const host = await world.host();
    const answer = await host.start('-c');
    expect(world.box.branches()).toEqual(['main']);
    expect(answer.cleaned).toMatchObject({ branches: [{ name: OLD, action: 'deleted' }] });
    typed(world, restoreIn(answer.instruction));
    expect(world.box.line('rev-parse', OLD)).toBe(tip);
  });

  test('tells which branches could not be removed, and why', async () => {
    const world = abandoned();
    world.box.git('switch', '-q', OLD);
    world.box.git('config', '--unset', `branch.${OLD}.readygateBase`);
    const host = await world.host();
    const answer = await host.start('--clean');
    expect(world.box.branches()).toEqual(['main', OLD]);
    expect(answer.instruction).toContain(OLD);
    expect(answer.instruction).toContain('could not be removed');
  });

  test('with an active session needs the user where the client cannot ask', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    const before = world.bytes();
    const answer = await host.start('--clean');
    expect(answer).toMatchObject({ error: 'guard_blocked', guard: 'RG09', message: expect.stringContaining('/readygate:code --clean') });
    expect(world.bytes()).toBe(before);
  });

  test.each(['keep', 'cancel', 'decline'])('the person says %s: nothing changes', async (said) => {
    const world = new World();
    const host = await world.host({ person: () => said });
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    const before = world.bytes();
    expect((await host.start('--clean')).error).toBe('guard_blocked');
    expect(host.questions).toEqual([{ question: expect.stringContaining(at.session_id), choices: ['clean', 'keep'] }]);
    expect(world.bytes()).toBe(before);
  });

  test('the person says clean: the session is archived, its branch removed with its tip kept, and another may start', async () => {
    const world = new World();
    const host = await world.host({ person: () => 'clean' });
    const at = await sessionAt(world, host, 'MERGE', '--fast --no-doc add a greeting');
    const tip = world.box.head();
    const answer = await host.start('--clean');
    expect(answer.cleaned).toMatchObject({ session: at.session_id });
    expect(world.bytes()).toBeNull();
    expect((await host.status({ session_id: at.session_id })).outcome).toBe('aborted');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.branch()).toBe('main');
    typed(world, restoreIn(answer.instruction));
    expect(world.box.line('rev-parse', `readygate/${at.session_id}`)).toBe(tip);
    typed(world, `git branch -D readygate/${at.session_id}`);
    expect(placeOf(await host.start('another'))).toBe('DOCUMENT_RESEARCH');
  });

  test('what is uncommitted on the session branch is not lost', async () => {
    const world = new World();
    const host = await world.host({ person: () => 'clean' });
    await sessionAt(world, host, 'READY.finish', '--fast --no-doc add a greeting');
    await host.start('--clean');
    expect(world.box.read('hello.txt')).toBe('hello\n');
  });

  test('a session that began while the person was asked is left alone', async () => {
    const world = new World();
    const asked = await world.host();
    const at = await sessionAt(world, asked, 'READY.plan', '--fast --no-doc add a greeting');
    let other: string | undefined;
    const host = await world.host({
      person: async () => {
        await asked.submit({ finish: 'nothing_to_do', reason: 'it is there' });
        other = (await asked.start('--no-doc another')).session_id;
        return 'clean';
      },
    });
    const answer = await host.start('--clean');
    expect(answer.error).toBe('guard_blocked');
    expect(other).not.toBe(at.session_id);
    expect(world.state().session).toBe(other);
  });

  test('works where there is no git', async () => {
    const world = new World(makeRepository());
    execFileSync('rm', ['-rf', `${world.root}/.git`]);
    const host = await world.host({ person: () => 'clean' });
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--quick --no-doc add a greeting');
    expect((await host.start('--clean')).cleaned).toMatchObject({ session: at.session_id });
    expect(world.bytes()).toBeNull();
  });
});

describe('--rebuild', () => {
  test('builds the index anew and touches nothing else, session or not', async () => {
    const world = new World();
    const host = await world.host();
    expect(await host.start('--rebuild')).toMatchObject({ rebuilt: true, session_id: null, index: { files: 1, indexed: 1 } });
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    world.box.write('.readygate/index/current.json', 'garbage');
    const before = world.bytes();
    const answer = await host.start('-r');
    expect(answer).toMatchObject({ rebuilt: true });
    expect(answer.instruction).toMatch(/was built anew: files indexed: 1 of 1/);
    expect(JSON.parse(world.box.read('.readygate/index/current.json'))).toHaveProperty('sha256');
    expect(world.bytes()).toBe(before);
    expect((await host.status()).session_id).toBe(at.session_id);
  });
});
