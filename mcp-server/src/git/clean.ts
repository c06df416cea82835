import { type StaleBranch, staleBranches } from './branches.ts';
import type { Repository } from './repository.ts';
import { removeStale, type StaleDone } from './stale.ts';

export interface CleanReport {
  /** Each with the command that brings it back. */
  removed: StaleDone[];
  failed: { name: string; message: string }[];
  left: StaleBranch[];
}

/**
 * Removes all stale task branches, as far as that goes: one that cannot be removed does not keep the others. Branches
 * that are kept on purpose or checked out in another work tree are not stale.
 */
export async function cleanStale(repo: Repository): Promise<CleanReport> {
  const removed: StaleDone[] = [];
  const failed: CleanReport['failed'] = [];
  // The one checked out goes first: leaving it may put another stale branch into the work tree.
  const stale = (await staleBranches(repo)).sort((a, b) => Number(b.checked_out) - Number(a.checked_out));
  for (const { name } of stale) {
    const step = await removeStale(repo, name, null);
    if ('message' in step) failed.push({ name, message: step.message });
    else removed.push(step);
  }
  return { removed, failed, left: await staleBranches(repo) };
}
