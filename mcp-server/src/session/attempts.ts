/** Rule P2 at the edge: payloads that a phase refused are counted in the journal, since state.json stays as it is. */
import { kindOf } from '../flow/engine.ts';
import { table } from '../flow/table.ts';
import type { FlowError } from '../flow/types.ts';
import { linesSince } from '../state/journal.ts';
import type { SessionFile } from '../state/session-file.ts';
import type { Edge } from './edge.ts';
import { note } from './note.ts';

/** How many payloads in a row the session's present revision has refused. */
export function failedAttempts({ work_tree, session, rev }: Pick<SessionFile, 'work_tree' | 'session' | 'rev'>): number {
  return linesSince(work_tree, session, rev).filter((line) => line.event === 'attempt' && line.rev === rev).length;
}

/** Whether the present phase does not hold the session up for ever. */
const degrades = (state: SessionFile): boolean => kindOf(state, {}).degrades === true;

/** Whether the next payload that is refused is the last one: then the session goes on. */
export const correctionsUsedUp = (state: SessionFile): boolean =>
  degrades(state) && failedAttempts(state) >= table.limits.payload_corrections;

/** Counts a payload that did not validate. A journal that cannot be written counts nothing, and holds nothing up. */
export function countAttempt(state: SessionFile, refused: FlowError, edge: Edge): void {
  if (refused.error !== 'payload_mismatch' || refused.message.key === 'error.step_mismatch' || !degrades(state)) return;
  const why = refused.problems.map(({ message }) => message.key).slice(0, 10);
  note(state, edge, { event: 'attempt', phase: state.phase, step: state.step, why });
}
