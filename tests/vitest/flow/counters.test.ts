/** Loops end: every counter of FLOW.md, its limit, and what resets it. */
import { describe, expect, test } from 'vitest';
import { table } from '../../../mcp-server/src/flow/table.ts';
import { completed, pending, Session } from './session.ts';

const ready = (request = 'x'): Session => new Session({ request }).to('READY_PLAN');
const counts = (session: Session): Record<string, number> =>
  Object.fromEntries(session.state.tasks.map(({ id, failure_count }) => [id, failure_count]));

/** Reopens one task, reports it and fails verification. */
const failAgain = (session: Session, id = 'a'): Session => session.implement([pending(id)]).fail([id]);

/** Fails so many times, against another task each time, so that none comes to its limit. */
function failSpread(session: Session, times: number): Session {
  const ids = Array.from({ length: times + 1 }, (_, index) => `s${index}`);
  session.implement(ids.map((id) => pending(id))).fail([ids[0] as string]);
  for (const id of ids.slice(1, times)) session.implement([pending(`after ${id}`, { fixes: [ids[times] as string] })]).fail([id]);
  return session;
}

test('the limits are those of FLOW.md', () => {
  expect(table.limits).toEqual({
    task_failures: 3,
    interventions: 2,
    quality_reverts: 3,
    verify_failures: 9,
    verify_failures_short: 6,
    exploration_reverts: 3,
    merge_reverts: 3,
    review_reverts: 3,
    payload_corrections: 3,
    plan_revisions: 2,
    task_reviews: 2,
  });
});

describe('a failed verification counts', () => {
  test('against the tasks that it names, each once', () => {
    const session = ready()
      .implement([pending('a'), pending('b'), pending('c')])
      .fail(['b', 'c', 'b']);
    expect(counts(session)).toEqual({ a: 0, b: 1, c: 1 });
    expect(session.state.failure).toMatchObject({ failed_tasks: ['b', 'c'], highest: 1 });
  });

  test.each([[undefined], [[]]])('against every task completed since the last plan when failed_tasks is %j', (failed) => {
    const session = ready()
      .implement([pending('a')])
      .fail();
    session.implement([completed('a'), pending('b'), pending('c')]).fail(failed);
    expect(counts(session)).toEqual({ a: 1, b: 2, c: 2 });
  });

  test('against a task of an earlier plan when it is named', () => {
    const session = ready()
      .implement([pending('a')])
      .fail()
      .implement([pending('b', { fixes: ['a'] })])
      .fail(['a']);
    expect(counts(session)).toEqual({ a: 2, b: 1 });
  });

  test('in verify_failures, which success leaves alone', () => {
    const session = ready()
      .implement([pending('a')])
      .fail()
      .implement([pending('a')])
      .fail();
    expect(session.state.counters.verify_failures).toBe(2);
    expect(session.implement([pending('a')]).usual().state.counters.verify_failures).toBe(2);
  });
});

describe('a new task after a failure starts', () => {
  const failedOnce = (): Session =>
    ready()
      .implement([pending('a'), pending('b'), pending('z')])
      .fail(['a']);
  const failedTwice = (): Session => failAgain(failedOnce());

  test('from the highest count among those it fixes', () => {
    const session = failedTwice().send({ tasks: [pending('n', { fixes: ['a', 'b'] }), pending('m', { fixes: ['b'] })] });
    expect(counts(session)).toMatchObject({ n: 2, m: 0 });
  });

  test('from the highest count among the failed ones when it fixes none', () => {
    expect(counts(failedTwice().send({ tasks: [pending('n'), pending('m', { fixes: [] })] }))).toMatchObject({ n: 2, m: 2 });
  });

  test('no lower for naming itself or another new task', () => {
    const tasks = [pending('n', { fixes: ['n'] }), pending('m', { fixes: ['n'] })];
    expect(counts(failedTwice().send({ tasks }))).toMatchObject({ n: 2, m: 2 });
  });

  test('from zero when nothing failed', () => {
    const session = failedOnce()
      .implement([pending('a')])
      .usual()
      .usual();
    session.send({ quality_score: 1, issues: ['i'] });
    expect(counts(session.send({ tasks: [pending('n')] }))).toMatchObject({ a: 1, n: 0 });
  });

  test('from its own higher count if it brings one', () => {
    expect(counts(failedOnce().send({ tasks: [pending('n', { failure_count: 2 })] }))).toMatchObject({ n: 2 });
  });

  test('no lower for a list sent later in the same round', () => {
    const session = failedTwice()
      .send({ tasks: [pending('a')] })
      .usual();
    session.send({ tasks: [pending('n')] });
    expect(counts(session)).toMatchObject({ a: 2, n: 2 });
  });

  test('no lower because another was dropped, in the same list or before', () => {
    const drop = { dropped: [{ id: 'a', reason: 'another way' }] };
    const reopened = (): Session => failedTwice().send({ tasks: [pending('a')] });
    expect(counts(reopened().send({ tasks: [pending('n')], ...drop }))).toMatchObject({ n: 2 });
    const later = reopened().send({ tasks: [pending('a'), pending('k', { fixes: ['b'] })] });
    later.send({ tasks: [pending('k')], ...drop }).send({ tasks: [pending('k'), pending('n')] });
    expect(counts(later)).toMatchObject({ k: 0, n: 2 });
  });

  test('no lower because a task that had failed in an earlier round was dropped', () => {
    const session = failedTwice()
      .implement([pending('a')])
      .usual()
      .usual();
    session.send({ quality_score: 1, issues: ['i'] }).send({ tasks: [pending('a')] });
    session.send({ tasks: [pending('n')], dropped: [{ id: 'a', reason: 'r' }] });
    expect(counts(session)).toMatchObject({ n: 2 });
  });
});

describe('the third failure of a task', () => {
  const atLimit = (): Session =>
    failAgain(
      failAgain(
        ready()
          .implement([pending('a'), pending('b')])
          .fail(['a']),
      ),
    );

  test('leads to the intervention, the second does not', () => {
    expect(
      failAgain(
        ready()
          .implement([pending('a')])
          .fail(),
      ).state.node,
    ).toBe('READY_PLAN');
    expect(atLimit().state).toMatchObject({ node: 'VERIFY_INTERVENTION', step: 16, gate: 'closed' });
  });

  test('leads there whichever task failed last, as long as one is at its limit', () => {
    const session = ready()
      .implement([pending('a', { failure_count: 3 }), pending('b')])
      .fail(['b']);
    expect(session.state.node).toBe('VERIFY_INTERVENTION');
  });

  test('takes one of the interventions that there are', () => {
    const session = atLimit();
    expect(session.problems({ prompt_used: 'magic', action_taken: 'x' })).toEqual([['/prompt_used', 'problem.unknown_intervention']]);
    expect(session.problems({ prompt_used: 'step_back', action_taken: ' ' })).toEqual([['/action_taken', 'problem.blank']]);
  });

  test('resets the tasks at their limit and what they fix, and nothing else', () => {
    const session = ready()
      .implement([pending('a'), pending('b', { failure_count: 2 })])
      .fail(['a']);
    failAgain(session.implement([pending('c', { fixes: ['a'] })]).fail(['c']), 'c');
    expect([session.state.node, counts(session)]).toEqual(['VERIFY_INTERVENTION', { a: 1, b: 2, c: 3 }]);
    session.usual();
    expect([session.state.node, counts(session)]).toEqual(['READY_PLAN', { a: 0, b: 2, c: 0 }]);
    expect(session.state.counters).toMatchObject({ intervention_count: 1, verify_failures: 3 });
  });

  test('tells step 12 what was done, and new tasks start from zero', () => {
    const session = atLimit().usual();
    expect(session.state.failure).toMatchObject({ from: 'VERIFY_INTERVENTION', reason: 'npm test: 1 failed\nstarted smaller', highest: 0 });
    expect(counts(session.send({ tasks: [pending('n')] }))).toMatchObject({ n: 0 });
  });

  test('after the second intervention asks the user instead of returning to 12', () => {
    const session = atLimit().usual();
    failAgain(failAgain(failAgain(session)));
    expect(session.state.node).toBe('VERIFY_INTERVENTION');
    session.usual();
    expect(session.state).toMatchObject({ node: 'VERIFY_ESCALATION', phase: 'VERIFY_INTERVENTION', step: 16 });
    expect(session.state.counters.intervention_count).toBe(2);
  });

  test.each(['-ni x', '--quick x'])('leads back to 12 under %s', (request) => {
    const session = ready(request)
      .implement([pending('a', { failure_count: 5 })])
      .fail();
    expect(session.state.node).toBe('READY_PLAN');
  });
});

describe('verify_failures', () => {
  test('asks the user at the ninth, and wins over step 16', () => {
    const session = failSpread(ready(), 8);
    expect([session.state.node, session.state.counters.verify_failures]).toEqual(['READY_PLAN', 8]);
    session.implement([pending('last', { failure_count: 2 })]).fail(['last']);
    expect(session.task('last').failure_count).toBe(3);
    expect([session.state.node, session.state.counters.verify_failures]).toEqual(['VERIFY_ESCALATION', 9]);
  });

  test.each(['-ni x', '--quick x', '--quick -ni x'])('asks the user at the sixth under %s', (request) => {
    const session = ready(request);
    for (let times = 1; times <= 5; times++) failAgain(session);
    expect([session.state.node, session.state.counters.verify_failures]).toEqual(['READY_PLAN', 5]);
    expect(failAgain(session).state.node).toBe('VERIFY_ESCALATION');
  });
});

describe('the user decides', () => {
  const asked = (request = '-ni x'): Session => {
    const session = ready(request);
    while (session.state.node === 'READY_PLAN') failAgain(session);
    return session;
  };

  test.each([{}, { user_decision: 'later' }, { user_decision: true }, { prompt_used: 'step_back', action_taken: 'x' }])(
    'and %j is no decision',
    (payload) => {
      expect(
        asked()
          .problems(payload)
          .map(([pointer]) => pointer),
      ).toEqual(['/user_decision']);
    },
  );

  test('retry: all counters to zero, step 12, the note among the reasons', () => {
    const session = asked();
    const reverted = new Session({
      ...session.state,
      counters: {
        ...session.state.counters,
        exploration_reverts: 3,
        quality_revert_count: 3,
        merge_reverts: 3,
        review_reverts: 3,
        intervention_count: 2,
      },
    });
    reverted.send({ user_decision: 'retry', note: 'use the other parser' });
    expect(reverted.state.node).toBe('READY_PLAN');
    expect(new Set(Object.values(reverted.state.counters))).toEqual(new Set([0]));
    expect(counts(reverted)).toEqual({ a: 0 });
    expect(reverted.state.failure).toMatchObject({ highest: 0, reason: expect.stringContaining('use the other parser') });
    expect(counts(reverted.send({ tasks: [pending('n')] }))).toEqual({ a: 0, n: 0 });
  });

  test('accept: only verify_failures to zero, step 17 with a warning, and the outcome says so', () => {
    const session = asked();
    const before = session.state;
    session.send({ user_decision: 'accept' });
    expect(session.state).toMatchObject({ node: 'PRE_COMMIT', counters: { ...before.counters, verify_failures: 0 }, tasks: before.tasks });
    expect(session.state.warnings).toEqual([{ key: 'warning.accepted_unverified' }]);
    expect(session.end().state.outcome).toBe('accepted_unverified');
  });

  test('accept under --quick completes at once', () => {
    expect(asked('--quick x').send({ user_decision: 'accept' }).state).toMatchObject({
      phase: 'SESSION_COMPLETE',
      outcome: 'accepted_unverified',
    });
  });

  test('accept is forgotten once a later verification passes', () => {
    const session = asked().send({ user_decision: 'accept' }).send({ revert_to: 'READY', reason: 'r' });
    expect(
      session
        .implement([pending('b')])
        .usual()
        .end().state.outcome,
    ).toBe('completed');
  });

  test.each(['-ni x', '--quick x'])('abort completes under %s and leaves tasks and branch as they are', (request) => {
    const session = asked(request);
    const { tasks, git } = session.state;
    session.send({ user_decision: 'abort', note: 'enough' });
    expect(session.state).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'aborted', tasks, git, counters: { verify_failures: 0 } });
    expect(session.effects).toEqual([]);
  });

  test('and is asked again after the next intervention, when that was the second', () => {
    const session = ready();
    for (let times = 0; times < 2; times++)
      session
        .implement([pending(`i${times}`, { failure_count: 2 })])
        .fail()
        .usual();
    expect(session.state.node).toBe('VERIFY_ESCALATION');
    session.send({ user_decision: 'accept' }).send({ revert_to: 'READY', reason: 'r' });
    session
      .implement([pending('k', { failure_count: 2 })])
      .fail()
      .usual();
    expect([session.state.node, session.state.counters.intervention_count]).toEqual(['VERIFY_ESCALATION', 3]);
  });
});

describe('revert_to EXPLORATION', () => {
  const revert = { revert_to: 'EXPLORATION', reason: 'too little known' };

  test.each(['READY_PLAN', 'READY_IMPLEMENT', 'READY_FINISH'])('from %s keeps the tasks and closes the gate', (node) => {
    const session = new Session().to(node);
    const { tasks, round } = session.state;
    expect(session.send(revert).state).toMatchObject({ node: 'EXPLORATION', gate: 'closed', tasks, round });
  });

  test('is refused the fourth time', () => {
    const session = ready();
    for (let times = 1; times <= 3; times++) session.send(revert).to('READY_PLAN');
    expect(session.refused(revert)).toMatchObject({ error: 'guard_blocked', guard: 'RG15' });
    expect(session.usual().state.node).toBe('READY_IMPLEMENT');
  });

  test.each(['--fast x', '--quick x'])('is refused under %s', (request) => {
    expect(ready(request).problems(revert)).toEqual([['/revert_to', 'problem.no_exploration_here']]);
  });

  test('needs a reason, and no other place', () => {
    expect(ready().problems({ revert_to: 'EXPLORATION' })).toEqual([['/reason', 'problem.missing']]);
    expect(ready().problems({ ...revert, revert_to: 'READY' })).toEqual([['/revert_to', 'problem.enum']]);
    expect(ready().problems({ ...revert, revert_to: 'Q1' })).toEqual([['/revert_to', 'problem.enum']]);
  });
});
