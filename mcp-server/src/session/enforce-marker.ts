/** `enforce: always` as a file that the hook can test without a process (guard RG00). */
import fs from 'node:fs';
import path from 'node:path';
import { FOLDER } from '../state/layout.ts';

/**
 * Brings the marker in step with .readygate/config.yml. Without a configuration file nothing is touched: then the marker is
 * the user's own. Never throws: a folder that cannot be written has bigger troubles, and they are told elsewhere.
 */
export async function syncEnforceMarker(root: string): Promise<void> {
  const marker = path.join(root, FOLDER, 'enforce');
  try {
    if (!fs.existsSync(path.join(root, FOLDER, 'config.yml'))) return;
    // Only now: most work trees have no configuration, and a server that starts need not read how one is read.
    const { readConfig } = await import('../config/config.ts');
    if (readConfig(root).config.enforce === 'always') fs.writeFileSync(marker, '', { flag: 'a' });
    else fs.rmSync(marker, { force: true });
  } catch {
    // see above
  }
}
