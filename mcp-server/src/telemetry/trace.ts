/** What is sent of a session: how long each phase took and what stood in its way. No request, no file name, no text of anybody's. */

import type { JournalLine } from '../state/journal.ts';
import type { SessionFile } from '../state/session-file.ts';
import { type Visit, visitsOf } from '../state/visits.ts';

type Attributes = Record<string, string | number | boolean>;

export interface TraceEvent {
  name: string;
  /** Epoch milliseconds. */
  at: number;
  attributes: Attributes;
}

export interface TraceSpan {
  name: string;
  from: number;
  to: number;
  attributes: Attributes;
  events: TraceEvent[];
}

export interface Trace {
  session: string;
  root: TraceSpan;
  phases: TraceSpan[];
  /** The session ended without reaching what it was for. */
  failed: boolean;
}

const TOLD = new Set(['block', 'refused', 'override', 'failed', 'recovered', 'changes']);
const SAFE = ['guard', 'effect', 'how'];

function eventOf(line: JournalLine): TraceEvent {
  const known = SAFE.filter((key) => typeof line[key] === 'string').map((key) => [`readygate.${key}`, String(line[key])] as const);
  return { name: line.event, at: Date.parse(line.at), attributes: Object.fromEntries(known) };
}

function phaseSpan({ phase, step, from, to, lines }: Visit): TraceSpan {
  const kind = lines.at(-1)?.kind;
  const attributes = {
    'readygate.phase': phase,
    'readygate.step': step,
    ...(typeof kind === 'string' ? { 'readygate.payload': kind } : {}),
  };
  return { name: phase, from, to, attributes, events: lines.filter(({ event }) => TOLD.has(event)).map(eventOf) };
}

/** The trace of a session that has ended. */
export function traceOf(state: SessionFile, lines: readonly JournalLine[]): Trace {
  const phases = visitsOf(lines).map(phaseSpan);
  const from = lines[0] ? Date.parse(lines[0].at) : state.created;
  const to = phases.at(-1)?.to ?? from;
  const outcome = state.outcome ?? '';
  const attributes = {
    'readygate.session': state.session,
    'readygate.intent': state.intent,
    'readygate.outcome': outcome,
    'readygate.pipeline': state.pipeline,
    'readygate.tasks': state.tasks.length,
    'readygate.verify_failures': state.counters.verify_failures,
    'readygate.warnings': state.warnings.length,
  };
  return {
    session: state.session,
    root: { name: 'readygate session', from, to, attributes, events: [] },
    phases,
    failed: outcome === 'aborted' || outcome === 'verification_failed',
  };
}
