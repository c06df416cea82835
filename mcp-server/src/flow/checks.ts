/** The named checks of state/phases.json: what a schema cannot say. Pure; each gives every problem it finds. */
import { collectionProblems } from '../pre-planning/collection.ts';
import { informationProblems } from '../pre-planning/information.ts';
import { understandingProblems } from '../pre-planning/understanding.ts';
import { verdictProblems } from '../pre-planning/verdicts.ts';
import { planHash } from './approval.ts';
import { taskIdProblems } from './artifacts.ts';
import { pointerTo, problem } from './problem.ts';
import { table } from './table.ts';
import { nextTask, type SentList, taskListProblems } from './tasks.ts';
import type { Facts, FlowError, Payload, Problem, ReviewedFile, SessionState } from './types.ts';

export interface CheckInput {
  state: SessionState;
  data: Payload;
  facts: Facts;
}

/** Problems are a payload_mismatch; a guard's refusal names the guard. */
export type CheckResult = Problem[] | FlowError;

const blocked = (guard: string, key: string, params: Record<string, string | number> = {}, problems: Problem[] = []): FlowError => ({
  error: 'guard_blocked',
  guard,
  message: { key, params },
  problems,
});

/** How many paths an error lists before it only counts the rest. */
const LISTED = 40;

function quotes({ state, data }: CheckInput): CheckResult {
  const said = Object.entries((data.quotes ?? {}) as Record<string, string>);
  return said
    .filter(([, text]) => !state.request.includes(text))
    .map(([slot]) => problem(pointerTo('quotes', slot), 'problem.not_a_quote'));
}

function unchanged({ facts, state }: CheckInput): CheckResult {
  const changed = facts.changed ?? [];
  if (changed.length === 0 && (state.git?.commits.length ?? 0) === 0) return [];
  const files = changed.slice(0, LISTED).map((file) => file.path);
  return [problem('/finish', 'problem.something_changed', { files: files.join(', '), commits: state.git?.commits.length ?? 0 })];
}

function mayExploreAgain({ state }: CheckInput): CheckResult {
  const limit = table.limits.exploration_reverts;
  if (state.flags.fast || state.flags.quick) return [problem('/revert_to', 'problem.no_exploration_here')];
  if (state.counters.exploration_reverts >= limit) return blocked('RG15', 'problem.exploration_limit', { limit });
  return [];
}

function tasks({ state, data }: CheckInput): CheckResult {
  const sent = data as unknown as SentList;
  return [...taskListProblems(state, sent), ...(state.pipeline ? taskIdProblems(sent.tasks) : [])];
}

function report({ state, data }: CheckInput): CheckResult {
  const id = String(data.task_id);
  const task = state.tasks.find((candidate) => candidate.id === id);
  const next = nextTask(state.tasks);
  if (!task) return [problem('/task_id', 'problem.unknown_task', { id, next: next?.id ?? '' })];
  if (task.status === 'completed') return [problem('/task_id', 'problem.already_completed', { id, next: next?.id ?? '' })];
  if (next && next.id !== id) return [problem('/task_id', 'problem.wrong_order', { id, next: next.id })];
  return [];
}

function allTasksDone({ state }: CheckInput): CheckResult {
  const pending = state.tasks.filter((task) => task.status === 'pending');
  if (state.tasks.length > 0 && pending.length === 0) return [];
  return blocked('RG14', 'problem.unfinished_list', { pending: pending.map((task) => task.id).join(', ') });
}

function failedTasksKnown({ state, data }: CheckInput): Problem[] {
  const named = (data.failed_tasks ?? []) as string[];
  const known = new Set(state.tasks.map((task) => task.id));
  if (data.passed === true && named.length > 0) return [problem('/failed_tasks', 'problem.failed_though_passed')];
  return named.flatMap((id, index) => (known.has(id) ? [] : [problem(`/failed_tasks/${index}`, 'problem.unknown_task', { id, next: '' })]));
}

function intervention({ data, facts }: CheckInput): CheckResult {
  const names = facts.interventions ?? [];
  if (names.includes(String(data.prompt_used))) return [];
  return [problem('/prompt_used', 'problem.unknown_intervention', { names: names.join(', ') })];
}

/** A path as git prints it: relative to the work tree, without a leading "./". */
function relative(path: string, root: string): string {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside.startsWith('./') ? inside.slice(2) : inside;
}

const below = (folder: string, path: string): string => `${folder}/${path}`;

/** A path that did not change, but does when it is read from the project's folder, is meant from there. */
function fromTop(path: string, { changed = [], folder }: Facts): string {
  if (folder === undefined || changed.some((file) => file.path === path)) return path;
  const inside = below(folder, path);
  return changed.some((file) => file.path === inside) ? inside : path;
}

/** The reviewed files in their full form; a plain string means "keep". */
export function reviewedFiles(state: SessionState, data: Payload, facts: Facts): ReviewedFile[] {
  return ((data.reviewed_files ?? []) as (string | (Partial<ReviewedFile> & { path: string }))[]).map((file) => {
    const full: Partial<ReviewedFile> & { path: string } = typeof file === 'string' ? { path: file } : file;
    return { ...full, path: fromTop(relative(full.path, state.work_tree), facts), decision: full.decision ?? 'keep' };
  });
}

/** What a review may name, of a payload that nobody has checked yet: each path as it stands, and from the project's folder. */
export function namedForReview({ work_tree }: SessionState, sent: Payload, { folder }: Facts): Set<string> {
  const list: unknown[] = Array.isArray(sent.reviewed_files) ? sent.reviewed_files : [];
  const named = list.map((file) => (typeof file === 'string' ? file : (file as { path?: unknown } | null)?.path));
  const paths = named.flatMap((path) => (typeof path === 'string' ? [relative(path, work_tree)] : []));
  return new Set(folder === undefined ? paths : paths.flatMap((path) => [path, below(folder, path)]));
}

function reviewComplete({ state, data, facts }: CheckInput): CheckResult {
  const reviewed = reviewedFiles(state, data, facts);
  const changed = new Set((facts.changed ?? []).map((file) => file.path));
  const optional = new Set(facts.equal_to_base ?? []);
  const names = new Set(reviewed.map((file) => file.path));
  const problems: Problem[] = [];
  const missing = [...changed].filter((path) => !names.has(path) && !optional.has(path));
  const extra = [...names].filter((path) => !changed.has(path));
  if (missing.length > 0)
    problems.push(
      problem('/reviewed_files', 'problem.review_missing', { count: missing.length, files: missing.slice(0, LISTED).join(', ') }),
    );
  if (extra.length > 0)
    problems.push(problem('/reviewed_files', 'problem.review_extra', { count: extra.length, files: extra.slice(0, LISTED).join(', ') }));
  if (names.size < reviewed.length) problems.push(problem('/reviewed_files', 'problem.review_twice'));
  reviewed.forEach((file, index) => {
    if (file.decision === 'discard' && !file.reason?.trim())
      problems.push(problem(`/reviewed_files/${index}/reason`, 'problem.discard_reason', { path: file.path }));
  });
  return problems.length === 0 ? [] : blocked('RG16', 'problem.review_differs', { count: changed.size }, problems);
}

function mayPlanAgain({ state }: CheckInput): CheckResult {
  const limit = table.limits.review_reverts;
  return state.counters.review_reverts >= limit ? blocked('RG15', 'problem.review_revert_limit', { limit }) : [];
}

function mayResolveConflict({ state, data }: CheckInput): CheckResult {
  const limit = table.limits.merge_reverts;
  // Without a conflict it is the way back for whatever else keeps the merge from happening; editing is closed here.
  if (state.conflict.length === 0 && !String(data.reason ?? '').trim()) return [problem('/reason', 'problem.no_conflict')];
  if (state.counters.merge_reverts >= limit) return blocked('RG15', 'problem.merge_revert_limit', { limit });
  return [];
}

function strategy({ data, facts }: CheckInput): CheckResult {
  if (data.strategy !== 'pull_request' || facts.pull_request_wanted) return [];
  return blocked('RG09', 'problem.pull_request_unasked');
}

/** An approval is for the plan that the person saw. */
function samePlan({ state, data, facts }: CheckInput): CheckResult {
  if (data.plan === undefined || data.plan === planHash(state.tasks, facts)) return [];
  return [problem('/plan', 'problem.plan_changed')];
}

const checks: Record<string, (input: CheckInput) => CheckResult> = {
  quotes,
  unchanged,
  may_explore_again: mayExploreAgain,
  tasks,
  report,
  all_tasks_done: allTasksDone,
  verdict: (input) => [...failedTasksKnown(input), ...verdictProblems(input.state, input.data)],
  understanding: ({ data }) => understandingProblems(data),
  information: ({ data }) => informationProblems(data),
  collection: ({ state, data, facts }) => collectionProblems(state, data, facts.files ?? {}),
  intervention,
  review_complete: reviewComplete,
  may_plan_again: mayPlanAgain,
  may_resolve_conflict: mayResolveConflict,
  strategy,
  same_plan: samePlan,
};

/** Runs a check of the table. @throws Error on a name that nobody implements. */
export function runCheck(name: string | undefined, input: CheckInput): CheckResult {
  if (name === undefined) return [];
  const check = checks[name];
  if (!check) throw new Error(`state/phases.json names the unknown check ${name}`);
  return check(input);
}
