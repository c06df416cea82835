/** The named conditions of state/phases.json: pure predicates over what is known at a decision. */
import { settingsOf } from '../pre-planning/settings.ts';
import { approvalNeeded } from './approval.ts';
import { isSentBack } from './artifacts.ts';
import { reviewedFiles } from './checks.ts';
import { table, type When } from './table.ts';
import type { EffectResults, Facts, Payload, SessionState } from './types.ts';

export interface Moment {
  state: SessionState;
  data: Payload;
  facts: Facts;
  results: EffectResults;
}

const { limits } = table;

/** An investigation ends before step 12 (FLOW.md, Flags). */
export function isInvestigation(state: Pick<SessionState, 'intent' | 'flags'>): boolean {
  const asked = state.intent === 'INVESTIGATE' || state.intent === 'QUESTION' || state.flags['only-explore'];
  return asked && !state.flags['only-verify'];
}

/** Step 16 is skipped under --quick, --no-intervention and --no-verify; the question to the user is not. */
function interventionOff({ flags }: SessionState): boolean {
  return flags.quick || flags['no-intervention'] || flags['no-verify'];
}

function verifyLimit(state: SessionState): number {
  return state.flags.quick || state.flags['no-intervention'] ? limits.verify_failures_short : limits.verify_failures;
}

const hasIssues = (data: Payload): boolean => Array.isArray(data.issues) && data.issues.length > 0;

const conditions: Record<string, (moment: Moment) => boolean> = {
  always: () => true,
  fast: ({ state }) => state.flags.fast,
  quick: ({ state }) => state.flags.quick,
  no_verify: ({ state }) => state.flags['no-verify'],
  no_quality: ({ state }) => state.flags['no-quality'],
  pre_planning_off: ({ state }) => state.flags['no-pre-planning'] || !settingsOf(state).enabled,
  collection_off: ({ state }) => !settingsOf(state).collection.enabled,
  collection_planned: ({ state }) => state.pre_planning?.planned === true,
  items_open: ({ state }) => (state.pre_planning?.items ?? []).some((item) => item.status === 'open'),
  no_doc: ({ state }) => state.flags['no-doc'],
  only_verify: ({ state }) => state.flags['only-verify'],
  gate_auto: ({ state }) => state.flags.gate === 'auto',
  investigation: ({ state }) => isInvestigation(state),
  no_stale_branches: ({ facts }) => (facts.stale ?? []).length === 0,
  q1_no: ({ state }) => state.assessments.q1?.answer === false,
  q2_no: ({ state }) => state.assessments.q2?.answer === false,
  q3_no: ({ state }) => state.assessments.q3?.answer === false,
  choice_incomplete: ({ results }) => results.resolve_stale?.incomplete === true,
  needs_branch: ({ state }) => state.git !== null && state.git.branch === null && !state.flags.quick,
  has_conflict: ({ state }) => state.conflict.length > 0,
  has_branch: ({ state }) => state.git?.branch != null,
  all_tasks_completed: ({ state }) => state.tasks.length > 0 && state.tasks.every((task) => task.status === 'completed'),
  passed: ({ data }) => data.passed === true,
  verify_limit: ({ state }) => state.counters.verify_failures >= verifyLimit(state),
  intervention_off: ({ state }) => interventionOff(state),
  task_at_limit: ({ state }) => state.tasks.some((task) => task.failure_count >= limits.task_failures),
  intervention_limit: ({ state }) => state.counters.intervention_count >= limits.interventions,
  decided_retry: ({ data }) => data.user_decision === 'retry',
  decided_abort: ({ data }) => data.user_decision === 'abort',
  has_discards: ({ state, data, facts }) => reviewedFiles(state, data, facts).some((file) => file.decision === 'discard'),
  no_issues: ({ data }) => !hasIssues(data),
  merge_stopped: ({ results }) => results.merge?.status === 'conflict' || results.merge?.status === 'blocked',
  nothing_merged: ({ results }) => results.merge?.status === 'nothing',
  accepted_unverified: ({ state }) => state.accepted_unverified,
  open_issues: ({ state }) => state.open_issues,
  pipeline: ({ state }) => state.pipeline,
  investigated: ({ state }) => state.completed_steps.includes(7) || state.completed_steps.includes(9),
  sent_back: ({ data, facts }) => isSentBack(String(data.artifact), facts),
  design_limit: ({ state }) => state.counters.design_revisions > limits.plan_revisions,
  tasks_limit: ({ state }) => state.counters.task_revisions > limits.plan_revisions,
  given_up: ({ state }) => state.tasks.some((task) => (task.review_fails ?? 0) > limits.task_reviews),
  approval_needed: ({ state, facts }) => approvalNeeded(state, facts),
  approved: ({ data }) => data.user_approval === 'approve',
};

/** Whether a condition of the table holds; a list means all of it. @throws Error on a name that nobody implements. */
export function holds(when: When | undefined, moment: Moment): boolean {
  if (when === undefined) return true;
  if (Array.isArray(when)) return when.every((name) => holds(name, moment));
  const negated = when.startsWith('!');
  const condition = conditions[negated ? when.slice(1) : when];
  if (!condition) throw new Error(`state/phases.json names the unknown condition ${when}`);
  return condition(moment) !== negated;
}

/** Names that the table may use, for the test that keeps table and code in step. */
export const conditionNames: readonly string[] = Object.keys(conditions);
