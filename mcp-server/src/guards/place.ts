/**
 * What a path is to the gate: one of the places that guard it, or a part of the work tree. The same rules in bash:
 * hooks/lib/place.sh; keep the two in step.
 */
import { gitFolders, isInside, isSame, leadsThrough, parent, readings } from './path.ts';

/** `guard`: Readygate's own; `hooks-off`: what could switch hooks off; `git-config`: only where it sets core.hooksPath; `history`: git's refs, HEAD, index and objects. */
export type Place = 'guard' | 'hooks-off' | 'git-config' | 'history' | 'tree';

/** The folders that matter around a session. */
export interface Surroundings {
  /** The folder that holds `.readygate`. */
  readonly root: string;
  /** The folder the host was started in; its settings count, too. */
  readonly projectDir: string;
  readonly home: string;
  /** CLAUDE_CONFIG_DIR, where it is set. */
  readonly configDir: string;
  readonly pluginRoot: string;
  /** CLAUDE_PLUGIN_DATA, where it is set: the server's code cache lies in it. */
  readonly pluginData: string;
}

const SETTINGS = /^settings[^/]*\.json$/i;
const GIT_CONFIG = /^config(\.worktree)?$/i;

const GIT_HISTORY = /^\/(refs|reftable|objects)\/|^\/(packed-refs|index|[^/]*head)\/$/i;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The plugin's folder, unless the session works on the plugin itself: then its files are the task. */
export function guardedPlugin({ pluginRoot, root }: Surroundings): string {
  return pluginRoot === '' || leadsThrough(root, pluginRoot) ? '' : pluginRoot;
}

/** Whether a path is the plugin's own: its programs, or the cache of their code, which the server runs as it is. */
function isPlugin(physical: string, around: Surroundings): boolean {
  const { pluginData, root } = around;
  const plugin = guardedPlugin(around);
  if (plugin !== '' && leadsThrough(physical, plugin)) return true;
  return pluginData !== '' && leadsThrough(physical, pluginData) && !leadsThrough(root, pluginData);
}

function isSettings(physical: string, { root, projectDir, home, configDir }: Surroundings): boolean {
  if (!SETTINGS.test(nameOf(physical))) return false;
  const folder = parent(physical);
  if (configDir !== '' && (folder === configDir || isSame(folder, configDir))) return true;
  const owners = [root, projectDir, home].filter((owner) => owner !== '');
  if (owners.some((owner) => isSame(folder, `${owner}/.claude`))) return true;
  // The folder may have to be made first.
  return nameOf(folder).toLowerCase() === '.claude' && owners.some((owner) => isSame(parent(folder), owner));
}

/** What only git itself may write. A lock that a killed git left behind may go. */
const isHistory = (below: string): boolean => GIT_HISTORY.test(below) && !/\.lock\/$/i.test(below);

function gitPlace(physical: string, root: string): Place | null {
  const folders = gitFolders(root);
  let below = '/';
  for (let at = physical; ; at = parent(at)) {
    for (const folder of folders) {
      if (isSame(at, `${folder}/hooks`)) return 'hooks-off';
      if (!isSame(at, folder)) continue;
      if (below.toLowerCase().includes('/hooks/')) return 'hooks-off';
      if (GIT_CONFIG.test(below.slice(1, -1))) return 'git-config';
      return isHistory(below) ? 'history' : null;
    }
    if (at === '') return null;
    below = `/${nameOf(at)}${below}`;
  }
}

function specialPlace(physical: string, around: Surroundings): Place | null {
  if (leadsThrough(physical, `${around.root}/.readygate`)) return 'guard';
  if (isPlugin(physical, around)) return 'guard';
  if (isSettings(physical, around)) return 'hooks-off';
  return gitPlace(physical, around.root);
}

/**
 * What writing to `absolute` would reach.
 * @param absolute an absolute path, as it was named
 */
export function placeOf(absolute: string, around: Surroundings): Place | null {
  for (const physical of readings(absolute)) {
    const place = specialPlace(physical, around);
    if (place !== null) return place;
  }
  return isInside(absolute, around.root) ? 'tree' : null;
}
