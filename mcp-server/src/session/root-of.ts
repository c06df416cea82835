/** Where a session lies. Every call asks this, and the server before anything else is loaded. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * The root that a folder's session lies at: the innermost ancestor that holds `.git`, else the folder itself. Every call
 * asks this, so it only looks at names; whether git can serve there is found out at the start of a session.
 */
export function rootOf(folder: string): string {
  const here = fs.existsSync(folder) ? fs.realpathSync(folder) : path.resolve(folder);
  for (let dir = here; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, '.git'))) return dir;
    if (dir === path.dirname(dir)) return here;
  }
}
