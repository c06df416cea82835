import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { emptyFolder, Sandbox } from '../git/sandbox.ts';
import { THOROUGH } from '../soak.ts';
import { placeOf, World, walk } from './world.ts';

const START = ['DOCUMENT_RESEARCH', 'QUERY_FRAME'];
/** A small request: what 4b and 4c would ask is answered along with 4a. */
const UNDERSTAND = ['REQUEST_UNDERSTANDING.4a'];
const EXPLORE = [...UNDERSTAND, 'EXPLORATION', 'Q1', 'SEMANTIC', 'Q2', 'VERIFICATION', 'Q3', 'IMPACT_ANALYSIS'];
const READY = ['READY.plan', 'READY.implement', 'READY.finish'];
const VERIFY = ['POST_IMPL_VERIFY'];

const NO = {
  Q1: { needs_more_information: false, reason: 'everything is in one file' },
  Q2: { has_unverified_hypotheses: false, reason: 'all was read' },
  Q3: { needs_impact_analysis: false, reason: 'nothing else uses it' },
};

describe('a whole session with git', () => {
  test('goes through every step to a merge, and leaves the repository clean on its base', async () => {
    const world = new World();
    const host = await world.host();
    const { trail, answer } = await walk(world, host, await host.start('add a greeting'));
    expect(trail).toEqual([...START, ...EXPLORE, ...READY, ...VERIFY, 'PRE_COMMIT', 'QUALITY_REVIEW', 'MERGE']);
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', step: null, outcome: 'completed', call: 'start_session' });
    expect(world.box.branch()).toBe('main');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.status()).toBe('');
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(world.box.line('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(world.box.line('log', '-1', '--format=%B', 'HEAD^2')).toContain(`Readygate-Session: ${answer.session_id}`);
    expect(host.stderr).toBe('');
  });

  const flags: [string, string[], Record<string, unknown>][] = [
    ['--gate=full', [...START, ...EXPLORE, ...READY, ...VERIFY, 'PRE_COMMIT', 'QUALITY_REVIEW', 'MERGE'], NO],
    [
      '--gate=auto',
      [...START, ...UNDERSTAND, 'EXPLORATION', 'Q1', 'Q2', 'Q3', ...READY, ...VERIFY, 'PRE_COMMIT', 'QUALITY_REVIEW', 'MERGE'],
      NO,
    ],
    ['-f', [...START, ...READY, ...VERIFY, 'PRE_COMMIT', 'MERGE'], {}],
    ['--no-verify', [...START, ...EXPLORE, ...READY, 'PRE_COMMIT', 'QUALITY_REVIEW', 'MERGE'], {}],
    ['--no-quality', [...START, ...EXPLORE, ...READY, ...VERIFY, 'PRE_COMMIT', 'MERGE'], {}],
    ['--no-doc', ['QUERY_FRAME', ...EXPLORE, ...READY, ...VERIFY, 'PRE_COMMIT', 'QUALITY_REVIEW', 'MERGE'], {}],
    ['--fast --no-doc-research --no-verify', ['QUERY_FRAME', ...READY, 'PRE_COMMIT', 'MERGE'], {}],
    ['--fast --no-pre-planning -ni', [...START, ...READY, ...VERIFY, 'PRE_COMMIT', 'MERGE'], {}],
  ];
  // What the flags lead to is walked in flow/matrix.test.ts; here it is about the way through a running server.
  const walked = THOROUGH ? flags : flags.filter(([given]) => ['--gate=full', '-f', '--no-doc'].includes(given));
  test.each(walked)('%s goes its own way to the same merge', async (given, expected, replies) => {
    const world = new World();
    const host = await world.host();
    const { trail, answer } = await walk(world, host, await host.start(`${given} add a greeting`), { replies });
    expect(trail).toEqual(expected);
    expect(answer.outcome).toBe('completed');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(world.box.status()).toBe('');
  });

  test('answers sent ahead at Q1 save two round trips', async () => {
    const world = new World();
    const host = await world.host();
    const ahead = { ...NO.Q1, q2: NO.Q2, q3: NO.Q3 };
    const { trail } = await walk(world, host, await host.start('add a greeting'), { replies: { Q1: ahead }, until: 'READY.plan' });
    expect(trail).toEqual([...START, ...UNDERSTAND, 'EXPLORATION', 'Q1']);
  });

  test.each([
    ['--quick', [...START, ...READY, ...VERIFY]],
    ['--quick --no-verify', [...START, ...READY]],
  ])('%s makes no branch and no commit, and lists what it left', async (given, expected) => {
    const world = new World();
    const host = await world.host();
    const head = world.box.head();
    const { trail, answer } = await walk(world, host, await host.start(`${given} add a greeting`));
    expect(trail).toEqual(expected);
    expect(answer.outcome).toBe('completed');
    expect(answer.instruction).toContain('hello.txt');
    expect(world.box.head()).toBe(head);
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.status()).toBe('?? hello.txt\n');
  });

  test.each([
    ['-v', 'IMPLEMENT', { passed: true, details: 'all is well' }, 'verified'],
    ['--only-verify', 'QUESTION', { passed: false, details: 'one test fails' }, 'verification_failed'],
  ])('%s starts at the verification and ends with it (%s)', async (given, intent, reply, outcome) => {
    const world = new World();
    const host = await world.host();
    const { trail, answer } = await walk(world, host, await host.start(given, { intent }), { replies: { POST_IMPL_VERIFY: reply } });
    expect(trail).toEqual(VERIFY);
    expect(answer.outcome).toBe(outcome);
    expect(world.box.branches()).toEqual(['main']);
  });

  test.each([
    ['what is this?', 'QUESTION'],
    ['look into this', 'INVESTIGATE'],
    ['--only-explore add a greeting', 'IMPLEMENT'],
    ['-e --quick add a greeting', 'MODIFY'],
  ])('an investigation ends before any change is planned: %s', async (request, intent) => {
    const world = new World();
    const host = await world.host();
    const { trail, answer } = await walk(world, host, await host.start(request, { intent }));
    expect(trail).toEqual([...START, ...EXPLORE]);
    expect(answer.outcome).toBe('investigated');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.status()).toBe('');
  });

  test('nothing_to_do ends on the base, and an empty task branch is removed', async () => {
    const world = new World(undefined, {});
    const host = await world.host();
    const first = { finish: 'nothing_to_do', reason: 'it is there already' };
    const early = await walk(world, host, await host.start('--fast add a greeting'), { replies: { 'READY.plan': first } });
    expect(early.answer.outcome).toBe('nothing_to_do');
    const failing = { passed: false, details: 'it was never needed' };
    const plans = [{ tasks: [{ id: 'a', description: 'try', status: 'pending' }] }, first];
    const replies = { 'READY.plan': plans, POST_IMPL_VERIFY: [failing] };
    const late = await walk(world, host, await host.start('--fast add a greeting'), { replies });
    expect(late.answer.outcome).toBe('nothing_to_do');
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.branch()).toBe('main');
  });

  test("the user's dirty files are as they were after the merge", async () => {
    const world = new World();
    world.box.write('readme.md', 'changed by the user\n');
    world.box.write('notes.txt', 'mine\n');
    const host = await world.host();
    const replies = { PRE_COMMIT: { reviewed_files: ['hello.txt'], commit_message: 'Add a greeting' } };
    const { answer } = await walk(world, host, await host.start('--fast add a greeting'), { replies });
    expect(answer.outcome).toBe('completed');
    expect(world.box.status()).toBe(' M readme.md\n?? notes.txt\n');
    expect(world.box.read('readme.md')).toBe('changed by the user\n');
    expect(world.box.committed('HEAD')).toEqual(['hello.txt']);
  });

  test('a project that is in a folder of the repository works on the whole of it', async () => {
    const world = new World();
    world.box.write('deep/folder/file.txt', 'x\n');
    world.box.commit('deep');
    const host = await world.host({ project: `${world.root}/deep/folder` });
    const { answer } = await walk(world, host, await host.start('--fast add a greeting'));
    expect(answer.outcome).toBe('completed');
    expect(existsSync(world.path('sessions'))).toBe(true);
    expect(existsSync(`${world.root}/deep/folder/.readygate`)).toBe(false);
  });
});

describe('a session without git', () => {
  const folder = () => new World(new Sandbox(emptyFolder('plain')));

  test('walks the files of a quick session and lists what changed', async () => {
    const world = folder();
    world.box.write('there.txt', 'before\n');
    const host = await world.host();
    const { trail, answer } = await walk(world, host, await host.start('--quick add a greeting'));
    expect(trail).toEqual([...START, ...READY, ...VERIFY]);
    expect(answer.outcome).toBe('completed');
    expect(answer.instruction).toContain('hello.txt');
    expect(answer.instruction).not.toContain('there.txt');
  });

  test('investigates, and verifies', async () => {
    const world = folder();
    const host = await world.host();
    expect((await walk(world, host, await host.start('what is this?', { intent: 'QUESTION' }))).answer.outcome).toBe('investigated');
    expect((await walk(world, host, await host.start('--only-verify'))).answer.outcome).toBe('verified');
  });

  test('does not begin a session that would need a branch', async () => {
    const world = folder();
    const host = await world.host();
    const answer = await host.start('add a greeting');
    expect(answer).toMatchObject({ error: 'git_failed', message: expect.stringMatching(/git init.*--quick/) });
    expect(existsSync(world.path())).toBe(false);
  });
});

describe("the user's research prompts", () => {
  test('are handed out at step 3, all or those the flag names', async () => {
    const world = new World();
    world.box.write('.readygate/doc_research/style.md', 'Read the style guide.');
    world.box.write('.readygate/doc_research/api.md', 'Read the API notes.');
    const host = await world.host();
    expect((await host.start('--doc-research=nope add')).error).toBe('bad_arguments');
    const one = await host.start('--doc-research=style add a greeting');
    expect(placeOf(one)).toBe('DOCUMENT_RESEARCH');
    expect(one.instruction).toContain('style guide');
    expect(one.instruction).not.toContain('API notes');
  });
});

describe('what is left of a session', () => {
  test('its folder holds the final state and a journal of every step; state.json is gone', async () => {
    const world = new World();
    const host = await world.host();
    const { answer, trail } = await walk(world, host, await host.start('add a greeting'));
    expect(world.bytes()).toBeNull();
    const final = JSON.parse(readFileSync(world.path('sessions', answer.session_id, 'state.json'), 'utf8'));
    expect(final).toMatchObject({ phase: 'SESSION_COMPLETE', gate: 'closed', outcome: 'completed', step: 19 });
    const journal = world.journal(answer.session_id);
    expect(journal.filter((line) => line.event === 'start')).toHaveLength(1);
    expect(journal.filter((line) => line.event === 'transition')).toHaveLength(trail.length);
    expect(journal.filter((line) => line.event === 'done').map((line) => line.effect)).toEqual(['create_branch', 'commit', 'merge']);
    expect(journal.at(-1)).toMatchObject({ phase: 'MERGE', to: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(world.box.status()).toBe('');
  });
});
