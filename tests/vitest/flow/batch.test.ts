import { describe, expect, test } from 'vitest';
import { batchOf, expectedNames, overlap, parallelTasks } from '../../../mcp-server/src/flow/batch.ts';
import type { Facts, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { fact } from './parts.ts';
import { beginning } from './session.ts';

const task = (id: string, files: string[], more: Partial<Task> = {}): Task => ({
  id,
  description: id,
  status: 'pending',
  failure_count: 0,
  files,
  ...more,
});
const ids = (tasks: Task[]): string[] => parallelTasks(tasks).map(({ id }) => id);

describe('files of tasks', () => {
  const same: [string, string][] = [
    ['src/a.ts', 'src/a.ts'],
    ['./src/a.ts', 'src/a.ts'],
    ['src/', 'src/a.ts'],
    ['src', 'src/deep/a.ts'],
    ['src/**/*.ts', 'src/deep/a.ts'],
    ['src/*.ts', 'src/a.css'],
    ['**/*.ts', 'docs/a.md'],
    ['src/{a,b}.ts', 'src/a.ts'],
    ['', 'a'],
  ];
  test.each(same)('%j and %j may be the same', (a, b) => {
    expect([overlap(a, b), overlap(b, a)]).toEqual([true, true]);
  });

  const apart: [string, string][] = [
    ['src/a.ts', 'src/b.ts'],
    ['src', 'src2/a.ts'],
    ['src/a', 'src/ab'],
    ['src/**/*.ts', 'docs/a.ts'],
  ];
  test.each(apart)('%j and %j are not the same', (a, b) => {
    expect([overlap(a, b), overlap(b, a)]).toEqual([false, false]);
  });
});

describe('tasks side by side', () => {
  test('begin with the next one, share no file, and wait for nothing that is open', () => {
    const tasks = [
      task('done', ['z'], { status: 'completed' }),
      task('a', ['src/a.ts'], { depends_on: ['done'] }),
      task('b', ['src/a.ts', 'src/b.ts']),
      task('c', ['src/c.ts'], { depends_on: ['a'] }),
      task('d', ['docs/']),
      task('e', ['docs/e.md']),
      task('f', ['src/f.ts']),
    ];
    expect(ids(tasks)).toEqual(['a', 'd', 'f']);
  });

  test('are none where files are not named, and at most eight', () => {
    expect(ids([task('a', []), task('b', ['b'])])).toEqual(['a']);
    expect(ids([task('a', ['a']), task('b', [])])).toEqual(['a']);
    expect(ids([])).toEqual([]);
    expect(ids(Array.from({ length: 20 }, (_, n) => task(`t${n}`, [`f${n}`])))).toHaveLength(8);
  });
});

const at = (node: string, tasks: Task[], more: Partial<SessionState> = {}): SessionState => ({
  ...beginning({ pipeline: true }),
  node,
  step: 13,
  tasks,
  ...more,
});

describe('agents side by side', () => {
  const tasks = [task('a', ['a.ts']), task('b', ['b.ts']), task('c', ['c.ts'], { depends_on: ['a'] })];
  const names = (state: SessionState, facts: Facts) => batchOf(state, facts).map((entry) => Object.values(entry).join(' '));

  test('do the tasks that are ready', () => {
    expect(batchOf(at('READY_IMPLEMENT', tasks), {})).toEqual([
      { task: 'a', agent: 'implementer', artifact: 'impl-a.md' },
      { task: 'b', agent: 'implementer', artifact: 'impl-b.md' },
    ]);
  });

  test('review what is handed in while others are still at work', () => {
    const artifacts = { 'impl-a.md': fact(1) };
    expect(names(at('READY_REVIEW', tasks), { artifacts })).toEqual(['a impl-reviewer review-a.md', 'b implementer impl-b.md']);
    const both = { 'impl-a.md': fact(1), 'impl-b.md': fact(2) };
    expect(names(at('READY_REVIEW', tasks), { artifacts: both })).toEqual(['a impl-reviewer review-a.md', 'b impl-reviewer review-b.md']);
    const reviewed = { ...both, 'review-b.md': fact(3, { verdict: 'PASS' }) };
    expect(names(at('READY_REVIEW', tasks), { artifacts: reviewed })).toEqual([]);
    const back = { ...both, 'review-b.md': fact(3, { verdict: 'FAIL' }) };
    expect(names(at('READY_REVIEW', tasks), { artifacts: back })).toEqual(['a impl-reviewer review-a.md', 'b implementer impl-b.md']);
  });

  test('are none where one alone is due, or is at work, outside of pipelines, and at other steps', () => {
    expect(names(at('READY_IMPLEMENT', tasks.slice(0, 1)), {})).toEqual([]);
    expect(names(at('READY_IMPLEMENT', tasks), { artifacts: { 'impl-a.md': fact(1) } })).toEqual([]);
    expect(names(at('READY_IMPLEMENT', tasks, { pipeline: false }), {})).toEqual([]);
    expect(names(at('READY_PLAN', tasks), {})).toEqual([]);
    expect(names(at('READY_DESIGN', tasks), {})).toEqual([]);
    expect(names(at('POST_IMPL_VERIFY', tasks), {})).toEqual([]);
  });

  test('hand in what the node can be about: of every task whose turn it is', () => {
    expect(expectedNames(at('READY_IMPLEMENT', tasks))).toEqual(['tasks.md', 'review-tasks.md', 'impl-a.md', 'impl-b.md']);
    expect(expectedNames(at('READY_REVIEW', tasks))).toEqual([
      'tasks.md',
      'review-tasks.md',
      'review-a.md',
      'review-b.md',
      'impl-a.md',
      'impl-b.md',
    ]);
    expect(expectedNames(at('READY_DESIGN', tasks))).toEqual(['design.md']);
    expect(expectedNames(at('MERGE', tasks))).toEqual([]);
  });
});
