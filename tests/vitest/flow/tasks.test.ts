/** The task list of steps 12 to 14: every rule of FLOW.md, Tasks. */
import { describe, expect, test } from 'vitest';
import { completed, pending, Session } from './session.ts';

type Sent = Record<string, unknown>;

const ready = (request = 'x'): Session => new Session({ request }).to('READY_PLAN');
const planned = (...tasks: Sent[]): Session => ready().send({ tasks });
const statuses = (session: Session): string[] => session.state.tasks.map(({ id, status }) => `${id} ${status}`);

describe('a list that is not right', () => {
  test.each<[string, Sent[], [string, string]]>([
    ['is empty', [], ['/tasks', 'problem.min_items']],
    ['has the same id twice', [pending('a'), pending('a')], ['/tasks/1/id', 'problem.task_duplicate']],
    ['claims a new task completed', [pending('a'), completed('b')], ['/tasks/1/status', 'problem.task_new_completed']],
    [
      'depends on a task that is not there',
      [pending('a', { depends_on: ['z'] })],
      ['/tasks/0/depends_on', 'problem.task_unknown_dependency'],
    ],
    ['fixes a task that is not there', [pending('a', { fixes: ['z'] })], ['/tasks/0/fixes', 'problem.task_unknown_fixes']],
    ['depends on itself', [pending('a', { depends_on: ['a'] })], ['/tasks', 'problem.task_cycle']],
    [
      'depends in a circle',
      [pending('a', { depends_on: ['b'] }), pending('b', { depends_on: ['c'] }), pending('c', { depends_on: ['a'] })],
      ['/tasks', 'problem.task_cycle'],
    ],
    ['has a task without description', [{ id: 'a', status: 'pending' }], ['/tasks/0/description', 'problem.missing']],
    ['has a status of its own', [pending('a', { status: 'doing' })], ['/tasks/0/status', 'problem.enum']],
    ['has an id with spaces at its ends', [pending(' a')], ['/tasks/0/id', 'problem.says']],
    ['has a count below zero', [pending('a', { failure_count: -1 })], ['/tasks/0/failure_count', 'problem.range']],
  ])('%s', (_, tasks, problem) => {
    expect(ready().problems({ tasks })).toEqual([problem]);
  });

  test('names the circle, and only its members', () => {
    const tasks = [pending('x', { depends_on: ['a'] }), pending('a', { depends_on: ['b'] }), pending('b', { depends_on: ['a'] })];
    expect(ready().refused({ tasks }).problems[0]?.message.params).toEqual({ cycle: 'a → b → a' });
  });

  test('with a long chain is not taken for a circle, however long', () => {
    const tasks = Array.from({ length: 1000 }, (_, index) => pending(`t${index}`, index < 999 ? { depends_on: [`t${index + 1}`] } : {}));
    expect(ready().send({ tasks }).state.tasks).toHaveLength(1000);
  });

  test('is refused at 13 and 14 as at 12', () => {
    expect(planned(pending('a')).problems({ tasks: [] })).toEqual([['/tasks', 'problem.min_items']]);
    const finished = planned(pending('a')).usual();
    expect(finished.problems({ tasks: [completed('a')] })).toEqual([['/tasks', 'problem.no_pending_task']]);
  });
});

describe('merging by id', () => {
  test('the same list sent again gives the same state', () => {
    const list = { tasks: [pending('a', { files: ['x'] }), pending('b', { depends_on: ['a'], failure_count: 2 })] };
    const session = ready().send(list);
    const once = session.state.tasks;
    expect(session.send(list).state.tasks).toEqual(once);
  });

  test('the same list that drops and fixes, sent again, gives the same state', () => {
    const session = planned(pending('a'), pending('b')).usual();
    const list = { tasks: [completed('a'), pending('c', { fixes: ['a'] })], dropped: [{ id: 'b', reason: 'not needed' }] };
    const once = session.send(list).state;
    expect(session.send(list).state).toEqual(once);
    expect(statuses(session)).toEqual(['a completed', 'c pending']);
  });

  test('an omitted optional field keeps its value, a sent one replaces it', () => {
    const session = planned(pending('a', { files: ['x'], depends_on: ['b'], revert_reason: 'r' }), pending('b'));
    session.send({ tasks: [pending('a', { files: [] }), pending('b')] });
    expect(session.task('a')).toMatchObject({ files: [], depends_on: ['b'], revert_reason: 'r' });
  });

  test('a kept dependency is checked as a sent one is', () => {
    const session = planned(pending('a', { depends_on: ['b'] }), pending('b'));
    const drop = { tasks: [pending('a')], dropped: [{ id: 'b', reason: 'r' }] };
    expect(session.problems(drop)).toEqual([['/tasks/0/depends_on', 'problem.task_unknown_dependency']]);
  });

  test('a description may change, the status is the server’s', () => {
    const session = planned(pending('a'), pending('b'));
    expect(session.problems({ tasks: [completed('a'), pending('b')] })).toEqual([['/tasks/0/status', 'problem.task_not_completed']]);
    session.send({ tasks: [pending('a', { description: 'better said' }), pending('b')] });
    expect(session.task('a').description).toBe('better said');
  });

  test('a completed task may be listed, left out, or reopened', () => {
    const done = (): Session => planned(pending('a'), pending('b')).usual();
    expect(statuses(done().send({ tasks: [pending('b'), completed('a')] }))).toEqual(['b pending', 'a completed']);
    expect(statuses(done().send({ tasks: [pending('b')] }))).toEqual(['a completed', 'b pending']);
    expect(statuses(done().send({ tasks: [pending('a'), pending('b')] }))).toEqual(['a pending', 'b pending']);
  });

  test('keys that are the server’s own are not taken from the model', () => {
    const session = planned(pending('a'), pending('b')).usual();
    session.send({ tasks: [completed('a', { completed_round: 99, summary: 'mine' }), pending('b')] });
    expect(session.task('a')).toMatchObject({ completed_round: 1, summary: 'done' });
    expect(session.warnings).toEqual([
      { key: 'warning.unknown_key', params: { key: 'tasks/0/completed_round' } },
      { key: 'warning.unknown_key', params: { key: 'tasks/0/summary' } },
    ]);
  });
});

describe('a pending task that is left out', () => {
  test('is an error unless dropped names it with a reason', () => {
    const session = planned(pending('a'), pending('b'));
    expect(session.problems({ tasks: [pending('a')] })).toEqual([['/tasks', 'problem.task_left_out']]);
    expect(session.problems({ tasks: [pending('a')], dropped: [{ id: 'b', reason: ' ' }] })).toEqual([
      ['/dropped/0/reason', 'problem.blank'],
    ]);
    expect(session.problems({ tasks: [pending('a')], dropped: [{ id: 'b' }] })).toEqual([['/dropped/0/reason', 'problem.missing']]);
    session.send({ tasks: [pending('a')], dropped: [{ id: 'b', reason: 'not needed' }] });
    expect(statuses(session)).toEqual(['a pending']);
  });

  test('is not excused by dropping another', () => {
    const session = planned(pending('a'), pending('b'));
    expect(session.problems({ tasks: [pending('a')], dropped: [{ id: 'B', reason: 'r' }] })).toEqual([['/tasks', 'problem.task_left_out']]);
  });

  test('cannot be dropped and listed, nor dropped once completed', () => {
    const session = planned(pending('a'), pending('b')).usual();
    expect(session.problems({ tasks: [pending('b')], dropped: [{ id: 'b', reason: 'r' }] })).toEqual([
      ['/dropped/0/id', 'problem.drop_listed'],
    ]);
    expect(session.problems({ tasks: [pending('b')], dropped: [{ id: 'a', reason: 'r' }] })).toEqual([
      ['/dropped/0/id', 'problem.drop_completed'],
    ]);
  });
});

describe('failure_count', () => {
  test('that is higher is kept, a lower one is ignored', () => {
    const session = planned(pending('a', { failure_count: 2 }));
    expect(session.send({ tasks: [pending('a', { failure_count: 1 })] }).task('a').failure_count).toBe(2);
    expect(session.send({ tasks: [pending('a')] }).task('a').failure_count).toBe(2);
    expect(session.send({ tasks: [pending('a', { failure_count: 3 })] }).task('a').failure_count).toBe(3);
  });

  test('survives a reopening', () => {
    const session = ready()
      .implement([pending('a')])
      .fail();
    session.send({ tasks: [pending('a')] });
    expect(session.task('a')).toMatchObject({ status: 'pending', failure_count: 1 });
  });
});

describe('reports', () => {
  test('come in list order', () => {
    const session = planned(pending('a'), pending('b'));
    expect(session.problems({ task_id: 'b', summary: 's' })).toEqual([['/task_id', 'problem.wrong_order']]);
    session.send({ task_id: 'a', summary: 's' }).send({ task_id: 'b', summary: 's' });
    expect(session.state.node).toBe('READY_FINISH');
  });

  test('come in the order of dependencies where there are any', () => {
    const session = planned(pending('a', { depends_on: ['c'] }), pending('b'), pending('c'));
    const reported: string[] = [];
    while (session.state.node === 'READY_IMPLEMENT') {
      for (const id of ['a', 'b', 'c'].filter((candidate) => !reported.includes(candidate))) {
        if ('error' in session.decide({ task_id: id, summary: 's' })) continue;
        session.send({ task_id: id, summary: 's' });
        reported.push(id);
        break;
      }
    }
    expect(reported).toEqual(['b', 'c', 'a']);
  });

  test('of a completed or unknown task are errors that name the next one', () => {
    const session = planned(pending('a'), pending('b')).usual();
    expect(session.refused({ task_id: 'a', summary: 's' }).problems[0]).toEqual({
      pointer: '/task_id',
      message: { key: 'problem.already_completed', params: { id: 'a', next: 'b' } },
    });
    expect(session.refused({ task_id: 'A', summary: 's' }).problems[0]).toEqual({
      pointer: '/task_id',
      message: { key: 'problem.unknown_task', params: { id: 'A', next: 'b' } },
    });
  });

  test('keep their summary', () => {
    expect(planned(pending('a')).send({ task_id: 'a', summary: 'as planned' }).task('a').summary).toBe('as planned');
  });
});

describe('at 13 and 14', () => {
  test('a list is told from a report by its key', () => {
    const session = planned(pending('a')).send({ tasks: [pending('a'), pending('b')], task_id: 'a', summary: 's' });
    expect(statuses(session)).toEqual(['a pending', 'b pending']);
    expect([session.state.node, session.warnings.map(({ params }) => params?.key)]).toEqual(['READY_IMPLEMENT', ['task_id', 'summary']]);
  });

  test('a list at 14 opens 13 again', () => {
    const session = planned(pending('a')).usual();
    session.send({ tasks: [completed('a'), pending('b')] });
    expect([session.state.node, session.state.gate]).toEqual(['READY_IMPLEMENT', 'open']);
  });

  test('an unfinished or unregistered list blocks at 14', () => {
    const finished = planned(pending('a')).usual().state;
    const unfinished = new Session({ ...finished, tasks: finished.tasks.map((task) => ({ ...task, status: 'pending' as const })) });
    expect(unfinished.refused({})).toMatchObject({ error: 'guard_blocked', guard: 'RG14', message: { params: { pending: 'a' } } });
    expect(new Session({ ...finished, tasks: [] }).refused({})).toMatchObject({ error: 'guard_blocked', guard: 'RG14' });
  });

  test('a re-plan does not forget what was completed since the last verification', () => {
    const session = planned(pending('a'), pending('b')).usual();
    session
      .send({ tasks: [completed('a'), pending('b'), pending('c')] })
      .to('POST_IMPL_VERIFY')
      .fail();
    expect(session.state.failure?.failed_tasks).toEqual(['a', 'b', 'c']);
  });
});

describe('re-entering 12 after a failure', () => {
  test('keeps the reason and the whole list', () => {
    const session = ready()
      .implement([pending('a'), pending('b')])
      .fail(['b']);
    expect(session.state).toMatchObject({ node: 'READY_PLAN', failure: { from: 'POST_IMPL_VERIFY', reason: 'npm test: 1 failed' } });
    expect(statuses(session)).toEqual(['a completed', 'b completed']);
    expect(session.problems({ tasks: [completed('a'), completed('b')] })).toEqual([['/tasks', 'problem.no_pending_task']]);
  });

  test('by way of EXPLORATION keeps both reasons', () => {
    const session = ready()
      .implement([pending('a')])
      .fail()
      .send({ revert_to: 'EXPLORATION', reason: 'who calls it?' });
    expect(session.to('READY_PLAN').state.failure).toMatchObject({
      from: 'POST_IMPL_VERIFY',
      reason: 'npm test: 1 failed\nwho calls it?',
      failed_tasks: ['a'],
      highest: 1,
    });
  });

  test('leaves no reason behind once verification passed', () => {
    const session = ready()
      .implement([pending('a')])
      .fail()
      .implement([pending('b')])
      .usual();
    expect(session.state).toMatchObject({ node: 'PRE_COMMIT', failure: null });
  });
});
