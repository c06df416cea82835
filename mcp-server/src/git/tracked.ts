/** Whether a file is part of what was checked out, so that whoever made the commits wrote it. */
import fs from 'node:fs';
import path from 'node:path';
import { GitFailed, gitLine } from './run.ts';

/** Where a name really is, and the file that is really read under it; they differ where the file itself is a link. */
function realFiles(file: string): string[] {
  try {
    const named = path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
    return fs.existsSync(named) ? [...new Set([named, fs.realpathSync(named)])] : [named];
  } catch {
    return []; // its folder is not there, either
  }
}

/**
 * Whether the repository that really holds this file, or the link to it, tracks it, in whatever letter case: a file system
 * may take two names for one. Without git, nothing is tracked. @throws GitFailed
 */
export async function isTracked(file: string): Promise<boolean> {
  for (const real of realFiles(file)) if (await isTrackedThere(real)) return true;
  return false;
}

async function isTrackedThere(real: string): Promise<boolean> {
  const folder = path.dirname(real);
  const prefix = await gitLine(folder, ['rev-parse', '--show-prefix'], [128]).catch((error: unknown) => {
    if (error instanceof GitFailed && error.reason === 'missing') return null;
    throw error;
  });
  if (prefix === null) return false;
  // From the top: git takes the letter case of the present folder as it is.
  const found = await gitLine(folder, ['ls-files', '-z', '--', `:(top,literal,icase)${prefix}${path.basename(real)}`], [128]);
  return found !== null && found !== '';
}
