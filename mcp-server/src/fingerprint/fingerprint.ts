/**
 * Guard RG13: the work tree as it was when the gate last closed, to know a change that no hook saw (STATE.md, Work-tree
 * fingerprint).
 *
 * Git's index already knows every unchanged tracked file by size, times and inode, and asks its content where those moved.
 * So only what `git status` names is kept here: dirty and untracked files by content id, and what was staged of them.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { type Baseline, type ChangedFile, changedFiles, pathsBetween, takeBaseline } from '../git/baseline.ts';
import type { ContentId } from '../git/content.ts';
import type { Repository } from '../git/repository.ts';
import { isOurs, readStatus, type StatusEntry, stagingOf } from '../git/status.ts';
import { walkBaseline } from '../git/walk.ts';
import { compareWithCommit } from './compare-commit.ts';
import { restaged } from './staging.ts';
import { contentsOf, type UnwatchedFiles, unwatchedPaths } from './unwatched.ts';
import { changedInFolder, type Folder, timesOf } from './without-git.ts';

/** Plain JSON. */
export type Fingerprint = Taken | { kind: 'walk'; folder: Folder };

interface Taken {
  kind: 'git';
  /** HEAD, and every file that differed from it. Their contents are in git's object store, for undo. */
  baseline: Baseline;
  /** Mode, size, times and inode of those files: while they stay the same, nothing is read. */
  stats: Record<string, string>;
  /** Tracked files that git was told not to look at, by content id. */
  unwatched: UnwatchedFiles;
  /**
   * Stat of git's index file. While it stays the same no file can have been marked so, and what git finds equal to it is as
   * it was, whatever HEAD is: then `git status` alone tells everything.
   */
  index: string | null;
}

/** A file that is not as it was. `index`: it is, but what is staged of it is not. */
export interface Unseen extends Omit<ChangedFile, 'status'> {
  status: ChangedFile['status'] | 'index';
}

/** Paths, relative to the root, that are nobody's business here. */
export type Ignoring = (path: string) => boolean;

const nothing: Ignoring = () => false;

/** A file touched so shortly before may be touched again without its times moving: file systems count in coarse ticks. */
const UNSURE_MS = 2000;

function statOf(root: string, path: string): string | null {
  try {
    const { mode, size, mtimeNs, ctimeNs, ino } = fs.lstatSync(join(root, path), { bigint: true });
    return `${mode}:${size}:${mtimeNs}:${ctimeNs}:${ino}`;
  } catch {
    return null;
  }
}

const changedMs = (stat: string): number => Number(BigInt(stat.split(':')[3] ?? '0') / 1_000_000n);

/** What is not there has no times; for a submodule those of its folder say nothing. */
function statsOf(root: string, paths: readonly string[], taken_at: number): Record<string, string> {
  const pairs = paths.flatMap((path): [string, string][] => {
    const stat = statOf(root, path);
    return stat !== null && changedMs(stat) < taken_at - UNSURE_MS ? [[path, stat]] : [];
  });
  return Object.fromEntries(pairs);
}

/**
 * Takes the fingerprint of a work tree.
 * @param repo its repository; null where there is none, then the folder is walked
 * @throws GitFailed
 */
export async function takeFingerprint(repo: Repository | null, root: string, ignoring: Ignoring = nothing): Promise<Fingerprint> {
  const taken_at = Date.now();
  if (!repo) {
    const folder = await walkBaseline(root);
    return { kind: 'walk', folder: { ...folder, times: timesOf(root, Object.keys(folder.files)) } };
  }
  const index = indexStat(repo);
  const [whole, hidden] = await Promise.all([takeBaseline(repo), unwatchedPaths(repo.root)]);
  const files = Object.fromEntries(Object.entries(whole.files).filter(([path]) => !ignoring(path)));
  const submodules = new Set(Object.keys(files).filter((path) => files[path]?.startsWith('160000:')));
  const watched = Object.keys(files).filter((path) => !submodules.has(path));
  return {
    kind: 'git',
    baseline: { ...whole, files },
    stats: statsOf(repo.root, watched, taken_at),
    unwatched: await contentsOf(repo.root, hidden, whole.head),
    index,
  };
}

/** Whether every file that git names is one that was there before, with nothing about it moved. */
function looksTheSame(root: string, { baseline, stats }: Taken, status: readonly StatusEntry[]): boolean {
  const known = Object.entries(baseline.files);
  if (known.length !== status.length) return false;
  return status.every(({ path, inTree, submodule }) => {
    const before = baseline.files[path];
    if (before === undefined || submodule) return false;
    return inTree ? stats[path] !== undefined && stats[path] === statOf(root, path) : before === 'absent';
  });
}

const indexStat = (repo: Repository): string | null => statOf(repo.gitDir, 'index');

/** What happened to a path since then, whatever HEAD says of it now. */
function asChanged(root: string, path: string, before: ContentId | undefined, inHead: boolean): ChangedFile {
  const was = before === undefined ? inHead : before !== 'absent';
  return { path, status: statOf(root, path) === null ? 'deleted' : was ? 'modified' : 'added', users: before !== undefined };
}

/** Files that git does not look at: those that were so before by their content, others by what HEAD held. */
async function changedUnwatched(repo: Repository, { baseline, unwatched }: Taken, now: readonly string[]): Promise<ChangedFile[]> {
  const held = await contentsOf(repo.root, Object.keys(unwatched), baseline.head);
  const newly = now.filter((path) => unwatched[path] === undefined && baseline.files[path] === undefined);
  const { same, there } = await compareWithCommit(repo, baseline.head, newly);
  return [
    ...Object.keys(unwatched)
      .filter((path) => held[path] !== unwatched[path])
      .map((path) => ({ ...asChanged(repo.root, path, unwatched[path], true), users: false })),
    ...newly.filter((path) => !same.has(path)).map((path) => asChanged(repo.root, path, undefined, there.has(path))),
  ];
}

/** Files that a moved HEAD brought along, and in which git therefore sees no change. */
async function movedByHead(root: string, { baseline }: Taken, head: string | null): Promise<string[]> {
  const moved = await pathsBetween(root, baseline.head, head);
  return [...moved].filter((path) => !isOurs(path) && baseline.files[path] === undefined);
}

/** Compares content, file by file. What git names now and did not name before may still hold what HEAD held then. */
async function compare(repo: Repository, taken: Taken, head: string | null): Promise<ChangedFile[]> {
  const { files, head: then } = taken.baseline;
  const named = (await changedFiles(repo, { head, files })).map(({ path }) => path);
  const paths = [...new Set([...named, ...(await movedByHead(repo.root, taken, head))])];
  const { same, there } = await compareWithCommit(
    repo,
    then,
    paths.filter((path) => files[path] === undefined),
  );
  return paths.filter((path) => !same.has(path)).map((path) => asChanged(repo.root, path, files[path], there.has(path)));
}

/**
 * The files that are not as they were when the fingerprint was taken, sorted by path; empty when nothing changed. With the
 * same HEAD, what is staged counts, too. `status` is against then, not against HEAD; `users` tells that a file was dirty then, so that its content is not HEAD's.
 * @throws GitFailed
 */
export async function changedSince(
  repo: Repository | null,
  root: string,
  fingerprint: Fingerprint,
  ignoring: Ignoring = nothing,
): Promise<Unseen[]> {
  if (fingerprint.kind === 'walk') return (await changedInFolder(root, fingerprint.folder)).filter(({ path }) => !ignoring(path));
  if (!repo) throw new Error('a fingerprint by git needs its repository');
  const sameIndex = fingerprint.index !== null && fingerprint.index === indexStat(repo);
  const [found, unwatched] = await Promise.all([
    readStatus(repo.root),
    sameIndex ? Object.keys(fingerprint.unwatched) : unwatchedPaths(repo.root),
  ]);
  const { entries: status, head } = found;
  const { staged } = fingerprint.baseline;
  const moved = !sameIndex && staged && head === fingerprint.baseline.head ? restaged(staged, stagingOf(found)) : [];
  const entries = [...status.values()].filter(({ path }) => !ignoring(path));
  const unchanged = head === fingerprint.baseline.head && looksTheSame(repo.root, fingerprint, entries);
  const hidden = await changedUnwatched(repo, fingerprint, unwatched);
  const seen = unchanged ? [] : await compare(repo, fingerprint, head);
  const inIndex = moved.map((path): Unseen => ({ path, status: 'index', users: fingerprint.baseline.files[path] !== undefined }));
  const changed = new Map([...inIndex, ...hidden, ...seen].filter(({ path }) => !ignoring(path)).map((file) => [file.path, file]));
  return [...changed.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
