/** A pipeline session in the engine alone: what reviews and the user make of a plan and of its tasks. */
import { describe, expect, test } from 'vitest';
import { planHash } from '../../../mcp-server/src/flow/approval.ts';
import { table } from '../../../mcp-server/src/flow/table.ts';
import type { Facts, Payload, Task } from '../../../mcp-server/src/flow/types.ts';
import { changedFile, handedIn, pending, Session, usual } from './session.ts';

const { limits } = table;
const placeholder: Task = { id: 'x', description: 'x', status: 'pending', failure_count: 0 };

/** A pipeline session whose agents hand in everything; `verdicts` by name where one is bad. */
class Pipeline {
  readonly session: Session;

  constructor(request = '--fast do it') {
    this.session = new Session({ request, pipeline: true });
  }

  get state() {
    return this.session.state;
  }

  facts(verdicts: Record<string, string> = {}): Facts {
    const tasks = this.state.tasks.length > 0 ? this.state.tasks : [placeholder];
    return { changed: [changedFile('src/a.ts')], interventions: ['step_back'], artifacts: handedIn({ ...this.state, tasks }, verdicts) };
  }

  send(payload: Payload = usual(this.state), verdicts: Record<string, string> = {}): this {
    this.session.send(payload, { facts: this.facts(verdicts) });
    return this;
  }

  to(node: string): this {
    for (let left = 40; left > 0 && this.state.node !== node; left--) this.send();
    expect(this.state.node).toBe(node);
    return this;
  }

  /** At the first task, of these. */
  planned(...ids: string[]): this {
    return this.to('READY_PLAN').send({ tasks: ids.map((id) => pending(id)) });
  }

  /** The next task's work is handed in, and reviewed. */
  reviewed(verdict: string): this {
    this.to('READY_REVIEW');
    const { artifact } = usual(this.state);
    return this.send({ artifact }, { [String(artifact)]: verdict });
  }
}

describe.each([
  ['READY_DESIGN', 'READY_DESIGN_REVIEW', 'review-design.md', 'design_revisions', 'READY_DESIGN_ESCALATION', 'READY_DECOMPOSE'],
  ['READY_DECOMPOSE', 'READY_TASKS_REVIEW', 'review-tasks.md', 'task_revisions', 'READY_TASKS_ESCALATION', 'READY_PLAN'],
] as const)('%s', (node, reviewNode, review, counter, escalation, next) => {
  const sentBack = (times: number): Pipeline => {
    const run = new Pipeline();
    for (let count = 0; count < times; count++) run.to(reviewNode).send(undefined, { [review]: 'REVISE' });
    return run;
  };

  test('is done again when its review sends it back, and counted', () => {
    const run = sentBack(1);
    expect(run.state).toMatchObject({ node, counters: { [counter]: 1 } });
    expect(run.to(reviewNode).send().state).toMatchObject({ node: next, counters: { [counter]: 1 } });
  });

  test('is the user’s to decide when it was sent back too often', () => {
    expect(sentBack(limits.plan_revisions).state.node).toBe(node);
    expect(sentBack(limits.plan_revisions + 1).state).toMatchObject({
      node: escalation,
      counters: { [counter]: limits.plan_revisions + 1 },
    });
  });

  test('retry counts anew and begins with the design', () => {
    const run = sentBack(limits.plan_revisions + 1).send({ user_decision: 'retry' });
    expect(run.state).toMatchObject({ node: 'READY_DESIGN', counters: { design_revisions: 0, task_revisions: 0 } });
    expect(run.state.warnings.map(({ key }) => key)).not.toContain('warning.accepted_plan');
  });

  test('accept goes on with it as it is, and that is kept as a warning', () => {
    const run = sentBack(limits.plan_revisions + 1).send({ user_decision: 'accept' });
    expect(run.state.node).toBe(next);
    expect(run.state.warnings.map(({ key }) => key)).toContain('warning.accepted_plan');
    expect(run.state.accepted_tasks ?? null).toBe(node === 'READY_DECOMPOSE' ? 'h' : null);
  });

  test('abort ends the session', () => {
    const run = sentBack(limits.plan_revisions + 1).send({ user_decision: 'abort' });
    expect(run.state.outcome).toBe('aborted');
    expect(run.state.warnings.map(({ key }) => key)).not.toContain('warning.accepted_plan');
  });
});

test('an accepted list may be planned although its review sends it back; another text of it may not', () => {
  const run = new Pipeline();
  for (let count = 0; count <= limits.plan_revisions; count++)
    run.to('READY_TASKS_REVIEW').send(undefined, { 'review-tasks.md': 'REVISE' });
  run.send({ user_decision: 'accept' });
  const facts = run.facts({ 'review-tasks.md': 'REVISE' });
  const plan = { tasks: [pending('a')] };
  const artifacts = facts.artifacts ?? {};
  const list = artifacts['tasks.md'];
  if (!list) throw new Error('no list');
  const other: Facts = { ...facts, artifacts: { ...artifacts, 'tasks.md': { ...list, hash: 'other', disk: 'other' } } };
  expect(run.session.refused(plan, { facts: other }).guard).toBe('RG11');
  expect(run.session.send(plan, { facts }).state.node).toBe('READY_IMPLEMENT');
});

describe('a task', () => {
  test('is completed by the review that lets it pass, in this round', () => {
    const run = new Pipeline().planned('a', 'b').reviewed('PASS');
    expect(run.session.task('a')).toMatchObject({ status: 'completed', completed_round: 1 });
    expect(run.session.task('b').status).toBe('pending');
    expect(run.state.node).toBe('READY_IMPLEMENT');
    expect(run.reviewed('PASS_WITH_NOTES').state.node).toBe('READY_FINISH');
  });

  test('that its review sends back is done again; what was counted is forgotten when it passes', () => {
    const run = new Pipeline().planned('a').reviewed('FAIL');
    expect(run.state.node).toBe('READY_IMPLEMENT');
    expect(run.session.task('a')).toMatchObject({ status: 'pending', review_fails: 1, failure_count: 0 });
    run.reviewed('PASS');
    expect(run.session.task('a')).not.toHaveProperty('review_fails');
    expect(run.session.task('a').status).toBe('completed');
  });

  test('that its review sends back too often is a failure: the plan is made anew', () => {
    const run = new Pipeline().planned('a', 'b');
    for (let count = 0; count <= limits.task_reviews; count++) run.reviewed('FAIL');
    expect(run.state).toMatchObject({ node: 'READY_DESIGN', round: 2, counters: { verify_failures: 1 } });
    expect(run.state.failure).toEqual({
      from: 'READY_REVIEW',
      reason: `review-a.md: FAIL (${limits.task_reviews + 1})`,
      failed_tasks: ['a'],
      highest: 1,
    });
    expect(run.session.task('a')).toMatchObject({ failure_count: 1, status: 'pending' });
    expect(run.session.task('b')).toMatchObject({ failure_count: 0 });
  });

  test('that fails in round after round needs an intervention, and then the user', () => {
    const run = new Pipeline();
    for (let left = 200; left > 0 && run.state.node !== 'VERIFY_ESCALATION'; left--) {
      const { node, tasks } = run.state;
      if (node === 'READY_REVIEW') run.reviewed('FAIL');
      else if (node === 'READY_PLAN') run.send({ tasks: [pending(tasks[0]?.id ?? 'a')] });
      else run.send();
    }
    expect(run.state.node).toBe('VERIFY_ESCALATION');
    expect(run.session.trail.filter((node) => node === 'VERIFY_INTERVENTION')).toHaveLength(limits.interventions);
    expect(run.state.counters.intervention_count).toBe(limits.interventions);
  });
});

test('the approval is for the plan with its design; the first task comes after it', () => {
  const run = new Pipeline('--fast --approve do it').to('READY_PLAN').send({ tasks: [pending('a')] });
  expect(run.state.node).toBe('READY_APPROVAL');
  const facts = run.facts();
  run.session.send({ user_approval: 'approve' }, { facts });
  expect(run.state.node).toBe('READY_IMPLEMENT');
  expect(run.state.approved_plan).toBe(planHash(run.state.tasks, facts));
  expect(run.state.approved_plan).not.toBe(planHash(run.state.tasks, {}));
});

test('a whole run visits its nodes in this order', () => {
  const run = new Pipeline('--fast do it').planned('a', 'b');
  run.reviewed('PASS').reviewed('PASS');
  for (let left = 20; left > 0 && run.state.outcome === null; left--) run.send();
  expect(run.session.trail.slice(run.session.trail.indexOf('READY_DESIGN'))).toEqual(
    `READY_DESIGN READY_DESIGN_REVIEW READY_DECOMPOSE READY_TASKS_REVIEW READY_PLAN READY_IMPLEMENT READY_REVIEW READY_IMPLEMENT
    READY_REVIEW READY_FINISH POST_IMPL_VERIFY PRE_COMMIT MERGE completed`.split(/\s+/),
  );
});
