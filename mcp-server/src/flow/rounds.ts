/** Rounds: every return to step 12 begins one, and counts that belong to a plan begin anew with it. Pure. */
import type { Counters, Failure, SessionState } from './types.ts';

/** What is counted of one plan's reviews. */
export const NO_REVISIONS = { design_revisions: 0, task_revisions: 0 };

export const NO_COUNTS: Counters = {
  intervention_count: 0,
  quality_revert_count: 0,
  verify_failures: 0,
  exploration_reverts: 0,
  merge_reverts: 0,
  review_reverts: 0,
  ...NO_REVISIONS,
};

/** Back to step 12: a new round begins, for the reason given. */
export function newRound(state: SessionState, failure: Failure): SessionState {
  return { ...state, round: state.round + 1, failure, counters: { ...state.counters, ...NO_REVISIONS } };
}
