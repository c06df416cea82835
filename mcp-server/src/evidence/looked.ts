/** What the checks of claims share: what was looked at, and how a problem is told. */
import { problem } from '../flow/problem.ts';
import type { Problem } from '../flow/types.ts';
import type { LedgerEntry } from './entry.ts';
import { type Seen, seenIn, type TreeView } from './seen.ts';

/** A problem, and whether more ledger lines could still settle it; a file that does not exist is not there either way. */
export interface ClaimProblem extends Problem {
  ledger: boolean;
}

export const claimProblem = (pointer: string, key: string, params: Record<string, string | number>, ledger: boolean): ClaimProblem => ({
  ...problem(pointer, key, params),
  ledger,
});

export interface Looked {
  seen: Seen;
  view: TreeView;
  entries: readonly LedgerEntry[];
  /** Folders that relative names may be meant from. */
  bases: string[];
}

const MOST_BASES = 20;

export function lookedAt(entries: readonly LedgerEntry[], view: TreeView): Looked {
  const folders = new Set([view.root, ...entries.map(({ cwd }) => cwd).filter((cwd) => cwd !== '')]);
  return { seen: seenIn(entries, view), view, entries, bases: [...folders].slice(0, MOST_BASES) };
}
