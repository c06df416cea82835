/** Notices what changed on disk, as long as somebody looks: a handful of file times, whatever the session's length. */
import fs from 'node:fs';
import { journalFile, sessionFolder, sessionsFolder, stateFile } from '../state/layout.ts';
import type { Tick } from './view.ts';

const EVERY_MS = 400;

/** A file's stamp; it changes with every write. */
function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = fs.statSync(file);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return '';
  }
}

/** @param session the one that is looked at; null when there is none */
export function tickOf(root: string, session: string | null): Tick {
  return {
    state: stampOf(stateFile(root)),
    journal: session === null ? '' : stampOf(journalFile(root, session)),
    folder: session === null ? '' : stampOf(sessionFolder(root, session)),
    past: stampOf(sessionsFolder(root)),
  };
}

const same = (a: Tick, b: Tick): boolean => Object.entries(a).every(([part, stamp]) => b[part as keyof Tick] === stamp);

/**
 * Calls `tell` at once and after every change, until `signal` says that nobody looks any more.
 * @param session asked anew each time, since a session may begin
 */
export function watch(root: string, session: () => string | null, tell: (tick: Tick) => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  let last = tickOf(root, session());
  tell(last);
  const timer = setInterval(() => {
    const now = tickOf(root, session());
    if (same(last, now)) return;
    last = now;
    tell(now);
  }, EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
