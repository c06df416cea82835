/** A session's journal as visits: each time a phase was entered and left, with what happened in between. */
import type { JournalLine } from './journal.ts';

export interface Visit {
  phase: string;
  step: number;
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** What was written while the phase lasted, the line that left it last. */
  lines: JournalLine[];
}

const LEAVING = new Set(['transition', 'abort', 'clean']);

/** What of a line says how long a phase lasted. */
type Timed = Pick<JournalLine, 'event' | 'at'> & { phase?: unknown; step?: unknown };

/** How long a phase lasted: `to` is never before `from`, even where the clock was set back. */
export type Stay = Omit<Visit, 'lines'>;

/** A fold over a journal: since when the present phase lasts, and the stay that the line ended. */
export interface Passing {
  /** Null before the first line. */
  since: number | null;
  stay: Stay | null;
}

export const NOT_BEGUN: Passing = { since: null, stay: null };

/** The next step of the fold. A line whose time cannot be read tells nothing. */
export function pass({ since }: Passing, { event, at, phase, step }: Timed): Passing {
  const now = Date.parse(at);
  if (Number.isNaN(now)) return { since, stay: null };
  const from = since ?? now;
  if (!LEAVING.has(event)) return { since: from, stay: null };
  const known = typeof phase === 'string' && typeof step === 'number';
  return { since: now, stay: known ? { phase, step, from, to: Math.max(from, now) } : null };
}

/** In the order they happened. A phase that was not left yet is not among them. */
export function visitsOf(lines: readonly JournalLine[]): Visit[] {
  const visits: Visit[] = [];
  let passing = NOT_BEGUN;
  let within: JournalLine[] = [];
  for (const line of lines) {
    passing = pass(passing, line);
    within.push(line);
    if (passing.stay) visits.push({ ...passing.stay, lines: within });
    if (LEAVING.has(line.event)) within = [];
  }
  return visits;
}
