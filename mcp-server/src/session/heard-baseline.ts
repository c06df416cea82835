/**
 * The work tree as it was when the user typed the command that begins a session. Until the agent calls start_session no gate is
 * closed: what it edits by then is the session's, not the user's, and only this tells the two apart.
 */
import { type Baseline, takeWholeBaseline } from '../git/baseline.ts';
import { inspect } from '../git/repository.ts';

interface Heard {
  root: string;
  at: number;
  baseline: Promise<Baseline | null>;
}

/** A prompt waits so long at most: in a large repository the session may begin without this. */
const PATIENCE_MS = 2000;

/** Somebody who lets a command lie for longer may have worked on meanwhile. */
const COUNTS_MS = 30 * 60_000;

let heard: Heard | null = null;

async function baselineOf(folder: string): Promise<{ root: string; baseline: Promise<Baseline | null> } | null> {
  const found = await inspect(folder);
  if (found.kind === 'none' || found.kind === 'bare') return null;
  return { root: found.root, baseline: takeWholeBaseline(found).catch(() => null) };
}

/** Records the work tree at the user's command; never fails, since a prompt must not fail for it. */
export async function noteCommand(folder: string, now: Date): Promise<void> {
  heard = null;
  const taken = await baselineOf(folder).catch(() => null);
  if (!taken) return;
  heard = { ...taken, at: now.getTime() };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([taken.baseline, late]);
  clearTimeout(timer);
}

/** @returns the record for a session that begins at this commit now, once; null where there is none that fits */
export async function baselineAtCommand(root: string, head: string | null, now: Date): Promise<Baseline | null> {
  const found = heard;
  heard = null;
  if (found?.root !== root || now.getTime() - found.at > COUNTS_MS) return null;
  const baseline = await found.baseline;
  return baseline?.head === head ? baseline : null;
}
