/** What was dirty before the session began, kept beside the session (FLOW.md, Baseline). */
import fs from 'node:fs';
import type { ChangedFileFact } from '../flow/types.ts';
import { type Baseline, changedFiles, ignoredIn, takeWholeBaseline } from '../git/baseline.ts';
import type { Repository } from '../git/repository.ts';
import { type WalkedFolder, walkBaseline, walkChanged } from '../git/walk.ts';
import { baselineFile } from '../state/layout.ts';
import { writeAtomic } from '../state/session-file.ts';

type StoredBaseline = { kind: 'git'; baseline: Baseline } | { kind: 'walk'; folder: WalkedFolder };

/**
 * Records the work tree as it is now.
 * @param earlier how git saw it when the user typed the command, where that is known: what changed since is the session's
 * @throws GitFailed, StorageFailed
 */
export async function recordBaseline(root: string, session: string, repo: Repository | null, earlier: Baseline | null): Promise<void> {
  const stored: StoredBaseline = repo
    ? { kind: 'git', baseline: earlier ?? (await takeWholeBaseline(repo)) }
    : { kind: 'walk', folder: await walkBaseline(root) };
  writeAtomic(baselineFile(root, session), `${JSON.stringify(stored)}\n`);
}

/** Everything dirty belongs to the session from now on (a stale branch was taken over). @throws StorageFailed */
export function clearBaseline(root: string, session: string, head: string | null): void {
  const stored: StoredBaseline = { kind: 'git', baseline: { head, files: {} } };
  writeAtomic(baselineFile(root, session), `${JSON.stringify(stored)}\n`);
}

/**
 * Files that the session changed since its baseline. A lost baseline counts nothing as the user's.
 * @param named of the files that were ignored then and are no longer only these: a review may take them in, and need not
 * @throws GitFailed
 */
export async function changedSinceBaseline(
  root: string,
  session: string,
  repo: Repository | null,
  named: ReadonlySet<string> = new Set(),
): Promise<ChangedFileFact[]> {
  const stored = read(root, session);
  if (repo) {
    const changed = await changedFiles(repo, stored?.kind === 'git' ? stored.baseline : { head: null, files: {} });
    return changed.flatMap(({ wasIgnored, ...file }) => (wasIgnored && !named.has(file.path) ? [] : [file]));
  }
  if (stored?.kind !== 'walk') return [];
  return (await walkChanged(root, stored.folder)).files;
}

/** The user's files as they were when the session began; undefined where there is no git, or the record is lost. */
export function usersFiles(root: string, session: string): Baseline | undefined {
  const stored = read(root, session);
  return stored?.kind === 'git' ? stored.baseline : undefined;
}

/** Whether a path was ignored when the session began. The record is read at the first question: there seldom is one. */
export function ignoredAtStart(root: string, session: string): (path: string) => boolean {
  let known: ((path: string) => boolean) | null = null;
  return (path) => {
    known ??= ignoredIn(usersFiles(root, session) ?? { head: null, files: {} });
    return known(path);
  };
}

function read(root: string, session: string): StoredBaseline | null {
  try {
    return JSON.parse(fs.readFileSync(baselineFile(root, session), 'utf8')) as StoredBaseline;
  } catch {
    return null;
  }
}
