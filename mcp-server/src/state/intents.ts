/** What the journal says of effects that were begun: an intent line before each, a done or failed line after it (STATE.md). */
import type { Facts } from '../flow/types.ts';
import { type JournalEntry, type JournalLine, linesSince } from './journal.ts';

/** What an effect needs to be found, or finished, by another process. */
export interface Intent extends JournalEntry {
  event: 'intent';
  effect: string;
  /** Hash of the payload that asked for it. */
  payload: string;
  /** HEAD and branch before the first attempt. */
  parent: string | null;
  branch: string | null;
  /** What the payload was judged by: after half of the work, git no longer shows it. */
  facts: Pick<Facts, 'changed' | 'equal_to_base'>;
}

export interface Begun {
  intent: Intent;
  /** The process ended before it could say how the effect came out, or write down the state that followed. */
  cutOff: boolean;
}

const isIntent = (line: JournalLine): line is JournalLine & Intent => line.event === 'intent';

/**
 * The last effect that was begun at this revision. Since a transition would have ended the revision, the payload that asked
 * for it was not accepted: the process ended, or git failed.
 */
export function lastBegun(root: string, session: string, rev: number): Begun | null {
  const lines = linesSince(root, session, rev).filter((line) => line.rev === rev);
  const intent = lines.findLast(isIntent);
  if (!intent) return null;
  const closed = lines.some((line) => line.seq > intent.seq && (line.event === 'failed' || line.event === 'recovered'));
  return { intent, cutOff: !closed };
}
