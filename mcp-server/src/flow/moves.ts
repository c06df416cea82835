/** The named moves of state/phases.json: how an accepted payload changes the session, before the next node is chosen. Pure. */

import { collect } from '../pre-planning/collection.ts';
import { planInformation } from '../pre-planning/information.ts';
import type { PrePlanning } from '../pre-planning/types.ts';
import { understand } from '../pre-planning/understanding.ts';
import { verdictsIn } from '../pre-planning/verdicts.ts';
import type { Moment } from './conditions.ts';
import { pipelineMoves } from './pipeline-moves.ts';
import { NO_COUNTS, NO_REVISIONS, newRound } from './rounds.ts';
import { table } from './table.ts';
import { failedTasks, mergeTasks, resetLimited, type SentList } from './tasks.ts';
import type { Failure, MessageRef, Payload, SessionState, Task } from './types.ts';

function chosen({ state, results }: Moment): SessionState {
  const found = results.resolve_stale;
  if (!state.git || !found) return state;
  const git = found.adopted ? { ...state.git, branch: found.adopted.name, base: found.adopted.base } : { ...state.git, base: found.branch };
  return { ...state, git };
}

function assess({ state, data }: Moment): SessionState {
  const [name, field] = (
    { Q1: ['q1', 'needs_more_information'], Q2: ['q2', 'has_unverified_hypotheses'], Q3: ['q3', 'needs_impact_analysis'] } as const
  )[state.node as 'Q1' | 'Q2' | 'Q3'];
  return { ...state, assessments: { ...state.assessments, [name]: { answer: data[field] === true, reason: String(data.reason).trim() } } };
}

function plan({ state, data, results }: Moment): SessionState {
  const { tasks, failure } = mergeTasks(state, data as unknown as SentList);
  const made = results.create_branch;
  const git = state.git && made ? { ...state.git, branch: made.name, base: made.base } : state.git;
  // A list that begins a round forgives failed reviews; one sent while the work is under way does not.
  const begun = state.gate === 'closed' ? tasks.map(({ review_fails: _fails, ...task }): Task => task) : tasks;
  return { ...state, tasks: begun, failure, git };
}

/** In a pipeline session a task is completed by its review, not by its report. */
function report({ state, data }: Moment): SessionState {
  if (state.pipeline) {
    const noted = state.tasks.map((task) => (task.id === data.task_id ? { ...task, summary: String(data.summary) } : task));
    return { ...state, tasks: noted };
  }
  const tasks = state.tasks.map((task) =>
    task.id === data.task_id
      ? { ...task, status: 'completed' as const, summary: String(data.summary), completed_round: state.round }
      : task,
  );
  return { ...state, tasks };
}

/** The failure goes on being answered; one more thing is said about it, so that step 12 still holds why it came to this. */
function addReason(failure: Failure, said: unknown): Failure {
  return typeof said === 'string' && said.trim() ? { ...failure, reason: `${failure.reason}\n${said}` } : failure;
}

/** Back to step 5 with the tasks kept; the answers of Q1-Q3 are asked anew. */
function exploreAgain({ state, data }: Moment): SessionState {
  const failure = state.failure
    ? addReason(state.failure, data.reason)
    : { from: state.phase, reason: String(data.reason), failed_tasks: [], highest: 0 };
  return {
    ...state,
    assessments: {},
    failure,
    counters: { ...state.counters, ...NO_REVISIONS, exploration_reverts: state.counters.exploration_reverts + 1 },
  };
}

/** Steps 4a to 4c: what becomes of the session, and what is said about it. */
const prePlanning: Record<string, (state: SessionState, data: Payload) => { pre: PrePlanning; remarks: MessageRef[] }> = {
  understood: understand,
  planned: planInformation,
  collected: collect,
};

function prePlan(move: string, { state, data, facts }: Moment): SessionState {
  const pre = prePlanning[move]?.(state, data).pre ?? null;
  if (!pre || !data.degraded) return { ...state, pre_planning: pre };
  const warning = { key: `warning.given_up.${state.node}`, params: { count: (facts.failed_attempts ?? 0) + 1 } };
  return { ...state, pre_planning: { ...pre, degraded: [...pre.degraded, state.phase] }, warnings: [...state.warnings, warning] };
}

/** What is to be said about an accepted payload beyond the next instruction. */
export const remarksOn = (move: string | undefined, state: SessionState, data: Payload): MessageRef[] =>
  prePlanning[move ?? '']?.(state, data).remarks ?? [];

function verified({ state: before, data }: Moment): SessionState {
  const pre = before.pre_planning;
  const verdicts = { ...pre?.verdicts, ...verdictsIn(pre, String(data.details)) };
  const state: SessionState = pre ? { ...before, pre_planning: { ...pre, verdicts } } : before;
  if (data.passed === true) return { ...state, failure: null, accepted_unverified: false };
  const named = Array.isArray(data.failed_tasks) ? (data.failed_tasks as string[]) : [];
  const failed = failedTasks(state, named);
  const tasks = state.tasks.map((task) => (failed.includes(task.id) ? { ...task, failure_count: task.failure_count + 1 } : task));
  const highest = Math.max(0, ...tasks.filter((task) => failed.includes(task.id)).map((task) => task.failure_count));
  const counters = { ...state.counters, verify_failures: state.counters.verify_failures + 1 };
  return newRound({ ...state, tasks, counters }, { from: state.phase, reason: String(data.details), failed_tasks: failed, highest });
}

function intervened({ state, data }: Moment): SessionState {
  const tasks = resetLimited(state.tasks);
  const highest = Math.max(0, ...tasks.filter((task) => state.failure?.failed_tasks.includes(task.id)).map((task) => task.failure_count));
  const failure = state.failure && addReason({ ...state.failure, from: state.phase, highest }, data.action_taken);
  return { ...state, tasks, failure, counters: { ...state.counters, intervention_count: state.counters.intervention_count + 1 } };
}

/** The person's decision at the escalation; any of them zeroes verify_failures. */
function decided({ state, data }: Moment): SessionState {
  if (data.user_decision === 'retry') {
    const tasks = state.tasks.map((task) => ({ ...task, failure_count: 0 }));
    const failure = state.failure && addReason({ ...state.failure, highest: 0 }, data.note);
    return { ...state, tasks, failure, counters: NO_COUNTS };
  }
  const counters = { ...state.counters, verify_failures: 0 };
  if (data.user_decision !== 'accept') return { ...state, counters };
  return { ...state, counters, accepted_unverified: true, warnings: [...state.warnings, { key: 'warning.accepted_unverified' }] };
}

/** The commit also ends a resolved conflict: only a new attempt at step 19 may find another. */
function committed({ state, results }: Moment): SessionState {
  if (!state.git) return state;
  const { commit: sha, staged = [], unnamable = [] } = results.commit ?? {};
  const warnings = [
    ...state.warnings,
    ...staged.map((version) => ({ key: 'warning.staged_kept', params: { ...version } })),
    ...unnamable.map((path) => ({ key: 'warning.unnamable', params: { path } })),
  ];
  return {
    ...state,
    warnings,
    conflict: [],
    git: { ...state.git, commits: sha ? [...state.git.commits, sha] : state.git.commits, merging: false },
  };
}

function quality({ state, data }: Moment): SessionState {
  const issues = Array.isArray(data.issues) ? data.issues : [];
  if (issues.length === 0) return { ...state, open_issues: false };
  const count = state.counters.quality_revert_count;
  if (count >= table.limits.quality_reverts) return { ...state, open_issues: true };
  const reason = issues.map((issue) => (typeof issue === 'string' ? issue : JSON.stringify(issue))).join('\n');
  return newRound(
    { ...state, open_issues: false, counters: { ...state.counters, quality_revert_count: count + 1 } },
    { from: state.phase, reason, failed_tasks: [], highest: 0 },
  );
}

/** Files of the user's in the way ("blocked") are no conflict: merging the base into the branch would not move them. */
function merged({ state, results }: Moment): SessionState {
  return { ...state, conflict: results.merge?.status === 'conflict' ? results.merge.files : [] };
}

/** The review, or the user's commit hook, found something: back to step 12. */
function planAgain({ state, data }: Moment): SessionState {
  const counters = { ...state.counters, review_reverts: state.counters.review_reverts + 1 };
  return newRound({ ...state, counters }, { from: state.phase, reason: String(data.reason), failed_tasks: [], highest: 0 });
}

/** From the merge back to step 12: with a conflict the base was merged into the task branch, else the reason says what is in the way. */
function resolveConflict({ state, data, results }: Moment): SessionState {
  const counted = { ...state.counters, merge_reverts: state.counters.merge_reverts + 1 };
  if (!results.merge_base) {
    const failure: Failure = { from: 'MERGE.back', reason: String(data.reason), failed_tasks: [], highest: 0 };
    return newRound({ ...state, counters: counted }, failure);
  }
  const { files } = results.merge_base;
  const failure: Failure = { from: state.phase, reason: files.length > 0 ? files.join('\n') : '', failed_tasks: [], highest: 0 };
  return newRound({ ...state, counters: counted, conflict: files, git: state.git && { ...state.git, merging: true } }, failure);
}

const moves: Record<string, (moment: Moment) => SessionState> = {
  chosen,
  assess,
  plan,
  report,
  explore_again: exploreAgain,
  verified,
  understood: (moment) => prePlan('understood', moment),
  planned: (moment) => prePlan('planned', moment),
  collected: (moment) => prePlan('collected', moment),
  intervened,
  decided,
  committed,
  plan_again: planAgain,
  quality,
  merged,
  resolve_conflict: resolveConflict,
  ...pipelineMoves,
};

/** Applies a move of the table. @throws Error on a name that nobody implements. */
export function applyMove(name: string | undefined, moment: Moment): SessionState {
  if (name === undefined) return moment.state;
  const move = moves[name];
  if (!move) throw new Error(`state/phases.json names the unknown move ${name}`);
  return move(moment);
}
