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

/** In the order they happened. A phase that was not left yet is not among them. */
export function visitsOf(lines: readonly JournalLine[]): Visit[] {
  const visits: Visit[] = [];
  let since: number | null = null;
  let within: JournalLine[] = [];
  for (const line of lines) {
    const at = Date.parse(line.at);
    since ??= at;
    within.push(line);
    if (!LEAVING.has(line.event)) continue;
    if (typeof line.phase === 'string' && typeof line.step === 'number')
      visits.push({ phase: line.phase, step: line.step, from: since, to: Math.max(since, at), lines: within });
    since = at;
    within = [];
  }
  return visits;
}
