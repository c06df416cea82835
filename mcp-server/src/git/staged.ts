/** What is staged and nowhere else: kept as copies before an index entry that holds it is replaced. */
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskFailure } from './failure.ts';
import type { Repository } from './repository.ts';
import { gitBytes } from './run.ts';
import { indexChanges, type ScratchIndex } from './scratch_index.ts';
import { nextFolder, writeDurably } from './write.ts';

/** One staged version; `file` is its copy, relative to the folder of copies. */
export interface StagedVersion {
  path: string;
  mode: string;
  blob: string;
  file: string;
}

const LIST = 'staged.json';

/**
 * The staged versions of these paths that differ both from HEAD and from what `taken` holds of the paths.
 * What git has as files and links only: a submodule's commit lies in the submodule, a conflict's versions in commits.
 * @throws GitFailed
 */
export async function onlyStaged(repo: Repository, paths: ReadonlySet<string>, taken: ScratchIndex): Promise<StagedVersion[]> {
  const staged = (await indexChanges(repo.root, 'HEAD')).filter(({ path, newMode }) => paths.has(path) && /^1[02]/.test(newMode));
  const held = staged.filter(({ newBlob }) => !/^0*$/.test(newBlob));
  if (held.length === 0) return [];
  const after = new Map((await indexChanges(repo.root, 'HEAD', taken)).map((change) => [change.path, change]));
  return held
    .filter(({ path, newBlob }) => after.get(path)?.newBlob !== newBlob)
    .map(({ path, newMode, newBlob }) => ({ path, mode: newMode, blob: newBlob, file: `files/${path}` }));
}

/**
 * Copies staged versions into `folder`: below `files/` by their paths, a link as a file that holds its target, and their
 * list in staged.json. @throws GitFailed when they cannot be kept
 */
export async function copyStaged(repo: Repository, versions: readonly StagedVersion[], folder: string): Promise<void> {
  try {
    for (const { mode, blob, file } of versions) {
      const to = join(folder, file);
      await mkdir(dirname(to), { recursive: true });
      await writeDurably(to, await gitBytes(repo.root, ['cat-file', 'blob', blob]));
      if (mode === '100755') await chmod(to, 0o755);
    }
    await writeDurably(join(folder, LIST), `${JSON.stringify(versions, null, 2)}\n`);
  } catch (error) {
    throw diskFailure(`saving staged versions in ${folder}`, error);
  }
}

/** Keeps staged versions in a new numbered folder below `saveDir`: complete, or not at all. @throws GitFailed */
export async function keepStaged(repo: Repository, versions: readonly StagedVersion[], saveDir: string): Promise<void> {
  if (versions.length === 0) return;
  try {
    const folder = await nextFolder(saveDir);
    const part = `${folder}.part`;
    await mkdir(part);
    await copyStaged(repo, versions, part);
    await rename(part, folder);
  } catch (error) {
    throw diskFailure(`saving staged versions in ${saveDir}`, error);
  }
}

/** The copies below `saveDir`, of a cut-off attempt, too: each version once, with the whole path of its copy. */
export async function keptStaged(saveDir: string): Promise<StagedVersion[]> {
  const names = (await readdir(saveDir).catch(() => [])).filter((name) => /^\d+$/.test(name)).sort();
  const found = new Map<string, StagedVersion>();
  for (const name of names) {
    const text = await readFile(join(saveDir, name, LIST), 'utf8').catch(() => '[]');
    for (const version of JSON.parse(text) as StagedVersion[])
      found.set(`${version.blob} ${version.path}`, { ...version, file: join(saveDir, name, version.file) });
  }
  return [...found.values()];
}
