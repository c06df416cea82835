/** Where the index of a work tree lies. */
import fs from 'node:fs';
import { excludeReadygate, inspect } from '../../git/repository.ts';
import { folderOf, indexFolder } from '../../state/layout.ts';
import { hasGit } from '../files/list.ts';

/**
 * Beside the sessions; a repository without any gets the folder, kept out of git. A plain folder that Readygate never
 * worked in is left alone.
 * @returns null for an index in memory
 */
export async function placeOfIndex(root: string): Promise<string | null> {
  if (fs.existsSync(folderOf(root))) return indexFolder(root);
  if (!hasGit(root)) return null;
  try {
    const found = await inspect(root);
    if (found.kind === 'none' || found.kind === 'bare') return null;
    await excludeReadygate(found);
    fs.mkdirSync(folderOf(root), { recursive: true });
    return indexFolder(root);
  } catch {
    return null; // a repository that may not be written to
  }
}
