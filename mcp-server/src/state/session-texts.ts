/** The files in a session's folder that people are shown. Names come from outside: nothing but a plain file of that folder is read. */
import fs from 'node:fs';
import path from 'node:path';
import { isSessionId, sessionFolder } from './layout.ts';
import { readPlain } from './plain-file.ts';

const MAX_BYTES = 512 * 1024;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,120}$/u;

export interface SessionText {
  name: string;
  text: string;
  /** Only the beginning was read. */
  cut: boolean;
}

function isLink(folder: string): boolean {
  try {
    return fs.readlinkSync(folder) !== '';
  } catch {
    return false;
  }
}

/**
 * @param most how much of it is read, in bytes
 * @returns the beginning of a file of the session's folder; null when there is no such plain file
 */
function readSessionText(root: string, session: string, name: string, most = MAX_BYTES): SessionText | null {
  if (!isSessionId(session) || !NAME.test(name)) return null;
  const folder = sessionFolder(root, session);
  if (isLink(folder)) return null;
  const found = readPlain(path.join(folder, name), most);
  return found && { name, text: found.bytes.toString('utf8'), cut: found.cut };
}

/** What was handed over grows with every payload, each of up to half a megabyte of characters, and half of it is no JSON. */
const HAND_OVER_BYTES = 64 * 1024 * 1024;

/** @returns the text of pre_planning.json; null when there is no such plain file */
export const readHandOver = (root: string, session: string): SessionText | null =>
  readSessionText(root, session, 'pre_planning.json', HAND_OVER_BYTES);

interface Listed {
  name: string;
  bytes: number;
  /** Epoch milliseconds. */
  modified: number;
}

/** The artifacts of a session, the one written last first. */
export function artifactsIn(root: string, session: string): Listed[] {
  if (!isSessionId(session)) return [];
  const folder = sessionFolder(root, session);
  try {
    const names = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && isArtifact(entry.name));
    const found = names.map(({ name }) => {
      const { size, mtimeMs } = fs.lstatSync(path.join(folder, name));
      return { name, bytes: size, modified: Math.round(mtimeMs) };
    });
    return found.sort((a, b) => b.modified - a.modified || (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

const isArtifact = (name: string): boolean => name.endsWith('.md') && NAME.test(name);

/** @returns null when the session has no artifact of this name */
export const artifactText = (root: string, session: string, name: string): SessionText | null =>
  isArtifact(name) ? readSessionText(root, session, name) : null;
