/** Where a session lies. Every call asks this, and the server before anything else is loaded. */
import fs from 'node:fs';
import path from 'node:path';

const physical = (folder: string): string => (fs.existsSync(folder) ? fs.realpathSync(folder) : path.resolve(folder));

/**
 * The root that a folder's session lies at: the innermost ancestor that holds `.git`, else the folder itself. Every call
 * asks this, so it only looks at names; whether git can serve there is found out at the start of a session.
 */
export function rootOf(folder: string): string {
  const here = physical(folder);
  for (let dir = here; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, '.git'))) return dir;
    if (dir === path.dirname(dir)) return here;
  }
}

/** A folder as seen from the root, with forward slashes; null for the root itself, and for one that does not lie below it. */
export function folderIn(root: string, folder: string): string | null {
  const steps = path.relative(root, physical(folder)).split(path.sep);
  return steps[0] === '' || steps[0] === '..' || path.isAbsolute(steps.join(path.sep)) ? null : steps.join('/');
}
