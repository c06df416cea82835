/** Lines of the journal that must not cost the answer: a full disk is no reason to stop, nor to say something else than what is the case. */
import type { FlowError } from '../flow/types.ts';
import { appendJournal, type JournalEntry } from '../state/journal.ts';
import { type SessionFile, StorageFailed } from '../state/session-file.ts';
import type { Edge } from './edge.ts';

/** Appends an entry for the state's revision, under the session lock; where the journal cannot be written, nothing is. */
export function note({ work_tree, session, rev }: SessionFile, edge: Edge, entry: Omit<JournalEntry, 'rev'>): void {
  try {
    appendJournal(work_tree, session, [{ ...entry, rev } as JournalEntry], edge.now());
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
  }
}

/** Appends a refusal with its first reason; `more` is what else is worth knowing of it afterwards. */
export function noteBlock(state: SessionFile, edge: Edge, refused: FlowError, more: Record<string, string> = {}): void {
  const { phase, step } = state;
  const why = refused.problems[0]?.message ?? refused.message;
  note(state, edge, { event: 'block', phase, step, guard: refused.guard, ...more, why: why.key, params: why.params ?? {} });
}
