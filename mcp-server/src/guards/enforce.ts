/**
 * Guard RG00's switch: a marker file turns it on for a work tree, the user's typed override turns it off for a Claude session.
 * The override counts here only from memory, where nothing but the UserPromptSubmit hook's call puts it. The file beside the
 * marker tells layer 1 of it; a forged one opens nothing, since this layer does not read it.
 */
import fs from 'node:fs';
import { folderOf } from '../state/layout.ts';
import { enter, linkTarget, parent } from './path.ts';

const MARKER = 'enforce';
const LIFTED = 'enforce.lifted';

const lifted = new Set<string>();
const keyOf = (root: string, claudeSession: string): string => `${claudeSession}\n${root}`;

/** The nearest folder with the marker, from `dir` upwards to the first `.git`. */
export function findEnforced(dir: string): string | undefined {
  if (!dir.startsWith('/')) return undefined;
  for (let at = dir.replace(/\/$/, ''); ; at = parent(at)) {
    if (linkTarget(at) !== undefined) at = enter(at) ?? at;
    if (fs.existsSync(`${folderOf(at)}/${MARKER}`)) return at || '/';
    if (at === '' || fs.existsSync(`${at}/.git`)) return undefined;
  }
}

/** The user typed an override although there is no session: edits are free in this Claude session. */
export function liftEnforcement(root: string, claudeSession: string): void {
  lifted.add(keyOf(root, claudeSession));
  try {
    fs.writeFileSync(`${folderOf(root)}/${LIFTED}`, `${claudeSession}\n`);
  } catch {
    // Then layer 1 goes on refusing, and says the same remedy.
  }
}

/** Whether the user lifted the marker at `root` in one of these Claude sessions. */
export function isLifted(root: string, claudeSessions: readonly string[]): boolean {
  return claudeSessions.some((session) => session !== '' && lifted.has(keyOf(root, session)));
}
