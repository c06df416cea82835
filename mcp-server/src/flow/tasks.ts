/** The task list of steps 12-14 (FLOW.md, Tasks): merging, order, failure counts. Pure. */
import { problem } from './problem.ts';
import { table } from './table.ts';
import type { Failure, Problem, SessionState, Task } from './types.ts';

export interface SentTask {
  id: string;
  description: string;
  status: 'pending' | 'completed';
  failure_count?: number;
  revert_reason?: string;
  fixes?: string[];
  files?: string[];
  depends_on?: string[];
}

export interface SentList {
  tasks: SentTask[];
  dropped?: { id: string; reason: string }[];
}

/** The next task: the first pending one, in list order, whose dependencies are all completed; null when none is left. */
export function nextTask(tasks: readonly Task[]): Task | null {
  const done = new Set(tasks.filter((task) => task.status === 'completed').map((task) => task.id));
  return tasks.find((task) => task.status === 'pending' && (task.depends_on ?? []).every((id) => done.has(id))) ?? null;
}

/** Completed tasks that the list leaves out; they are kept, in their old order, before the sent ones. */
function keptTasks(tasks: readonly Task[], sent: SentList): Task[] {
  const ids = new Set(sent.tasks.map((task) => task.id));
  return tasks.filter((task) => task.status === 'completed' && !ids.has(task.id));
}

function cycleIn(tasks: readonly { id: string; depends_on?: string[] }[]): string[] | null {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const state = new Map<string, 'open' | 'done'>();
  // An explicit stack: a chain of a thousand tasks must not depend on the engine's recursion limit.
  for (const root of tasks) {
    const path: { id: string; rest: string[] }[] = [{ id: root.id, rest: [...(root.depends_on ?? [])] }];
    if (state.has(root.id)) continue;
    state.set(root.id, 'open');
    while (path.length > 0) {
      const top = path[path.length - 1] as { id: string; rest: string[] };
      const id = top.rest.shift();
      if (id === undefined) {
        state.set(top.id, 'done');
        path.pop();
      } else if (state.get(id) === 'open') {
        return [...path.slice(path.findIndex((step) => step.id === id)).map((step) => step.id), id];
      } else if (!state.has(id)) {
        state.set(id, 'open');
        path.push({ id, rest: [...(byId.get(id)?.depends_on ?? [])] });
      }
    }
  }
  return null;
}

/** Everything wrong with a sent list beyond its schema (guard RG14). Empty when it may be merged. */
export function taskListProblems(state: SessionState, sent: SentList): Problem[] {
  const problems: Problem[] = [];
  const known = new Map(state.tasks.map((task) => [task.id, task]));
  const seen = new Map<string, number>();
  sent.tasks.forEach((task, index) => {
    if (seen.has(task.id))
      problems.push(problem(`/tasks/${index}/id`, 'problem.task_duplicate', { id: task.id, first: seen.get(task.id) ?? 0 }));
    else seen.set(task.id, index);
    if (task.status === 'completed' && known.get(task.id)?.status !== 'completed') {
      problems.push(
        problem(`/tasks/${index}/status`, known.has(task.id) ? 'problem.task_not_completed' : 'problem.task_new_completed', {
          id: task.id,
        }),
      );
    }
  });
  const dropped = new Set<string>();
  (sent.dropped ?? []).forEach(({ id }, index) => {
    dropped.add(id);
    const task = known.get(id);
    // A drop sent again with the same list finds the task gone already: that is the same list, not a mistake.
    if (task && task.status === 'completed') problems.push(problem(`/dropped/${index}/id`, 'problem.drop_completed', { id }));
    if (seen.has(id)) problems.push(problem(`/dropped/${index}/id`, 'problem.drop_listed', { id }));
  });
  for (const task of state.tasks) {
    if (task.status === 'pending' && !seen.has(task.id) && !dropped.has(task.id)) {
      problems.push(problem('/tasks', 'problem.task_left_out', { id: task.id }));
    }
  }
  const all = [...keptTasks(state.tasks, sent), ...sent.tasks.map((task) => ({ ...known.get(task.id), ...task }))];
  const ids = new Set(all.map((task) => task.id));
  sent.tasks.forEach((task, index) => {
    for (const id of task.depends_on ?? known.get(task.id)?.depends_on ?? []) {
      if (!ids.has(id)) problems.push(problem(`/tasks/${index}/depends_on`, 'problem.task_unknown_dependency', { id: task.id, other: id }));
    }
    for (const id of task.fixes ?? []) {
      if (!ids.has(id)) problems.push(problem(`/tasks/${index}/fixes`, 'problem.task_unknown_fixes', { id: task.id, other: id }));
    }
  });
  if (!sent.tasks.some((task) => task.status === 'pending')) problems.push(problem('/tasks', 'problem.no_pending_task'));
  const cycle = problems.length === 0 ? cycleIn(all) : null;
  if (cycle) problems.push(problem('/tasks', 'problem.task_cycle', { cycle: cycle.join(' → ') }));
  return problems;
}

/** Only a task that was there before can be fixed: naming itself, or another new one, must not buy a fresh count. */
function startingCount(task: SentTask, counts: Map<string, number>, failure: Failure | null): number {
  const fixed = (task.fixes ?? []).flatMap((id) => counts.get(id) ?? []);
  return fixed.length > 0 ? Math.max(...fixed) : (failure?.highest ?? 0);
}

/**
 * The list after a merge by id: status and counters are the server's, an omitted optional field keeps its value, a completed
 * task that is left out is kept. Sending the same list again changes nothing. The list must have no taskListProblems.
 */
export function mergeTasks(state: SessionState, sent: SentList): { tasks: Task[]; failure: Failure | null } {
  const known = new Map(state.tasks.map((task) => [task.id, task]));
  const counts = new Map(state.tasks.map((task) => [task.id, task.failure_count]));
  const ids = new Set(sent.tasks.map((task) => task.id));
  // Dropping a task loses no count: what replaces it starts where it stood.
  const lost = state.tasks.filter((task) => task.status === 'pending' && !ids.has(task.id)).map((task) => task.failure_count);
  const failure = state.failure && { ...state.failure, highest: Math.max(state.failure.highest, ...lost) };
  const merged = sent.tasks.map((task): Task => {
    const old = known.get(task.id);
    const { failure_count: claimed = 0, status, ...rest } = task;
    const count = old ? old.failure_count : startingCount(task, counts, failure);
    return { ...old, ...rest, status, failure_count: Math.max(count, claimed) };
  });
  return { tasks: [...keptTasks(state.tasks, sent), ...merged], failure };
}

/** Tasks that a failed verification counts against: those named, else every task completed since the last plan. */
export function failedTasks(state: SessionState, named: readonly string[]): string[] {
  if (named.length > 0) return [...new Set(named)];
  return state.tasks.filter((task) => task.status === 'completed' && task.completed_round === state.round).map((task) => task.id);
}

/** After an intervention: the tasks at their limit, and what they fix, start again from zero. */
export function resetLimited(tasks: readonly Task[]): Task[] {
  const limited = tasks.filter((task) => task.failure_count >= table.limits.task_failures);
  const ids = new Set(limited.flatMap((task) => [task.id, ...(task.fixes ?? [])]));
  return tasks.map((task) => (ids.has(task.id) ? { ...task, failure_count: 0 } : task));
}
