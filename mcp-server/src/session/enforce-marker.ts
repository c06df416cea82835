/** `enforce: always` as a file that the hook can test without a process (guard RG00). */
import fs from 'node:fs';
import path from 'node:path';
import { FOLDER } from '../state/layout.ts';
import { readPlain } from '../state/plain-file.ts';

/** What our marker holds; one that holds anything else, or nothing, is the user's own. */
const OURS = 'Written by Readygate, because .readygate/config.yml says enforce: always. It goes when that goes.\n';

const isOurs = (marker: string): boolean => readPlain(marker, OURS.length + 1)?.bytes.toString('utf8') === OURS;

/** What the configuration says; null where that cannot be told: a slip of the pen must not switch the guard off. */
async function asked(root: string): Promise<'always' | 'never' | null> {
  // Only now: most work trees have no configuration, and a server that starts need not read how one is read.
  const { readConfig } = await import('../config/config.ts');
  const { config, warnings } = readConfig(root);
  const unclear = warnings.some(({ key, params }) => key === 'warning.config_unreadable' || params?.key === 'enforce');
  return unclear ? null : config.enforce;
}

/**
 * Brings our marker in step with .readygate/config.yml. Never throws: a folder that cannot be written has bigger troubles,
 * and they are told elsewhere.
 */
export async function syncEnforceMarker(root: string): Promise<void> {
  const marker = path.join(root, FOLDER, 'enforce');
  try {
    const says = fs.existsSync(path.join(root, FOLDER, 'config.yml')) ? await asked(root) : 'never';
    if (says === 'always' && !fs.existsSync(marker)) fs.writeFileSync(marker, OURS, { flag: 'wx' });
    if (says === 'never' && isOurs(marker)) fs.rmSync(marker, { force: true });
  } catch {
    // see above
  }
}
