/** Writing down where a session is: instruction rendered, state file, archive, journal. The caller holds the lock. */

import { COMPLETE, nodeOf } from '../flow/table.ts';
import type { Facts, MessageRef, SessionState } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import { type Language, say } from '../messages/messages.ts';
import { archive } from '../state/archive.ts';
import type { Fence } from '../state/fence.ts';
import { appendJournal, type JournalEntry, sha256 } from '../state/journal.ts';
import { stateFile } from '../state/layout.ts';
import { type SessionFile, type Shown, StorageFailed } from '../state/session-file.ts';
import { noteEnded } from '../telemetry/ended.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { hooksLastSeen } from './hooks-seen.ts';
import { instructionFor } from './instruction.ts';
import { isUsersTurn } from './on-stop.ts';
import { pipelineFields } from './pipeline-fields.ts';
import { progressOf, type Response, respond } from './response.ts';
import { SUMMARY, writeSummary } from './summary.ts';
import { watchBegins, watchFromNow } from './watch.ts';

/** Facts that the instruction of a state shows. A git that fails here costs the list, not the transition. */
async function factsToShow(state: SessionState): Promise<Facts> {
  const names = state.phase === COMPLETE ? (state.flags.quick ? (['changed'] as const) : []) : (nodeOf(state.node).shows ?? []);
  return gatherFacts(state, names).catch((error: unknown) => {
    if (error instanceof GitFailed) return {};
    throw error;
  });
}

/** The user's own dirty files that the session changed, said once, when the review begins. */
function usersFilesChanged(state: SessionState, facts: Facts): MessageRef[] {
  if (state.phase !== 'PRE_COMMIT') return [];
  return (facts.changed ?? [])
    .filter((file) => file.users)
    .slice(0, 10)
    .map(({ path }) => ({ key: 'warning.users_file_changed', params: { path } }));
}

export interface Rendered {
  instruction: string;
  /** What the answer says besides in a pipeline session. */
  fields: Partial<Response>;
  warnings: MessageRef[];
}

/** The instruction of a state, with everything it shows looked up now. */
export async function render(state: SessionState, language: Language, notes: readonly MessageRef[]): Promise<Rendered> {
  const facts = await factsToShow(state);
  const said = notes.map((note) => say(note, language));
  const instruction = instructionFor({ root: state.work_tree, language, state, facts, stateFile: stateFile(state.work_tree), notes: said });
  return { instruction, fields: pipelineFields(state, facts), warnings: usersFilesChanged(state, facts) };
}

/** Steps of one plan: what was handed in for it counts until the round ends. */
const ofPlan = (step: number): boolean => step >= 12 && step <= 14;

/** The revision since which artifacts count: that of the entry into the step, or of the round's plan. */
function sinceOf(state: SessionState, before: SessionFile | null, rev: number): number {
  const goesOn = before?.step === state.step || (before !== null && ofPlan(before.step) && ofPlan(state.step));
  return before && goesOn && before.round === state.round ? (before.since ?? 0) : rev;
}

/** What the status line shows of a state. */
function shownOf(state: SessionState): Shown {
  const { completed, total } = progressOf(state);
  return { done: completed, total, warnings: state.warnings.length, waits: isUsersTurn(state.node) ? 'user' : 'model' };
}

/** A line of the journal stays far shorter than what is read of its end at once. */
const KEPT_WARNINGS = 20;
const KEPT_CHARS = 200;

const short = (value: string | number): string | number => (typeof value === 'string' ? value.slice(0, KEPT_CHARS) : value);

/** The last line keeps what was said along with the answer: most of it is not in the state. */
function withWarnings(journal: NewState['journal'], said: readonly MessageRef[]): NewState['journal'] {
  if (said.length === 0) return journal;
  const kept = said.slice(0, KEPT_WARNINGS).map(({ key, params = {} }) => {
    const values = Object.entries(params).map(([name, value]) => [name, short(value)] as const);
    return { key, ...(values.length > 0 ? { params: Object.fromEntries(values) } : {}) };
  });
  return journal.map((entry, index) => (index === journal.length - 1 ? { ...entry, warnings: kept } : entry));
}

export interface NewState {
  edge: Edge;
  fence: Fence;
  state: SessionState;
  /** The file that this state follows; null for a new session. */
  before: SessionFile | null;
  warnings: readonly MessageRef[];
  notes: readonly MessageRef[];
  journal: Omit<JournalEntry, 'rev'>[];
  /** Git work of ours came before: what it changed is no surprise. */
  worked?: boolean;
}

/**
 * Makes a state the current one and gives its answer. A completed session goes to the archive instead.
 * @throws Fenced when another writer came in between, StorageFailed when the state cannot be written; then the old one still stands. A journal that cannot be written is a warning.
 */
export async function writeDown({ edge, fence, state, before, warnings, notes, journal, worked = false }: NewState): Promise<Response> {
  const now = edge.now();
  const language = before?.language ?? edge.language;
  const rev = (before?.rev ?? 0) + 1;
  const since = sinceOf(state, before, rev);
  const rendered = await render({ ...state, since }, language, notes);
  const over = state.phase === COMPLETE;
  const file: SessionFile = {
    ...state,
    rev,
    since,
    owner: edge.owner,
    last_activity: now.getTime(),
    created: before?.created ?? now.getTime(),
    hooks_seen: hooksLastSeen() ?? before?.hooks_seen ?? null,
    opened_at: state.gate === 'open' && before?.gate !== 'open' ? now.getTime() : (before?.opened_at ?? null),
    progress: shownOf(state),
    language,
    instruction: rendered.instruction,
  };
  // From here on nothing may change until the gate opens.
  if (watchBegins(file, before, worked)) await watchFromNow(file);
  const spoken = [...warnings, ...rendered.warnings];
  const lines = withWarnings(journal, spoken);
  const unsaid = over ? writeSummary(file, lines, now) : [];
  // The hash ties the line to the state it led to: from no other may the session be recovered.
  const written = sha256(over ? archive(fence, file) : fence.commit(file));
  const said = [...spoken, ...unsaid];
  try {
    const entries = lines.map((entry, index) => {
      const last = index === lines.length - 1;
      return { ...entry, rev: file.rev, ...(last ? { state: written } : {}) } as JournalEntry;
    });
    appendJournal(state.work_tree, state.session, entries, now);
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
    said.push({ key: 'warning.journal_failed', params: { detail: error.message } });
  }
  const fields = over && unsaid.length === 0 ? { artifact: SUMMARY } : rendered.fields;
  if (over) noteEnded(file);
  return respond(file, rendered.instruction, said, language, fields);
}
