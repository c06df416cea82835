/** The fingerprint beside its session: sessions/<id>/fingerprint.json. */
import fs from 'node:fs';
import path from 'node:path';
import { sessionFolder } from '../state/layout.ts';
import { writeAtomic } from '../state/session-file.ts';
import type { Fingerprint } from './fingerprint.ts';

const fingerprintFile = (root: string, session: string): string => path.join(sessionFolder(root, session), 'fingerprint.json');

/** Where the copies of undone changes go. */
export const undoneFolder = (root: string, session: string): string => path.join(sessionFolder(root, session), 'undone');

/** @throws StorageFailed */
export function writeFingerprint(root: string, session: string, fingerprint: Fingerprint): void {
  writeAtomic(fingerprintFile(root, session), `${JSON.stringify(fingerprint)}\n`);
}

/** null when there is none or it is damaged: then nothing can be compared, and the next closing of the gate takes it anew. */
export function readFingerprint(root: string, session: string): Fingerprint | null {
  try {
    const value = JSON.parse(fs.readFileSync(fingerprintFile(root, session), 'utf8')) as Fingerprint;
    return isFingerprint(value) ? value : null;
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function isFingerprint(value: Fingerprint): boolean {
  if (!isRecord(value)) return false;
  if (value.kind === 'git')
    return isRecord(value.baseline) && isRecord(value.baseline.files) && isRecord(value.stats) && isRecord(value.unwatched);
  return value.kind === 'walk' && isRecord(value.folder) && isRecord(value.folder.files) && isRecord(value.folder.times);
}
