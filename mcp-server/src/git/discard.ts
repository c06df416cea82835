import { chmod, cp, lstat, mkdir, open, readdir, readlink, rename, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Baseline, hashName, pathsBetween } from './baseline.ts';
import { blobIn, contentId, look } from './content.ts';
import { diskFailure } from './failure.ts';
import { currentHead, type Repository } from './repository.ts';
import { git, gitBytes, records } from './run.ts';
import { dropScratch, entriesOf, fillFromHead, forgetStats, scratchIndex, takePaths } from './scratch_index.ts';
import { copyStaged, onlyStaged } from './staged.ts';
import { readStatus } from './status.ts';
import { nextFolder, writeDurably } from './write.ts';

export interface Discarded {
  /** The folder with the copies, the patch and the list; null when there was nothing left to undo. */
  saved: string | null;
  undone: string[];
  /** What was not undone, and why. It is as it was. */
  left: { path: string; message: string }[];
}

interface SavedFile {
  path: string;
  /** What was there: a file or link that is copied under `files/`, or nothing because it had been deleted. */
  was: 'file' | 'link' | 'deleted' | 'folder';
}

/**
 * Undoes the changes of exactly these files, after saving them.
 *
 * Below `saveDir` a new numbered folder gets a copy of each file (`files/`), of what was only staged (`staged/`), a
 * `changes.patch` against HEAD, and `discarded.json` that says what was where. Then files in HEAD go back to HEAD in work tree and index, others are
 * removed. A file in `baseline` goes back to what the user had there. Running it again is safe: what is undone already
 * is not saved a second time. Throws GitFailed when it cannot save; then nothing was undone.
 */
export async function discard(
  repo: Repository,
  { files, saveDir, baseline }: { files: string[]; saveDir: string; baseline?: Baseline },
): Promise<Discarded> {
  const users = await stillTheirs(repo, baseline);
  const { entries: status } = await readStatus(repo.root);
  const wanted = [...new Set(files)].filter((path) => status.has(path) || users.has(path));
  const whyNot = (path: string): string | null =>
    status.get(path)?.unnamable ? UNNAMABLE : status.get(path)?.submodule ? SUBMODULE : null;
  const left = wanted.flatMap((path) => {
    const message = whyNot(path);
    return message === null ? [] : [{ path, message }];
  });
  const paths = wanted.filter((path) => whyNot(path) === null);
  if (paths.length === 0) return { saved: null, undone: [], left };
  const saved = await save(repo, paths, saveDir);
  const mine = paths.filter((path) => users.has(path));
  const rest = paths.filter((path) => !users.has(path));
  try {
    left.push(...(await undoToHead(repo, rest)), ...(await giveBack(repo, mine, users)));
  } catch (error) {
    throw diskFailure('undoing discarded changes', error);
  }
  const kept = new Set(left.map((entry) => entry.path));
  return { saved, undone: paths.filter((path) => !kept.has(path)), left };
}

/** The user's files by content id, without those that the session committed: for them HEAD is what to go back to. */
async function stillTheirs(repo: Repository, baseline: Baseline | undefined): Promise<Map<string, string>> {
  if (!baseline) return new Map();
  const committed = await pathsBetween(repo.root, baseline.head, await currentHead(repo.root));
  return new Map(Object.entries(baseline.files).filter(([path]) => !committed.has(path)));
}

const UNNAMABLE = 'It is left as it is: its name is not valid UTF-8; handle it with git.';
const SUBMODULE = 'It is a submodule: undo the change inside it, or keep it.';

async function save(repo: Repository, paths: string[], saveDir: string): Promise<string> {
  const scratch = scratchIndex(repo, 'discard');
  try {
    const folder = await nextFolder(saveDir);
    // Complete or not there at all: a folder that a crash left half full keeps its other name.
    const part = `${folder}.part`;
    await mkdir(join(part, 'files'), { recursive: true });
    const list: SavedFile[] = [];
    for (const path of paths) list.push({ path, was: await copy(repo.root, path, join(part, 'files', path)) });
    await fillFromHead(repo, scratch);
    await takePaths(repo, scratch, paths);
    const staged = await onlyStaged(repo, new Set(paths), scratch);
    if (staged.length > 0) await copyStaged(repo, staged, join(part, 'staged'));
    const patch = ['diff-index', '--cached', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '-p', 'HEAD'];
    await writeDurably(join(part, 'changes.patch'), await gitBytes(repo.root, patch, { env: scratch.env }));
    await writeDurably(join(part, 'discarded.json'), `${JSON.stringify({ head: await currentHead(repo.root), files: list }, null, 2)}\n`);
    await rename(part, folder);
    return folder;
  } catch (error) {
    throw diskFailure(`saving discarded changes in ${saveDir}`, error);
  } finally {
    await dropScratch(scratch);
  }
}

async function copy(root: string, path: string, to: string): Promise<SavedFile['was']> {
  const stats = await look(root, path);
  if (!stats) return 'deleted';
  if (stats.isDirectory()) return 'folder';
  await mkdir(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(join(root, path)), to);
    return 'link';
  }
  await cp(join(root, path), to, { preserveTimestamps: true });
  const file = await open(to, 'r');
  await file.sync().finally(() => file.close());
  return 'file';
}

/** Puts exactly these files back to HEAD in work tree and index; returns what something else stands in the way of. */
export async function undoToHead(repo: Repository, paths: string[]): Promise<Discarded['left']> {
  if (paths.length === 0) return [];
  const entries = await entriesOf(repo.root, 'HEAD', paths);
  const added = paths.filter((path) => entries.get(path)?.mode === '000000');
  const known = paths.filter((path) => entries.get(path)?.mode !== '000000');
  // What was added goes first: it may stand where a file of HEAD belongs.
  for (const path of added) await removeFile(repo.root, path);
  const left: Discarded['left'] = [];
  const free: string[] = [];
  for (const path of known) {
    const obstacle = await whatBlocks(repo.root, path);
    if (obstacle) left.push({ path, message: obstacle });
    else free.push(path);
  }
  await checkOut(repo, free);
  const tracked = new Set(records((await git(repo.root, ['ls-files', '-z', '--full-name'])).stdout));
  const back = [...free, ...added.filter((path) => tracked.has(path))].flatMap((path) => entries.get(path) ?? []);
  await forgetStats(repo, back);
  return left;
}

/** Writes files of HEAD into the work tree by their exact names. */
async function checkOut(repo: Repository, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  const scratch = scratchIndex(repo, 'discard');
  try {
    await fillFromHead(repo, scratch);
    const input = paths.map((path) => `${path}\0`).join('');
    await git(repo.root, ['checkout-index', '-f', '-q', '-z', '--stdin'], { input, env: scratch.env });
  } finally {
    await dropScratch(scratch);
  }
}

async function whatBlocks(root: string, path: string): Promise<string | null> {
  const stats = await lstat(join(root, path)).catch(() => null);
  if (stats?.isDirectory()) {
    return (await readdir(join(root, path))).length > 0 ? 'A folder with other files stands in its place.' : null;
  }
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const above = await lstat(join(root, parent)).catch(() => null);
    if (above && !above.isDirectory()) return `${parent} is not a folder any more.`;
  }
  return null;
}

async function removeFile(root: string, path: string): Promise<void> {
  const stats = await look(root, path);
  if (!stats || stats.isDirectory()) return;
  await unlink(join(root, path));
  // Folders that this leaves empty were made for it. rmdir refuses any other.
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    const removed = await rmdir(join(root, parent)).then(
      () => true,
      () => false,
    );
    if (!removed) break;
  }
}

/** Gives the user's files the content they had when the session began. */
async function giveBack(repo: Repository, paths: string[], users: Map<string, string>): Promise<Discarded['left']> {
  const left: Discarded['left'] = [];
  for (const path of paths) {
    const message = await giveOneBack(repo, path, users.get(path) ?? '');
    if (message) left.push({ path, message });
  }
  return left;
}

async function giveOneBack(repo: Repository, path: string, id: string): Promise<string | null> {
  if ((await contentId(repo.root, path, hashName(await currentHead(repo.root)))) === id) return null;
  if (id === 'absent') {
    await removeFile(repo.root, path);
    return null;
  }
  const content = await contentOf(repo, id);
  if (content === null) return 'It was yours and was not small enough to keep a copy of; it is left as it is.';
  const obstacle = await whatBlocks(repo.root, path);
  if (obstacle) return obstacle;
  const full = join(repo.root, path);
  await mkdir(dirname(full), { recursive: true });
  // The new content is complete under another name before the old one goes.
  const part = `${full}.readygate-part`;
  if (typeof content === 'string') await symlink(content, part);
  else {
    await writeFile(part, content);
    await chmod(part, await permissions(full, blobIn(id)?.mode === '100755'));
  }
  await rename(part, full);
  return null;
}

/** Git knows of one bit; what else the file there allows and forbids stays, since a secret may be the user's alone. */
async function permissions(full: string, executable: boolean): Promise<number> {
  const there = await lstat(full).catch(() => null);
  if (!there?.isFile()) return executable ? 0o755 : 0o644;
  const mode = there.mode & 0o777;
  // Who may read may also run.
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

async function contentOf(repo: Repository, id: string): Promise<Uint8Array | string | null> {
  if (id.startsWith('120000:')) return id.slice('120000:'.length);
  const blob = blobIn(id);
  if (!blob) return null;
  return gitBytes(repo.root, ['cat-file', 'blob', blob.blob]).catch(() => null);
}
