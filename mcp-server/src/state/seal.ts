/**
 * Whether state.json is what the server wrote last. Each line of the journal that led to a state holds that state's hash, so a
 * script that opens the gate by editing the file, or by putting an older one back, is found by the next call that reads it.
 */
import fs from 'node:fs';
import { linesSince, sha256 } from './journal.ts';
import { snapshotFile } from './layout.ts';

export type Seal = 'whole' | 'broken' | 'older' | 'unknown';

/**
 * Whether a state is the one that the journal has seen written as this revision, and no later one: the state is written
 * first, so a crash leaves the journal behind it, never ahead, and an older state was put back. Of a revision that the
 * journal does not know (a crash came before its line, or the disk was full) nothing can be said.
 * @param text the whole of state.json, whose revision is `rev`
 */
export function sealed(root: string, session: string, rev: number, text: string | Buffer): Seal {
  const lines = linesSince(root, session, rev).filter((line) => typeof line.state === 'string');
  if (lines.some((line) => line.rev > rev)) return 'older';
  const seal = lines.findLast((line) => line.rev === rev)?.state;
  if (seal === undefined) return 'unknown';
  return seal === sha256(text) ? 'whole' : 'broken';
}

/** Whether something else than the server wrote this state, or put it back. */
export const sealBroken = (root: string, session: string, rev: number, text: string | Buffer): boolean =>
  ['broken', 'older'].includes(sealed(root, session, rev, text));

function copyOf(root: string, session: string, parity: number): { rev: number; text: Buffer } | null {
  try {
    const text = fs.readFileSync(snapshotFile(root, session, parity));
    const rev = Number(/"rev":(\d+),\n/.exec(text.toString('latin1', 0, 512))?.[1]);
    return sealed(root, session, rev, text) === 'whole' ? { rev, text } : null;
  } catch {
    return null;
  }
}

/** The newest state of a session that its journal vouches for, for as long as state.json is not to be believed; null when there is none. */
export function sealedCopy(root: string, session: string): Buffer | null {
  const copies = [0, 1].map((parity) => copyOf(root, session, parity)).filter((copy) => copy !== null);
  return copies.sort((a, b) => b.rev - a.rev)[0]?.text ?? null;
}
