/** What is staged is part of the fingerprint: a script's `git add -A` behind the gate is seen, and undone. */
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run.ts';
import { dropScratch, entriesOf, fillFromHead, forgetStats, type IndexEntry, scratchIndex, takePaths } from '../git/scratch_index.ts';
import { keepStaged, onlyStaged } from '../git/staged.ts';
import { INTENT_TO_ADD, readStatus, type Staging, stagingOf } from '../git/status.ts';

const ABSENT = '000000';

/** The paths whose index entry stands otherwise to HEAD than it did, sorted. */
export function restaged(then: Staging, now: Staging): string[] {
  const paths = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...paths].filter((path) => then[path] !== now[path]).sort();
}

/** The entries that a description of git/status.ts stands for. */
const entriesIn = (path: string, described: string): IndexEntry[] =>
  described.split(',').map((entry) => {
    const [mode = ABSENT, blob = '', stage = '0'] = entry.split(' ');
    return { path, mode, blob, stage: Number(stage) };
  });

/** Keeps what these paths hold in the index and nowhere else. @throws GitFailed */
async function keepFirst(repo: Repository, paths: readonly string[], keepDir: string): Promise<void> {
  const scratch = scratchIndex(repo, 'compare');
  try {
    await fillFromHead(repo, scratch);
    await takePaths(repo, scratch, [...paths]);
    await keepStaged(repo, await onlyStaged(repo, new Set(paths), scratch), keepDir);
  } finally {
    await dropScratch(scratch);
  }
}

/**
 * Puts the index entries back that stand otherwise to the same HEAD than they did; no file of the work tree is touched.
 * @param head what HEAD was then @param keepDir where versions go that are in the index only
 * @returns the paths that were put back @throws GitFailed; then the entries are as they were
 */
export async function putStagingBack(repo: Repository, head: string | null, then: Staging, keepDir: string): Promise<string[]> {
  const now = await readStatus(repo.root);
  const paths = now.head === head ? restaged(then, stagingOf(now)) : [];
  if (paths.length === 0) return [];
  if (head !== null) await keepFirst(repo, paths, keepDir);
  const none: IndexEntry[] = paths.map((path) => ({ path, mode: ABSENT, blob: '0'.repeat(head?.length ?? 40) }));
  const plain = paths.filter((path) => then[path] === undefined);
  const ofHead = head === null ? [] : [...(await entriesOf(repo.root, head, plain)).values()];
  const marked = paths.filter((path) => then[path] === INTENT_TO_ADD);
  const staged = paths.filter((path) => then[path] !== undefined && then[path] !== INTENT_TO_ADD);
  // Taken out first: an entry of another stage would stay beside the one that is set.
  await forgetStats(repo, none);
  await forgetStats(repo, [...ofHead, ...staged.flatMap((path) => entriesIn(path, then[path] ?? ''))].filter(isThere));
  for (const path of marked) {
    // Gone from the work tree there is nothing to announce.
    await git(repo.root, ['--literal-pathspecs', 'add', '--intent-to-add', '--force', '--', path], { okCodes: [0, 1, 128] });
  }
  return paths;
}

const isThere = ({ mode }: IndexEntry): boolean => mode !== ABSENT;
