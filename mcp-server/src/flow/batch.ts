/** Which tasks may be worked on at the same time: nothing they depend on is open, and they share no file. Pure. */
import { dueFor } from './artifacts.ts';
import { nodeOf } from './table.ts';
import { nextTask } from './tasks.ts';
import type { Facts, SessionState, Task } from './types.ts';

/** More than these in one message is hard to follow. */
const LARGEST = 8;

/** The part of a path before its first wildcard, without a slash at its end. */
function stem(file: string): string {
  const plain = file.replace(/^\.\//, '');
  const wild = plain.search(/[*?[{]/);
  const fixed = wild < 0 ? plain : plain.slice(0, plain.lastIndexOf('/', wild) + 1);
  return fixed.replace(/\/+$/, '');
}

/** Whether two entries of task files may mean the same file: a folder holds what lies below it, a pattern what it can match. */
export function overlap(a: string, b: string): boolean {
  const [one, other] = [stem(a), stem(b)];
  return one === '' || other === '' || one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

const disjoint = (a: Task, b: Task): boolean => !(a.files ?? []).some((one) => (b.files ?? []).some((other) => overlap(one, other)));

/**
 * Tasks that can be done at once, the next one first. A task that names no files can be proved to share none, so it is alone.
 * @returns one task or none where there is nothing to do side by side
 */
export function parallelTasks(tasks: readonly Task[]): Task[] {
  const next = nextTask(tasks);
  if (!next || (next.files ?? []).length === 0) return next ? [next] : [];
  const done = new Set(tasks.filter(({ status }) => status === 'completed').map(({ id }) => id));
  const chosen: Task[] = [next];
  for (const task of tasks) {
    const ready = task.status === 'pending' && task.id !== next.id && (task.depends_on ?? []).every((id) => done.has(id));
    if (ready && (task.files ?? []).length > 0 && chosen.every((other) => disjoint(task, other))) chosen.push(task);
    if (chosen.length === LARGEST) break;
  }
  return chosen;
}

export interface BatchEntry {
  task: string;
  agent: string;
  artifact: string;
}

/** Agents that may be started together now, at step 13 of a pipeline session; empty where only one is due. */
export function batchOf(state: SessionState, facts: Facts): BatchEntry[] {
  const [pattern] = nodeOf(state.node).step === 13 ? (nodeOf(state.node).accepts.at(-1)?.artifact ?? []) : [];
  if (!state.pipeline || pattern === undefined) return [];
  const entries = parallelTasks(state.tasks).flatMap(({ id }): BatchEntry[] => {
    // A review of work that is not handed in yet has nothing to read.
    const work = dueFor(`impl-${id}.md`, state, facts);
    const due = pattern.startsWith('review-') && work?.agent === null ? dueFor(pattern.replace('{task}', id), state, facts) : work;
    return due?.agent ? [{ task: id, agent: due.agent, artifact: due.artifact }] : [];
  });
  return entries.length > 1 ? entries : [];
}

/** Artifacts that the session's node can be about now, by name: what its kinds of payload owe, of the tasks whose turn it is. */
export function expectedNames(state: SessionState): string[] {
  const patterns = nodeOf(state.node).accepts.flatMap(({ artifact = [] }) => artifact);
  // While some tasks are reviewed, others of their batch are still being done.
  const all = patterns.includes('review-{task}.md') ? [...patterns, 'impl-{task}.md'] : patterns;
  const tasks = parallelTasks(state.tasks).map(({ id }) => id);
  return [...new Set(all.flatMap((name) => (name.includes('{task}') ? tasks.map((id) => name.replace('{task}', id)) : [name])))];
}
