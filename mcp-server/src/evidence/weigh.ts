/** Guard RG12 at the edge: reads the ledger, waits a moment for lines under way, and says what the mode makes of it. */
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FlowError, MessageRef, Payload } from '../flow/types.ts';
import { type Language, say } from '../messages/messages.ts';
import { type ClaimKind, claimProblems } from './claims.ts';
import type { LedgerEntry } from './entry.ts';
import { ledgerSize, readLedger } from './ledger.ts';
import { type ClaimProblem, lookedAt } from './looked.ts';
import { judgePassed, type LastChange } from './passed.ts';
import { absolutePath, type TreeView } from './seen.ts';
import { diskView } from './tree-view.ts';

/** `strict` refuses, `warn` says it and goes on, `off` looks at nothing. */
export type EvidenceMode = 'strict' | 'warn' | 'off';

/** What is checked, by the name in state/phases.json. */
export type EvidenceCheck = ClaimKind | 'passed';

export interface Clock {
  now: () => number;
  pause: (ms: number) => Promise<unknown>;
}

export interface Weighing {
  mode: EvidenceMode;
  check: EvidenceCheck;
  root: string;
  session: string;
  language: Language;
  /** A payload that its schema has accepted. */
  data: Payload;
  /** The user's own words, for files they named with @. */
  words: readonly string[];
  /** For `passed`: when this round's editing was opened, epoch milliseconds. */
  since: number;
  /** For `passed`: the file that the session changed last (last-change.ts); null when unknown. */
  changed: LastChange | null;
  clock?: Clock;
}

export interface Weighed {
  refusal: FlowError | null;
  /** Said with the answer, and kept for the session's summary. */
  warnings: MessageRef[];
}

/** How long missing evidence is looked for again, and how often. */
const PATIENCE_MS = 2000;
const LOOK_EVERY_MS = 100;
const WARNED = 10;

const CLOCK: Clock = { now: Date.now, pause: (ms) => wait(ms) };

interface Judged {
  problems: ClaimProblem[];
  warnings: MessageRef[];
}

function insideOf(view: TreeView): (file: string, cwd: string) => boolean {
  const roots = [view.root, view.real(view.root)].map((root) => root + path.sep);
  return (file, cwd) => {
    const absolute = absolutePath(file, cwd || view.root, view.home);
    return [absolute, view.real(absolute)].some((form) => roots.some((root) => form.startsWith(root)));
  };
}

function judge({ check, data, since, changed }: Weighing, entries: readonly LedgerEntry[], view: TreeView): Judged {
  if (check !== 'passed') return { problems: claimProblems(check, data, lookedAt(entries, view)), warnings: [] };
  if (data.passed !== true) return { problems: [], warnings: [] };
  return judgePassed(entries, { reason: String(data.no_check_reason ?? ''), since, changed, inside: insideOf(view) });
}

/** Judges again whenever the ledger has grown, until nothing is missing or patience ends. */
async function judgePatiently(weighing: Weighing, view: TreeView): Promise<Judged & { empty: boolean }> {
  const { root, session, clock = CLOCK } = weighing;
  const until = clock.now() + PATIENCE_MS;
  let size = ledgerSize(root, session);
  let entries = readLedger(root, session);
  let judged = judge(weighing, entries, view);
  // Without a single line the hooks are not active, and nothing will come.
  while (entries.length > 0 && judged.problems.some(({ ledger }) => ledger) && clock.now() < until) {
    await clock.pause(LOOK_EVERY_MS);
    const now = ledgerSize(root, session);
    if (now === size) continue;
    size = now;
    entries = readLedger(root, session);
    judged = judge(weighing, entries, view);
  }
  return { ...judged, empty: entries.length === 0 };
}

const refusalOf = (problems: readonly ClaimProblem[]): FlowError => ({
  error: 'payload_mismatch',
  guard: 'RG12',
  message: { key: 'error.evidence', params: { count: problems.length } },
  problems: problems.map(({ pointer, message }) => ({ pointer, message })),
});

function warningsOf(problems: readonly ClaimProblem[], language: Language): MessageRef[] {
  return problems
    .slice(0, WARNED)
    .map(({ pointer, message }) => ({ key: 'warning.evidence', params: { pointer, detail: say(message, language) } }));
}

/**
 * Checks what a payload claims against the session's ledger. Call it once the payload is valid and before anything is done.
 * @returns the refusal, or null; and what to warn of
 */
export async function weighEvidence(weighing: Weighing): Promise<Weighed> {
  const { mode, root, words, language } = weighing;
  if (mode === 'off') return { refusal: null, warnings: [] };
  const { problems, warnings, empty } = await judgePatiently(weighing, diskView(root, words));
  if (problems.length === 0) return { refusal: null, warnings };
  if (mode === 'strict' && !empty) return { refusal: refusalOf(problems), warnings: [] };
  const told = empty ? problems.filter(({ ledger }) => !ledger) : problems;
  const unrecorded: MessageRef[] = empty ? [{ key: 'warning.evidence_no_ledger' }] : [];
  return { refusal: null, warnings: [...unrecorded, ...warningsOf(told, language), ...warnings] };
}
