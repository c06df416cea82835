/** Where a session stands on the map of the flow. Pure. */
import type { FlowMap, SessionView, Station } from '../view.ts';

export type Standing = 'now' | 'end' | 'done' | 'given_up' | 'skipped' | 'ahead';

/** Which station the session stands at: that of its node, else the one that stands in for it (an escalation has none of its own). */
export function presentIndex({ stations }: FlowMap, session: SessionView): number {
  const tests = [
    ({ node }: Station) => node === session.node,
    ({ step, phase }: Station) => step === session.step && phase === session.phase,
    ({ step }: Station) => step === session.step,
  ];
  return tests.map((test) => stations.findIndex(test)).find((index) => index >= 0) ?? -1;
}

/** How a station stands to the session: passed, present or ahead. */
export function standingOf(index: number, present: number, station: Station, session: SessionView): Standing {
  if (index === present) return session.active ? 'now' : session.completed.includes(station.step) ? 'done' : 'end';
  if (session.skipped.includes(station.step)) return 'skipped';
  // What was done in an earlier round lies ahead again.
  if (session.active && index > present) return 'ahead';
  if (session.given_up.includes(station.phase)) return 'given_up';
  if (session.completed.includes(station.step)) return session.passed_by.includes(station.phase) ? 'skipped' : 'done';
  // A side road that was passed by.
  return index < present && station.side ? 'skipped' : 'ahead';
}
