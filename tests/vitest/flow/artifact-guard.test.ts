/** Guard RG11: what is sent must have its artifact, and say what it says. */
import { describe, expect, test } from 'vitest';
import { artifactRefusal } from '../../../mcp-server/src/flow/artifact-guard.ts';
import { acceptFor, nodeOf } from '../../../mcp-server/src/flow/table.ts';
import type { ArtifactFact, Facts, Payload, PlannedTask, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { fact, task } from './parts.ts';
import { beginning } from './session.ts';

const planned = (id: string, more: Partial<PlannedTask> = {}): PlannedTask => ({
  id,
  description: `do ${id}`,
  files: [],
  depends_on: [],
  ...more,
});

function refusal(node: string, data: Payload, facts: Facts, more: Partial<SessionState> = {}) {
  const state: SessionState = { ...beginning({ pipeline: true }), node, ...more };
  return artifactRefusal(state, acceptFor(nodeOf(node), data), data, facts);
}

/** Pointer, key and parameters of each problem. */
const problems = (...given: Parameters<typeof refusal>) =>
  refusal(...given)?.problems.map(({ pointer, message }) => [pointer, message.key, message.params]) ?? null;

describe('what must be there', () => {
  test('is named with its agent', () => {
    expect(refusal('READY_DESIGN', { artifact: 'design.md' }, {})).toEqual({
      error: 'guard_blocked',
      guard: 'RG11',
      message: { key: 'error.artifact', params: { names: 'design.md' } },
      problems: [{ pointer: '', message: { key: 'problem.artifact_missing', params: { name: 'design.md', by: '', agent: 'architect' } } }],
    });
  });

  test.each<[Partial<ArtifactFact>, string]>([
    [{ disk: null }, 'problem.artifact_missing'],
    [{ fresh: false }, 'problem.artifact_stale'],
    [{ disk: 'x' }, 'problem.artifact_changed'],
  ])('%j: %s', (more, key) => {
    expect(problems('READY_DESIGN', { artifact: 'design.md' }, { artifacts: { 'design.md': fact(1, more) } })?.[0]?.[1]).toBe(key);
  });

  test('older than what it is about, or sent back by its review, does not count; the one in the way is named', () => {
    const older = { 'impl-a.md': fact(2), 'review-a.md': fact(1, { verdict: 'PASS' }) };
    expect(problems('READY_REVIEW', { artifact: 'review-a.md' }, { artifacts: older }, { tasks: [task('a')] })).toEqual([
      ['', 'problem.artifact_older', { name: 'review-a.md', by: 'impl-a.md', agent: 'impl-reviewer' }],
    ]);
    const back = { 'impl-a.md': fact(1), 'review-a.md': fact(2, { verdict: 'FAIL' }) };
    expect(problems('READY_IMPLEMENT', { task_id: 'a', summary: 's' }, { artifacts: back }, { tasks: [task('a')] })).toEqual([
      ['', 'problem.artifact_sent_back', { name: 'impl-a.md', by: 'review-a.md', agent: 'implementer' }],
    ]);
  });

  test('is waited for where its agent is at work, not asked for again', () => {
    const waiting = problems('READY_DESIGN', { artifact: 'design.md' }, { at_work: ['architect'] });
    expect(waiting?.[0]?.[1]).toBe('problem.artifact_at_work');
    const other = problems('READY_DESIGN', { artifact: 'design.md' }, { at_work: ['implementer'] });
    expect(other?.[0]?.[1]).toBe('problem.artifact_missing');
  });

  test('is that of the task that is reported, else of the next', () => {
    const tasks = [task('a'), task('b')];
    const artifacts = { 'impl-b.md': fact(1) };
    expect(refusal('READY_IMPLEMENT', { task_id: 'b', summary: 's' }, { artifacts }, { tasks })).toBeNull();
    expect(problems('READY_IMPLEMENT', { summary: 's' }, { artifacts }, { tasks })?.[0]?.[2]).toMatchObject({ name: 'impl-a.md' });
    expect(problems('READY_IMPLEMENT', { task_id: 5, summary: 's' }, { artifacts }, { tasks })?.[0]?.[2]).toMatchObject({
      name: 'impl-a.md',
    });
  });

  test('another artifact than the one that is due is refused by name', () => {
    const artifacts = { 'design.md': fact(1) };
    expect(problems('READY_DESIGN', { artifact: 'x'.repeat(100) }, { artifacts })).toEqual([
      ['/artifact', 'problem.artifact_other', { name: 'x'.repeat(80), due: 'design.md' }],
    ]);
    expect(refusal('READY_DESIGN', { artifact: 'design.md' }, { artifacts })).toBeNull();
    expect(refusal('READY_DESIGN', {}, { artifacts })).toBeNull();
  });

  test('is nothing outside of pipelines, and where the kind of payload owes none', () => {
    expect(refusal('READY_DESIGN', { artifact: 'design.md' }, {}, { pipeline: false })).toBeNull();
    expect(refusal('READY_DESIGN', { finish: 'nothing_to_do', reason: 'r' }, {})).toBeNull();
  });
});

describe('a list of tasks', () => {
  const sent = (...tasks: Record<string, unknown>[]): Payload => ({ tasks: tasks.map((each) => ({ status: 'pending', ...each })) });
  const against = (plan: PlannedTask[], data: Payload, tasks: Task[] = []) =>
    problems(
      'READY_PLAN',
      data,
      { artifacts: { 'design.md': fact(1), 'tasks.md': fact(2, { plan }), 'review-tasks.md': fact(3, { verdict: 'APPROVE' }) } },
      { tasks },
    );

  test('that is the plan passes; blanks, case, marks and the full stop do not matter', () => {
    const plan = [planned('a', { files: ['x.ts', 'y.ts'], depends_on: ['b', 'c'] }), planned('b')];
    expect(
      against(
        plan,
        sent({ id: 'b', description: 'do b' }, { id: 'a', description: 'do a', files: ['y.ts', 'x.ts'], depends_on: ['c', 'b'] }),
      ),
    ).toBeNull();
    for (const description of ['Do  A.', '*do* `a`', '_DO a_。', ' do a '])
      expect(against([planned('a')], sent({ id: 'a', description }))).toBeNull();
    expect(against([planned('a', { description: '**Do** a.' })], sent({ id: 'a', description: 'do a' }))).toBeNull();
  });

  test('that differs is refused at the place of each difference', () => {
    const plan = [planned('a', { files: ['x.ts'], depends_on: ['b'] }), planned('b'), planned('c'), planned('d')];
    const data = sent(
      { id: 'b', description: 'undo b' },
      { id: 'a', description: 'do a', files: ['z.ts', 'x.ts'] },
      { id: 'e', description: 'e' },
      { id: 'f', description: 'f' },
    );
    expect(against(plan, data)).toEqual([
      ['/tasks', 'problem.plan_missing', { ids: 'c, d' }],
      ['/tasks', 'problem.plan_extra', { ids: 'e, f' }],
      ['/tasks/0/description', 'problem.plan_field', { id: 'b', field: 'description', sent: 'undo b', planned: 'do b' }],
      ['/tasks/1/files', 'problem.plan_field', { id: 'a', field: 'files', sent: 'x.ts, z.ts', planned: 'x.ts' }],
      ['/tasks/1/depends_on', 'problem.plan_field', { id: 'a', field: 'depends_on', sent: '-', planned: 'b' }],
    ]);
  });

  test('shows long descriptions cut', () => {
    const found = against([planned('a', { description: 'p'.repeat(999) })], sent({ id: 'a', description: 's'.repeat(999) }));
    expect(found?.[0]?.[2]).toMatchObject({ sent: 's'.repeat(200), planned: 'p'.repeat(200) });
  });

  test('need not name what is completed, and may', () => {
    const done = task('a', { status: 'completed' });
    expect(against([planned('a'), planned('b')], sent({ id: 'b', description: 'do b' }), [done])).toBeNull();
    expect(against([planned('b')], sent({ id: 'b', description: 'do b' }, { id: 'a', description: 'other' }), [done])).toBeNull();
    expect(
      against([planned('a'), planned('b')], sent({ id: 'b', description: 'do b' }, { id: 'a', description: 'other' }), [done]),
    ).toBeNull();
    expect(against([planned('a'), planned('b')], sent({ id: 'b', description: 'do b' }), [task('a')])?.[0]?.[1]).toBe(
      'problem.plan_missing',
    );
  });

  test('needs its review, too', () => {
    const facts = { artifacts: { 'design.md': fact(1), 'tasks.md': fact(2, { plan: [planned('a')] }) } };
    expect(problems('READY_PLAN', sent({ id: 'a', description: 'do a' }), facts)).toEqual([
      ['', 'problem.artifact_missing', { name: 'review-tasks.md', by: '', agent: 'task-reviewer' }],
    ]);
  });
});

describe('a result', () => {
  const verified = (passed: boolean, failed?: string[]) =>
    problems(
      'POST_IMPL_VERIFY',
      { passed, details: 'd' },
      { artifacts: { 'verification.md': fact(1, failed ? { failed_criteria: failed } : {}) } },
    );

  test('passes only where no criterion failed', () => {
    expect(verified(true)).toBeNull();
    expect(verified(true, [])).toBeNull();
    expect(verified(false, ['C1'])).toBeNull();
    expect(verified(true, ['C1', 'C3'])).toEqual([['/passed', 'problem.artifact_failed', { name: 'verification.md', failed: 'C1, C3' }]]);
  });

  const quality = (verdict: string | null, issues: unknown) =>
    problems('QUALITY_REVIEW', { quality_score: 1, issues }, { artifacts: { 'comprehensive-review.md': fact(1, { verdict }) } });

  test('of a review that fails names issues', () => {
    expect(quality('FAIL', [])).toEqual([['/issues', 'problem.artifact_verdict', { name: 'comprehensive-review.md', verdict: 'FAIL' }]]);
    expect(quality('FAIL', ['x'])).toBeNull();
    expect(quality('PASS', [])).toBeNull();
    expect(quality(null, [])).toBeNull();
  });
});
