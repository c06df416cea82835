import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathsBetween } from './baseline.ts';
import { GitFailed } from './failure.ts';
import { commitOf, currentHead, type Repository } from './repository.ts';
import { git, LOCK_WAITS } from './run.ts';
import { bringIndexTo, dropScratch, fillFromHead, indexChanges, scratchIndex, takePaths } from './scratch_index.ts';
import { keepStaged, onlyStaged } from './staged.ts';
import { readStatus } from './status.ts';

export { discard } from './discard.ts';

export interface CommitRequest {
  /** Exactly these are committed, as they are in the work tree; a file that is gone is committed as deleted. */
  files: string[];
  message: string;
  /** Lines `Name: value` at the message's end. */
  trailers?: Record<string, string>;
  /** A merge of the base is open: the commit is that merge, with everything the base brought. */
  merging?: boolean;
  /** HEAD before the commit, if known: a repeated call then finds the commit that an interrupted one made. */
  parent?: string;
  /** Where to keep staged versions that the commit replaces in the index and that are nowhere else (git/staged.ts). */
  keepDir?: string;
}

/**
 * Commits the reviewed files and nothing else. What the user changed or staged in others stays changed and staged.
 *
 * The commit is built in an index of its own, which is what hooks see; what a hook adds to it is committed too.
 * Returns `{commit: null}` when there is nothing to commit. Throws GitFailed (`reason` identity, hook, …) with the
 * user's index untouched.
 */
export async function commitReviewed(repo: Repository, request: CommitRequest): Promise<{ commit: string | null }> {
  const head = await currentHead(repo.root);
  if (head === null) throw new GitFailed('There is no commit to build on yet.', { command: ['commit'] });
  const theirs = request.merging ? await commitOf(repo.root, 'MERGE_HEAD') : null;
  const brought = theirs === null ? [] : await broughtBy(repo, head, theirs);
  const own = new Set([...request.files, ...brought]);
  if (theirs !== null) await refuseMarkers(repo, request.files);
  const scratch = scratchIndex(repo, 'commit');
  try {
    await fillFromHead(repo, scratch);
    await takePaths(repo, scratch, [...own], await removedFromIndex(repo, own));
    if (request.keepDir !== undefined) await keepStaged(repo, await onlyStaged(repo, own, scratch), request.keepDir);
    if (theirs === null && (await indexChanges(repo.root, head, scratch)).length === 0) {
      const made = await madeBefore(repo, head, request.parent);
      await bringIndexTo(repo, made ? `${head}^` : head, head, own);
      return { commit: made ? head : null };
    }
    await indexFree(repo);
    const args = ['commit', '-q', '--no-status', '--cleanup=whitespace', '-F', '-'];
    await git(repo.root, args, { input: withTrailers(request.message, request.trailers ?? {}), env: scratch.env, hooks: true });
  } finally {
    await dropScratch(scratch);
  }
  const commit = (await currentHead(repo.root)) ?? head;
  await bringIndexTo(repo, head, commit, own);
  return { commit };
}

/**
 * Waits until no other git holds the index. The commit is made in an index of its own, so git itself would not look; and
 * with the lock there, the user's index could not be brought to it.
 * @throws GitFailed (`reason` lock), and then nothing is committed
 */
async function indexFree({ gitDir }: Repository): Promise<void> {
  const lock = join(gitDir, 'index.lock');
  for (const wait of LOCK_WAITS) {
    if (!existsSync(lock)) return;
    await pause(wait);
  }
  if (!existsSync(lock)) return;
  const message = `Unable to create '${lock}': File exists.`;
  throw new GitFailed(message, { command: ['git', 'commit'], stderrTail: message, reason: 'lock' });
}

/** The message with its trailers; they join a block of trailers that the message ends with. */
export function withTrailers(message: string, trailers: Record<string, string>): string {
  const body = message.replace(/\s+$/, '');
  const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ').trim()}`);
  if (lines.length === 0) return `${body}\n`;
  const paragraphs = body.split(/\n\s*\n/);
  const last = paragraphs.at(-1) ?? '';
  const joins = paragraphs.length > 1 && last.split('\n').every((line) => /^[A-Za-z0-9-]+: \S/.test(line));
  return `${body}${joins ? '\n' : '\n\n'}${lines.join('\n')}\n`;
}

/** The paths that a merge of `theirs` changes, as git compares it with where both lines parted. */
async function broughtBy(repo: Repository, head: string, theirs: string): Promise<string[]> {
  const { stdout, exitCode } = await git(repo.root, ['merge-base', head, theirs], { okCodes: [0, 1] });
  if (exitCode !== 0) return [...(await pathsBetween(repo.root, head, theirs))];
  return [...(await pathsBetween(repo.root, stdout.trim(), theirs))];
}

/** A file that was taken out of the index and is ignored now stays on disk but leaves the repository. */
async function removedFromIndex(repo: Repository, own: ReadonlySet<string>): Promise<Set<string>> {
  const removed = new Set<string>();
  for (const entry of (await readStatus(repo.root)).entries.values()) {
    if (own.has(entry.path) && !entry.inIndex && !entry.inTree) removed.add(entry.path);
  }
  return removed;
}

async function madeBefore(repo: Repository, head: string, parent: string | undefined): Promise<boolean> {
  return parent !== undefined && parent !== head && (await commitOf(repo.root, `${head}^`)) === parent;
}

async function refuseMarkers(repo: Repository, paths: string[]): Promise<void> {
  const marked: string[] = [];
  for (const path of paths) if (await hasMarkers(repo, path)) marked.push(path);
  if (marked.length > 0) {
    throw new GitFailed(`Conflict markers are still in: ${marked.join(', ')}`, { command: ['commit'], stderrTail: marked.join('\n') });
  }
}

/** Whether a file still holds a conflict that `git merge` wrote into it. */
export async function hasMarkers(repo: Repository, path: string): Promise<boolean> {
  const full = join(repo.root, path);
  if (!existsSync(full)) return false;
  const text = await readFile(full, 'latin1').catch(() => '');
  return /^<<<<<<< HEAD\r?$/m.test(text) && /^>>>>>>> \S/m.test(text);
}
