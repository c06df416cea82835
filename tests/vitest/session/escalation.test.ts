import { describe, expect, test } from 'vitest';
import type { Answer, Host, Person } from '../server/host.ts';
import { placeOf, sessionAt, World, walk } from './world.ts';

const REQUEST = '--fast --no-doc -ni add a greeting';
const red = { passed: false, details: 'the greeting is rude' };
const retry = { tasks: [{ id: 'greet', description: 'add the greeting', status: 'pending' }] };
const replies = () => ({ POST_IMPL_VERIFY: () => red, 'READY.plan': () => retry });

/** A session whose sixth verification has just failed. */
async function escalated(person?: Person, env: Record<string, string> = {}): Promise<{ world: World; host: Host; answer: Answer }> {
  const world = new World();
  const host = await world.host(person ? { person, env } : {});
  const at = await sessionAt(world, host, 'POST_IMPL_VERIFY', REQUEST);
  let answer = at;
  for (let failures = 0; failures < 6; failures++) {
    answer = (await walk(world, host, answer, { replies: replies(), until: 'POST_IMPL_VERIFY' })).answer;
    answer = await host.submit(red);
  }
  return { world, host, answer };
}

describe('when verification keeps failing and the client cannot ask', () => {
  test('the answer waits for a decision of the user and says what failed', async () => {
    const { answer } = await escalated();
    expect(answer).toMatchObject({
      phase: 'VERIFY_INTERVENTION',
      step: 16,
      escalation: true,
      expected_payload: { user_decision: 'retry|accept|abort' },
    });
    expect(answer.instruction).toContain('the greeting is rude');
  });

  test('retry goes back to planning with every counter at zero', async () => {
    const { host, world } = await escalated();
    const back = await host.submit({ user_decision: 'retry', note: 'be kind' });
    expect(placeOf(back)).toBe('READY.plan');
    expect(back.warnings.join()).toContain('relayed by the model');
    expect((await host.status()).counters).toMatchObject({ verify_failures: 0, intervention_count: 0 });
    expect(world.journal(back.session_id).at(-1)).toMatchObject({ kind: 'decision', decision: 'retry', by: 'model' });
    const { answer } = await walk(world, host, back, { replies: { 'READY.plan': retry } });
    expect(answer.outcome).toBe('completed');
  });

  test('accept goes on to the commit, and the outcome says that it is unverified', async () => {
    const { host, world } = await escalated();
    const { answer, trail } = await walk(world, host, await host.submit({ user_decision: 'accept' }));
    expect(trail).toEqual(['PRE_COMMIT', 'MERGE']);
    expect(answer.outcome).toBe('accepted_unverified');
    expect((await host.status()).warnings.join()).toContain('although verification failed');
  });

  test('abort ends the session and undoes nothing', async () => {
    const { host, world } = await escalated();
    const answer = await host.submit({ user_decision: 'abort' });
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'aborted' });
    expect(world.box.branch()).toBe(`readygate/${answer.session_id}`);
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(world.bytes()).toBeNull();
  });

  test('what is no decision is refused', async () => {
    const { host, world } = await escalated();
    const before = world.bytes();
    for (const data of [{}, { user_decision: 'maybe' }, { passed: true, details: 'x' }]) {
      expect(await host.submit(data)).toMatchObject({ error: 'payload_mismatch', escalation: true });
    }
    expect(world.bytes()).toBe(before);
  });
});

describe('when the client can ask', () => {
  test.each([
    ['retry', 'READY.plan'],
    ['accept', 'PRE_COMMIT'],
    ['abort', 'SESSION_COMPLETE'],
  ])('the person is asked at once, and their %s is carried out', async (said, place) => {
    const { host, world, answer } = await escalated(() => said);
    expect(placeOf(answer)).toBe(place);
    expect(host.questions).toEqual([{ question: expect.stringContaining('the greeting is rude'), choices: ['retry', 'accept', 'abort'] }]);
    expect(host.questions[0]?.question).toContain(world.root);
    const line = world.journal(answer.session_id).find((entry) => entry.kind === 'decision');
    expect(line).toMatchObject({ decision: said, by: 'person' });
    expect(answer.warnings.join()).not.toContain('relayed');
  });

  test('a question that nobody answers in time keeps the decision with the person, and does not hang', async () => {
    const { world, host, answer } = await escalated(() => new Promise(() => {}), { READYGATE_ANSWER_MS: '200' });
    expect(answer).toMatchObject({ phase: 'VERIFY_INTERVENTION', escalation: true });
    expect(answer.warnings.join()).toContain('/readygate:decide');
    expect(await host.submit({ user_decision: 'accept' })).toMatchObject({ phase: 'VERIFY_INTERVENTION' });
    expect(world.state().phase).toBe('VERIFY_INTERVENTION');
  });

  test('a cancelled question leaves the decision to be relayed, and is not asked again by this server', async () => {
    const { host, answer } = await escalated(() => 'cancel');
    expect(placeOf(answer)).toBe('VERIFY_INTERVENTION.escalation');
    const back = await host.submit({ user_decision: 'retry' });
    expect(placeOf(back)).toBe('READY.plan');
    expect(back.warnings.join()).toContain('relayed by the model');
    expect(host.questions).toHaveLength(1);
  });

  test('a question begins with what is asked, quotes the agent on one line, and its choices say what they mean', async () => {
    const { host } = await escalated(() => 'cancel');
    const { question = '', titles = [] } = host.questions[0] ?? {};
    const [asked, agent] = question.split('\n');
    expect(asked).toBe('Verification keeps failing: how shall the work go on?');
    expect(agent).toBe('The agent says: “the greeting is rude”');
    expect(titles).toContain('accept: go on unverified, marked so');
  });

  test('a new server asks before it takes a decision from the model, and the person wins', async () => {
    const { host, world } = await escalated();
    await host.close();
    const other = await world.host({ person: () => 'retry' });
    expect(placeOf(await other.status())).toBe('VERIFY_INTERVENTION.escalation');
    expect(other.questions).toHaveLength(0);
    expect(placeOf(await other.submit({ user_decision: 'accept' }))).toBe('READY.plan');
    expect(other.questions).toHaveLength(1);
  });

  test('the model may always abort', async () => {
    const { host, world } = await escalated();
    await host.close();
    const other = await world.host({ person: () => 'accept' });
    expect((await other.submit({ user_decision: 'abort' })).outcome).toBe('aborted');
    expect(other.questions).toHaveLength(0);
  });
});

describe('interventions', () => {
  test('come after three failures of a task, offer the prompts there are, and end in the question to the user', async () => {
    const world = new World();
    world.box.write('.readygate/interventions/pair_up.md', 'Find a colleague.');
    const host = await world.host();
    const at = await host.start('--fast --no-doc add a greeting');
    const first = await walk(world, host, at, { replies: replies(), until: 'VERIFY_INTERVENTION' });
    expect(first.trail.filter((place) => place === 'POST_IMPL_VERIFY')).toHaveLength(3);
    expect(first.answer.instruction).toContain('pair_up');
    expect(await host.submit({ prompt_used: 'nothing', action_taken: 'x' })).toMatchObject({
      error: 'payload_mismatch',
      problems: [{ pointer: '/prompt_used' }],
    });
    expect(placeOf(await host.submit({ prompt_used: 'pair_up', action_taken: 'asked' }))).toBe('READY.plan');
    const second = await walk(world, host, await host.status(), { replies: replies(), until: 'VERIFY_INTERVENTION.escalation' });
    expect(second.trail.filter((place) => place === 'VERIFY_INTERVENTION')).toHaveLength(1);
    expect(second.answer.escalation).toBe(true);
  });
});

describe('the quality review', () => {
  test('goes back at most three times, then to the merge with a warning and its own outcome', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'QUALITY_REVIEW', '--no-doc --no-verify add a greeting');
    const issues = { quality_score: 10, issues: [{ description: 'rude', severity: 'high', file: 'hello.txt' }] };
    const { answer, trail } = await walk(world, host, at, { replies: { QUALITY_REVIEW: () => issues, 'READY.plan': () => retry } });
    expect(trail.filter((place) => place === 'QUALITY_REVIEW')).toHaveLength(4);
    expect(answer.outcome).toBe('completed_with_issues');
    expect((await host.status()).warnings.join()).toContain('quality review');
  });
});
