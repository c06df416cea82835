/** Whether files of the work tree hold what a commit holds, the way git sees it: line ends, filters, modes and links included. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { git, records } from '../git/run.ts';
import { clearLeftovers, dropScratch, entriesOf, scratchIndex, setEntries } from '../git/scratch_index.ts';

const ABSENT = '000000';

export interface Compared {
  /** Paths that are in the work tree as they are in the commit; one that neither has is among them. */
  same: Set<string>;
  /** Paths that the commit has. */
  there: Set<string>;
}

/**
 * Compares these paths of the work tree with a commit.
 * @param commit null for a repository without one: then only what is absent is the same
 * @throws GitFailed
 */
export async function compareWithCommit(repo: Repository, commit: string | null, paths: readonly string[]): Promise<Compared> {
  if (paths.length === 0) return { same: new Set(), there: new Set() };
  const entries =
    commit === null ? [] : [...(await entriesOf(repo.root, commit, [...paths])).values()].filter(({ mode }) => mode !== ABSENT);
  const differing = await differingFrom(repo, entries);
  const there = new Set(entries.map(({ path }) => path));
  const isMissing = (path: string): boolean => lstatSync(join(repo.root, path), { throwIfNoEntry: false }) === undefined;
  return { same: new Set(paths.filter((path) => (there.has(path) ? !differing.has(path) : isMissing(path)))), there };
}

type Entries = Parameters<typeof setEntries>[1];

/** Git compares with an index, so an index of just these entries is made. */
async function differingFrom(repo: Repository, entries: Entries): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const scratch = scratchIndex(repo, 'compare');
  try {
    await clearLeftovers(repo);
    await setEntries(repo, entries, scratch);
    await git(repo.root, ['update-index', '-q', '--refresh'], { env: scratch.env, okCodes: [0, 1] });
    const { stdout } = await git(repo.root, ['diff-files', '-z', '--name-only', '--ignore-submodules=none'], { env: scratch.env });
    return new Set(records(stdout));
  } finally {
    await dropScratch(scratch);
  }
}
