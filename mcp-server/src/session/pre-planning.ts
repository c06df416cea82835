/** Pre-planning at the edge: its clock, its hand-over file, and its notices as journal lines. */
import type { SessionState } from '../flow/types.ts';
import { prePlanningResult } from '../pre-planning/hand-over.ts';
import { type Notice, noticesBetween, stamped } from '../pre-planning/notices.ts';
import type { JournalEntry } from '../state/journal.ts';
import { prePlanningFile } from '../state/layout.ts';
import { writeAtomic } from '../state/session-file.ts';

export interface PrePlanned {
  state: SessionState;
  /** Lines for the journal, before the transition's own. */
  journal: Omit<JournalEntry, 'rev'>[];
}

/** A notice as the journal keeps it. */
const noticeLine = ({ event, about, at, data }: Notice): Omit<JournalEntry, 'rev'> => ({
  event: 'notice',
  notice: event,
  about,
  time: at,
  data,
});

/**
 * What a transition means for pre-planning. The hand-over is written before the state that follows it, so that a crash in
 * between leaves a file that is written once more, never a plan without one.
 * @throws StorageFailed
 */
export function afterTransition(before: SessionState, after: SessionState, now: Date): PrePlanned {
  const time = now.toISOString();
  const state = stamped(before, after, time);
  if (state.pre_planning?.completed_at && !before.pre_planning?.completed_at) {
    const text = JSON.stringify({ pre_planning_result: prePlanningResult(state.pre_planning) }, null, 2);
    writeAtomic(prePlanningFile(state.work_tree, state.session), `${text}\n`);
  }
  return { state, journal: noticesBetween(before, state, time).map(noticeLine) };
}
