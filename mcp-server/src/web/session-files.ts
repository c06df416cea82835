/** The files in a session's folder that the page shows. Names come from outside: nothing but a plain file of that folder is read. */
import fs from 'node:fs';
import path from 'node:path';
import { isSessionId, sessionFolder } from '../state/layout.ts';
import type { ArtifactName, ArtifactText } from './view.ts';

const MAX_BYTES = 512 * 1024;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,120}$/u;

export interface ReadFile {
  text: string;
  cut: boolean;
}

/** @returns the beginning of a file of the session's folder; null when there is no such plain file */
export function readSessionFile(root: string, session: string, name: string): ReadFile | null {
  if (!isSessionId(session) || !NAME.test(name)) return null;
  let handle: number;
  try {
    const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
    handle = fs.openSync(path.join(sessionFolder(root, session), name), flags);
  } catch {
    return null;
  }
  try {
    const stat = fs.fstatSync(handle);
    if (!stat.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(stat.size, MAX_BYTES));
    const length = fs.readSync(handle, bytes, 0, bytes.length, 0);
    return { text: bytes.toString('utf8', 0, length), cut: stat.size > MAX_BYTES };
  } finally {
    fs.closeSync(handle);
  }
}

/** The artifacts of a session, the one written last first. */
export function artifactNames(root: string, session: string): ArtifactName[] {
  if (!isSessionId(session)) return [];
  const folder = sessionFolder(root, session);
  try {
    const names = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && isArtifact(entry.name));
    const found = names.map(({ name }) => {
      const { size, mtimeMs } = fs.statSync(path.join(folder, name));
      return { name, bytes: size, modified: Math.round(mtimeMs) };
    });
    return found.sort((a, b) => b.modified - a.modified || (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

const isArtifact = (name: string): boolean => name.endsWith('.md') && NAME.test(name);

/** @returns null when the session has no artifact of this name */
export function artifactText(root: string, session: string, name: string): ArtifactText | null {
  const found = isArtifact(name) ? readSessionFile(root, session, name) : null;
  return found && { name, ...found };
}
