/** Tracked files that git was told not to look at (assume-unchanged, skip-worktree): `git status` is blind there, so they are looked at here. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashName } from '../git/baseline.ts';
import { type ContentId, contentId, inBatches } from '../git/content.ts';
import { git } from '../git/run.ts';

/** Content id by path. */
export type UnwatchedFiles = Record<string, ContentId>;

/** A lower-case letter is assume-unchanged, S is skip-worktree. */
const UNWATCHED = /(?:^|\0)[a-zS] ([^\0]+)/g;

/** The paths of such files that are in the work tree; a sparse checkout leaves most of its own out. @throws GitFailed */
export async function unwatchedPaths(root: string): Promise<string[]> {
  const { stdout } = await git(root, ['ls-files', '-v', '-z', '--full-name']);
  return [...stdout.matchAll(UNWATCHED)].map(([, path = '']) => path).filter((path) => existsSync(join(root, path)));
}

/** What these files hold now. */
export async function contentsOf(root: string, paths: readonly string[], head: string | null): Promise<UnwatchedFiles> {
  return Object.fromEntries(
    await inBatches([...paths], async (path): Promise<[string, ContentId]> => [path, await contentId(root, path, hashName(head))]),
  );
}
