/** Which artifact is due, from whom, and what stands in its way. */
import { describe, expect, test } from 'vitest';
import {
  dueFor,
  dueOf,
  isBad,
  isOverruled,
  isSentBack,
  onlyReads,
  owedNames,
  roleOf,
  ruleOf,
  taskIdProblems,
  troubleOf,
} from '../../../mcp-server/src/flow/artifacts.ts';
import type { ArtifactFact, Facts, SessionState } from '../../../mcp-server/src/flow/types.ts';
import { fact, task } from './parts.ts';
import { beginning } from './session.ts';

const facts = (artifacts: Record<string, ArtifactFact>, inputs: string[] = []): Facts => ({ artifacts, inputs });
const at = (node: string, more: Partial<SessionState> = {}): SessionState => ({ ...beginning({ pipeline: true }), node, ...more });

describe('roles', () => {
  test.each([
    ['readygate:architect', 'architect', true],
    ['architect', 'architect', true],
    ['readygate:implementer', 'implementer', false],
    ['other:architect', null, false],
    ['general-purpose', null, false],
    ['', null, false],
  ])('%s is %s, and only reads: %s', (type, role, reads) => {
    expect(roleOf(type)).toBe(role);
    expect(onlyReads(type)).toBe(reads);
  });
});

describe('names', () => {
  test.each<[string, string | null, string | null]>([
    ['design.md', 'design.md', null],
    ['review-design.md', 'review-design.md', null],
    ['impl-a.md', 'impl-{task}.md', 'a'],
    ['impl-a.b-c_1.md', 'impl-{task}.md', 'a.b-c_1'],
    ['review-a.md', 'review-{task}.md', 'a'],
    ['impl-{task}.md', null, null],
    ['impl-.md', null, null],
    ['impl--a.md', null, null],
    ['impl-a', null, null],
    ['impl-a.md.md', 'impl-{task}.md', 'a.md'],
    ['xdesign.md', null, null],
    ['ximpl-a.md', null, null],
    [`impl-${'a'.repeat(64)}.md`, 'impl-{task}.md', 'a'.repeat(64)],
    [`impl-${'a'.repeat(65)}.md`, null, null],
    ['impl-a/b.md', null, null],
    ['', null, null],
  ])('%s belongs to %s, task %s', (name, rule, about) => {
    const found = ruleOf(name);
    expect([found?.rule.name ?? null, found?.task ?? null]).toEqual([rule, about]);
  });

  test('ids that cannot be told apart in file names are refused, each at its place', () => {
    const pointers = (...ids: string[]) => taskIdProblems(ids.map((id) => ({ id }))).map(({ pointer }) => pointer);
    expect(pointers('a', 'b-1', 'C.d')).toEqual([]);
    expect(pointers('a', 'a')).toEqual([]);
    expect(pointers('a', 'A')).toEqual(['/tasks/1/id']);
    expect(pointers('design', 'tasks', 'Design')).toEqual(['/tasks/0/id', '/tasks/1/id', '/tasks/2/id']);
    expect(pointers('', ' a', 'a b', '../a', 'ä', '-a', 'ok')).toEqual([0, 1, 2, 3, 4, 5].map((n) => `/tasks/${n}/id`));
    const [long] = taskIdProblems([{ id: '/'.repeat(500) }]);
    expect(long?.message).toEqual({ key: 'problem.task_id_name', params: { id: '/'.repeat(80) } });
  });

  test('of what is owed name the task it is about, else the next one', () => {
    const state = at('READY_IMPLEMENT', { tasks: [task('a', { status: 'completed' }), task('b'), task('c')] });
    expect(owedNames(['impl-{task}.md', 'tasks.md'], state)).toEqual(['impl-b.md', 'tasks.md']);
    expect(owedNames(['impl-{task}.md'], state, 'c')).toEqual(['impl-c.md']);
    expect(owedNames(['impl-{task}.md'], { ...state, tasks: [] })).toEqual(['impl-.md']);
  });
});

describe('what stands in the way', () => {
  test.each<[string, string, Record<string, ArtifactFact>, ReturnType<typeof troubleOf>]>([
    ['nothing', 'design.md', { 'design.md': fact(1) }, null],
    ['none was handed in', 'design.md', {}, { what: 'missing', by: '' }],
    ['its file is gone', 'design.md', { 'design.md': fact(1, { disk: null }) }, { what: 'missing', by: '' }],
    ['it is from before', 'design.md', { 'design.md': fact(1, { fresh: false }) }, { what: 'stale', by: '' }],
    ['its file was changed', 'design.md', { 'design.md': fact(1, { disk: 'x' }) }, { what: 'changed', by: '' }],
    ['no such artifact', 'other.md', { 'other.md': fact(1) }, { what: 'missing', by: '' }],
    ['a newer design', 'tasks.md', { 'design.md': fact(2), 'tasks.md': fact(1) }, { what: 'older', by: 'design.md' }],
    ['an older design', 'tasks.md', { 'design.md': fact(1), 'tasks.md': fact(2) }, null],
    ['newer work', 'review-a.md', { 'impl-a.md': fact(5), 'review-a.md': fact(4) }, { what: 'older', by: 'impl-a.md' }],
    ['newer work of another task', 'review-a.md', { 'impl-a.md': fact(3), 'impl-b.md': fact(9), 'review-a.md': fact(4) }, null],
    [
      'a bad review',
      'impl-a.md',
      { 'impl-a.md': fact(1), 'review-a.md': fact(2, { verdict: 'FAIL' }) },
      { what: 'sent_back', by: 'review-a.md' },
    ],
    ['a good review', 'impl-a.md', { 'impl-a.md': fact(1), 'review-a.md': fact(2, { verdict: 'PASS_WITH_NOTES' }) }, null],
    ['a bad review of what was before', 'impl-a.md', { 'impl-a.md': fact(3), 'review-a.md': fact(2, { verdict: 'FAIL' }) }, null],
    ['a bad review of another task', 'impl-a.md', { 'impl-a.md': fact(1), 'review-b.md': fact(2, { verdict: 'FAIL' }) }, null],
  ])('%s: %s', (_what, name, artifacts, found) => {
    expect(troubleOf(name, facts(artifacts))).toEqual(found);
  });

  test('the user overrules a bad review, of this text of the task list alone', () => {
    const given = facts({ 'tasks.md': fact(1), 'review-tasks.md': fact(2, { verdict: 'REVISE' }), 'design.md': fact(0) });
    expect(troubleOf('tasks.md', given)).toEqual({ what: 'sent_back', by: 'review-tasks.md' });
    expect(troubleOf('tasks.md', given, true)).toBeNull();
    const state = beginning({ pipeline: true });
    expect(isOverruled('tasks.md', { ...state, accepted_tasks: 'h' }, given)).toBe(true);
    expect(isOverruled('tasks.md', { ...state, accepted_tasks: 'x' }, given)).toBe(false);
    expect(isOverruled('tasks.md', state, given)).toBe(false);
    expect(isOverruled('tasks.md', { ...state, accepted_tasks: null }, {})).toBe(false);
    expect(isOverruled('design.md', { ...state, accepted_tasks: 'h' }, facts({ 'design.md': fact(1) }))).toBe(false);
  });

  test('no artifact at all is missing', () => {
    expect(troubleOf('design.md', {})).toEqual({ what: 'missing', by: '' });
  });

  test('a verdict is bad by its rule', () => {
    const review = ruleOf('review-design.md');
    const design = ruleOf('design.md');
    if (!review || !design) throw new Error('no rules');
    expect(isBad(review, fact(1, { verdict: 'REVISE' }))).toBe(true);
    expect(isBad(review, fact(1, { verdict: 'APPROVE' }))).toBe(false);
    expect(isBad(review, fact(1))).toBe(false);
    expect(isBad(review, undefined)).toBe(false);
    expect(isBad(design, fact(1, { verdict: 'REVISE' }))).toBe(false);
    expect(isSentBack('review-design.md', facts({ 'review-design.md': fact(1, { verdict: 'REVISE' }) }))).toBe(true);
    expect(isSentBack('review-design.md', facts({ 'review-design.md': fact(1, { verdict: 'APPROVE' }) }))).toBe(false);
    expect(isSentBack('no.md', facts({ 'no.md': fact(1, { verdict: 'REVISE' }) }))).toBe(false);
    expect(isSentBack('review-design.md', {})).toBe(false);
  });
});

describe('what is due', () => {
  test('is what the node owes, from its agent, with the inputs that there are', () => {
    expect(dueOf(at('READY_DESIGN'), facts({}, ['request.md', 'analysis.md', 'review-a.md']))).toEqual({
      agent: 'architect',
      artifact: 'design.md',
      task: null,
      inputs: ['request.md', 'analysis.md'],
    });
  });

  test('is nobody’s any more once it is in', () => {
    expect(dueOf(at('READY_DESIGN'), facts({ 'design.md': fact(1) }, ['request.md']))).toEqual({
      agent: null,
      artifact: 'design.md',
      task: null,
      inputs: [],
    });
  });

  test('is the first of several that does not count, else the last', () => {
    const whole = { 'design.md': fact(1), 'tasks.md': fact(2), 'review-tasks.md': fact(3, { verdict: 'APPROVE' }) };
    expect(dueOf(at('READY_PLAN'), facts(whole))).toMatchObject({ artifact: 'review-tasks.md', agent: null });
    expect(dueOf(at('READY_PLAN'), facts({ ...whole, 'tasks.md': fact(2, { disk: 'x' }) }))).toMatchObject({
      artifact: 'tasks.md',
      agent: 'task-decomposer',
    });
  });

  test('of a task names it, and what the tasks before it left', () => {
    const state = at('READY_IMPLEMENT', {
      tasks: [task('a', { status: 'completed' }), task('b', { depends_on: ['a'] })],
    });
    const inputs = ['request.md', 'impl-a.md', 'review-a.md', 'review-b.md', 'impl-c.md', 'design.md'];
    expect(dueOf(state, facts({}, inputs))).toEqual({
      agent: 'implementer',
      artifact: 'impl-b.md',
      task: 'b',
      inputs: ['request.md', 'design.md', 'impl-a.md', 'review-a.md', 'review-b.md'],
    });
    expect(dueFor('impl-a.md', state, facts({}, inputs))?.inputs).toEqual(['request.md', 'design.md', 'review-a.md']);
  });

  test('of the last review is everything there is', () => {
    expect(dueOf(at('QUALITY_REVIEW'), facts({}, ['x.md', 'y.md']))?.inputs).toEqual(['x.md', 'y.md']);
    expect(dueOf(at('QUALITY_REVIEW'), facts({}))?.inputs).toEqual([]);
    expect(dueOf(at('QUALITY_REVIEW'), { artifacts: {} })?.inputs).toEqual([]);
  });

  test('is nothing outside of pipelines, after the end, and where the node owes none', () => {
    expect(dueOf(at('READY_DESIGN', { pipeline: false }), facts({}))).toBeNull();
    expect(dueOf(at('READY_DESIGN', { outcome: 'aborted' }), facts({}))).toBeNull();
    expect(dueOf(at('MERGE'), facts({}))).toBeNull();
    expect(dueFor('no.md', at('MERGE'), facts({}))).toBeNull();
  });
});
