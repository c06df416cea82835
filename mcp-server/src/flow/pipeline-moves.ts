/** The moves of a pipeline session and of the plan's approval (state/phases.json). Pure. */
import { planHash } from './approval.ts';
import { isSentBack, TASK_LIST } from './artifacts.ts';
import type { Moment } from './conditions.ts';
import { NO_REVISIONS, newRound } from './rounds.ts';
import { table } from './table.ts';
import { nextTask } from './tasks.ts';
import type { Failure, SessionState, Task } from './types.ts';

type Revisions = 'design_revisions' | 'task_revisions';

/** A verdict that sends the artifact back counts; one that lets it pass leaves the count as it is. */
const reviewed =
  (counter: Revisions) =>
  ({ state, data, facts }: Moment): SessionState =>
    isSentBack(String(data.artifact), facts)
      ? { ...state, counters: { ...state.counters, [counter]: state.counters[counter] + 1 } }
      : state;

/** The person's decision about a plan that its reviews keep sending back. */
function planDecided({ state, data, facts }: Moment): SessionState {
  if (data.user_decision === 'retry') return { ...state, counters: { ...state.counters, ...NO_REVISIONS } };
  if (data.user_decision !== 'accept') return state;
  // Another text of the list needs a review, or the user, again.
  const accepted_tasks = state.node === 'READY_TASKS_ESCALATION' ? (facts.artifacts?.[TASK_LIST]?.hash ?? null) : state.accepted_tasks;
  return {
    ...state,
    ...(accepted_tasks === undefined ? {} : { accepted_tasks }),
    warnings: [...state.warnings, { key: 'warning.accepted_plan' }],
  };
}

function failedReview(state: SessionState, task: Task): SessionState {
  const fails = (task.review_fails ?? 0) + 1;
  const givenUp = fails > table.limits.task_reviews;
  const changed: Task = { ...task, review_fails: fails, failure_count: task.failure_count + (givenUp ? 1 : 0) };
  const tasks = state.tasks.map((each) => (each.id === task.id ? changed : each));
  if (!givenUp) return { ...state, tasks };
  const failure: Failure = {
    from: 'READY_REVIEW',
    reason: `review-${task.id}.md: FAIL (${fails})`,
    failed_tasks: [task.id],
    highest: changed.failure_count,
  };
  const counters = { ...state.counters, verify_failures: state.counters.verify_failures + 1 };
  return newRound({ ...state, tasks, counters }, failure);
}

/** A task is completed by the review that lets it pass. */
function taskReviewed({ state, data, facts }: Moment): SessionState {
  const task = nextTask(state.tasks);
  if (!task) return state;
  if (isSentBack(String(data.artifact), facts)) return failedReview(state, task);
  const { review_fails: _fails, ...passed } = task;
  const done: Task = { ...passed, status: 'completed', completed_round: state.round };
  return { ...state, tasks: state.tasks.map((each) => (each.id === task.id ? done : each)) };
}

const rejection = (state: SessionState, reason: unknown): SessionState => {
  const failed = state.failure ?? { failed_tasks: [], highest: 0 };
  return newRound(state, { ...failed, from: 'READY_APPROVAL', reason: String(reason ?? '') });
};

/** Approved is the plan as it is now; a changed one has another hash, and needs another approval. */
function approved({ state, data, facts }: Moment): SessionState {
  if (data.user_approval !== 'approve') return rejection(state, data.note);
  return { ...state, approved_plan: planHash(state.tasks, facts) };
}

export const pipelineMoves: Record<string, (moment: Moment) => SessionState> = {
  design_reviewed: reviewed('design_revisions'),
  tasks_reviewed: reviewed('task_revisions'),
  plan_decided: planDecided,
  task_reviewed: taskReviewed,
  approved,
  reject_plan: ({ state, data }) => rejection(state, data.reason),
};
