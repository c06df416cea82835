/** The user's approval is for one plan, and for that plan as it was shown. */
import { describe, expect, test } from 'vitest';
import { approvalNeeded, asksApproval, planHash } from '../../../mcp-server/src/flow/approval.ts';
import type { Facts, Task } from '../../../mcp-server/src/flow/types.ts';
import { beginning, handedIn, pending, Session } from './session.ts';

const task = (more: Partial<Task> = {}): Task => ({ id: 'a', description: 'do a', status: 'pending', failure_count: 0, ...more });
const designed = (disk: string | null): Facts => ({ artifacts: { 'design.md': { seq: 1, fresh: true, hash: 'h', disk, verdict: null } } });

describe('the hash of a plan', () => {
  const hash = planHash([task()], {});

  test.each<[string, Task[], Facts]>([
    ['another id', [task({ id: 'b' })], {}],
    ['another description', [task({ description: 'do b' })], {}],
    ['a file', [task({ files: ['a.ts'] })], {}],
    ['a dependency', [task({ depends_on: ['b'] })], {}],
    ['one task more', [task(), task({ id: 'b' })], {}],
    ['no task', [], {}],
    ['a design', [task()], designed('x')],
  ])('changes with %s', (_what, tasks, facts) => {
    expect(planHash(tasks, facts)).not.toBe(hash);
  });

  test('changes with the text of the design on the disk', () => {
    expect(planHash([task()], designed('x'))).not.toBe(planHash([task()], designed('y')));
  });

  test.each<[string, Task[], Facts]>([
    ['status', [task({ status: 'completed' })], {}],
    ['failures', [task({ failure_count: 2, review_fails: 1 })], {}],
    ['empty lists', [task({ files: [], depends_on: [] })], {}],
    ['a design that is gone', [task()], designed(null)],
    ['another artifact', [task()], { artifacts: { 'analysis.md': { seq: 1, fresh: true, hash: 'h', disk: 'd', verdict: null } } }],
  ])('does not change with %s', (_what, tasks, facts) => {
    expect(planHash(tasks, facts)).toBe(hash);
  });
});

test.each<[string, boolean]>([
  ['/readygate:code --approve do it', true],
  ['  /readygate:code   --fast --approve do it ', true],
  ['/readygate:code -q --approve', true],
  ['/readygate:code --approve', true],
  ['/readygate:code do it --approve', false],
  ['/readygate:code do --approve it', false],
  ['/readygate:code --approved do it', false],
  ['--approve do it', false],
  ['/readygate:code - --approve', false],
  ['/readygate:code --1 --approve', false],
  ['', false],
])('%j asks for approval: %s', (prompt, asks) => {
  expect(asksApproval(prompt)).toBe(asks);
});

describe('approval is needed', () => {
  const planned = (request: string) => new Session({ request }).to('READY_PLAN').send({ tasks: [pending('a')] });

  test('where the flag or the configuration wants it, until this plan is approved', () => {
    const plain = beginning();
    expect(approvalNeeded(plain, {})).toBe(false);
    const flagged = beginning({ request: '--approve do it' });
    expect(approvalNeeded(flagged, {})).toBe(true);
    const configured = { ...plain, config: { ...plain.config, approval: 'plan' as const } };
    expect(approvalNeeded(configured, {})).toBe(true);
    expect(approvalNeeded({ ...configured, approved_plan: planHash([], {}) }, {})).toBe(false);
    expect(approvalNeeded({ ...configured, approved_plan: planHash([task()], {}) }, {})).toBe(true);
  });

  test('before the first task, and again for another plan', () => {
    const session = planned('--fast --approve do it');
    expect(session.state.node).toBe('READY_APPROVAL');
    session.send({ user_approval: 'approve' });
    expect(session.state.node).toBe('READY_IMPLEMENT');
    expect(session.state.approved_plan).toBe(planHash(session.state.tasks, {}));
    session.send({ tasks: [pending('a'), pending('b')] });
    expect(session.state.node).toBe('READY_APPROVAL');
    session.send({ tasks: [pending('a')], dropped: [{ id: 'b', reason: 'not asked for' }] });
    expect(session.state.node).toBe('READY_IMPLEMENT');
  });

  test('an answer to a question about another plan is refused', () => {
    const session = planned('--fast --approve do it');
    expect(session.problems({ user_approval: 'approve', plan: 'another' })).toHaveLength(1);
    expect(session.refused({ user_approval: 'revise', plan: '', note: 'n' }).error).toBe('payload_mismatch');
    expect(session.send({ user_approval: 'approve', plan: planHash(session.state.tasks, {}) }).state.node).toBe('READY_IMPLEMENT');
  });

  test('a plan that is sent back begins a new round, with the note as the reason', () => {
    const session = planned('--fast --approve do it').send({ user_approval: 'revise', note: 'smaller' });
    expect(session.state).toMatchObject({ node: 'READY_PLAN', round: 2, approved_plan: null });
    expect(session.state.failure).toMatchObject({ from: 'READY_APPROVAL', reason: 'smaller', failed_tasks: [], highest: 0 });
    const silent = planned('--fast --approve do it').send({ user_approval: 'revise' });
    expect(silent.state.failure?.reason).toBe('');
  });

  test('the model may plan anew while the person is asked', () => {
    const session = planned('--fast --approve do it').send({ revert_to: 'READY', reason: 'a better way' });
    expect(session.state).toMatchObject({ node: 'READY_PLAN', round: 2 });
    expect(session.state.failure).toMatchObject({ from: 'READY_APPROVAL', reason: 'a better way' });
  });

  test('in a pipeline session the design is done anew', () => {
    const session = new Session({ request: '--fast --approve do it', pipeline: true });
    const around = () => ({ facts: { changed: [], artifacts: handedIn({ ...session.state, tasks: [task()] }) } });
    while (session.state.node !== 'READY_PLAN') session.usual(around());
    session.send({ tasks: [pending('a')] }, around());
    expect(session.state.node).toBe('READY_APPROVAL');
    session.send({ user_approval: 'revise', note: 'n' }, around());
    expect(session.state.node).toBe('READY_DESIGN');
  });
});
