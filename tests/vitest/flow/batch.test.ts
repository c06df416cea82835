import { describe, expect, test } from 'vitest';
import { overlap, parallelTasks } from '../../../mcp-server/src/flow/batch.ts';
import type { Task } from '../../../mcp-server/src/flow/types.ts';

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
