/**
 * Guard RG12 for `passed: true`: a check that ran in the foreground after the last edit, and whose own exit code was 0.
 * Pure.
 */
import type { MessageRef } from '../flow/types.ts';
import type { LedgerEntry } from './entry.ts';
import { type ClaimProblem, claimProblem } from './looked.ts';

/** A changed file and when it was written, epoch milliseconds. */
export interface LastChange {
  path: string;
  at: number;
}

export interface PassedClaim {
  /** The user's or the project's reason why there is nothing to run; '' when none is given. */
  reason: string;
  /** Nothing before this moment counts: when this round's editing was opened, epoch milliseconds. */
  since: number;
  /** The file that the session changed last, and when, by the disk; null when unknown or nothing changed. */
  changed: LastChange | null;
  /** Whether a path that a tool edited belongs to the work tree. */
  inside: (path: string, cwd: string) => boolean;
}

export interface PassedVerdict {
  problems: ClaimProblem[];
  /** Belong in the session's summary. */
  warnings: MessageRef[];
}

/** Times of the disk and of this process may differ a little. */
const CLOCKS_MS = 1000;

const began = ({ at, ms }: LedgerEntry): number => at - (ms ?? 0);
const short = (command: string | undefined): string => (command ?? '').replace(/\s+/g, ' ').slice(0, 200);

function lastEdit(entries: readonly LedgerEntry[], inside: PassedClaim['inside']): LedgerEntry | null {
  const edits = entries.filter(({ edits, ok, path, cwd }) => edits && ok && path !== undefined && inside(path, cwd));
  return edits.reduce<LedgerEntry | null>((last, entry) => (last === null || entry.at >= last.at ? entry : last), null);
}

/** What changed last, by the ledger or by the disk. */
function lastPath(edit: LedgerEntry | null, changed: LastChange | null): string {
  return edit && (changed === null || edit.at + CLOCKS_MS >= changed.at) ? (edit.path ?? '') : (changed?.path ?? '');
}

/** The last run of each command. */
function lastRuns(runs: readonly LedgerEntry[]): LedgerEntry[] {
  return [...new Map(runs.map((run) => [run.command, run])).values()];
}

/** Why nothing counts, told by the run that came nearest. */
function nearest(runs: readonly LedgerEntry[], counted: (run: LedgerEntry) => boolean, edit: string): ClaimProblem {
  const say = (key: string, run: LedgerEntry, more: Record<string, string | number> = {}): ClaimProblem =>
    claimProblem('/passed', key, { command: short(run.command), ...more }, true);
  const fresh = runs.filter(counted);
  const failed = fresh.findLast(({ background, exit }) => !background && exit !== 0);
  const hidden = fresh.findLast(({ background, check, exit }) => !background && check === 'hidden' && exit === 0);
  const behind = fresh.findLast(({ background }) => background);
  const stale = runs.findLast((run) => !counted(run) && !run.background && run.exit === 0 && run.check === 'shown');
  if (failed) return say('problem.evidence_check_failed', failed, { exit: failed.exit ?? '-' });
  if (hidden) return say('problem.evidence_exit_hidden', hidden);
  if (behind) return say('problem.evidence_background', behind);
  if (stale) return say('problem.evidence_edited_after', stale, { path: edit });
  return claimProblem('/passed', 'problem.evidence_no_check', {}, true);
}

/**
 * Judges the claim that verification passed.
 * @param entries the whole ledger, oldest first
 */
export function judgePassed(entries: readonly LedgerEntry[], claim: PassedClaim): PassedVerdict {
  const edit = lastEdit(entries, claim.inside);
  const runs = entries.filter(({ check, at }) => check !== undefined && check !== 'none' && at >= claim.since);
  const counted = (run: LedgerEntry): boolean =>
    (edit === null || began(run) >= edit.at) && (claim.changed === null || run.at + CLOCKS_MS >= claim.changed.at);
  const proofs = runs.filter((run) => run.check === 'shown' && !run.background && run.exit === 0 && counted(run));
  const failing = lastRuns(runs.filter((run) => counted(run) && !run.background)).filter(({ exit }) => exit !== 0 && exit !== null);
  const warnings = failing
    .slice(0, 5)
    .map(({ command, exit }) => ({ key: 'warning.evidence_failing', params: { command: short(command), exit: exit ?? '-' } }));
  if (proofs.length > 0) return { problems: [], warnings };
  if (claim.reason.trim() !== '') {
    return { problems: [], warnings: [{ key: 'warning.no_check', params: { reason: claim.reason.trim().slice(0, 500) } }, ...warnings] };
  }
  return { problems: [nearest(runs, counted, lastPath(edit, claim.changed))], warnings: [] };
}
