/**
 * The state of a work tree, believed only where this machine wrote it: one that came with the commits would have its
 * author's words told to the model, and their commands run.
 */
import { isTracked } from '../git/tracked.ts';
import { stateFile } from '../state/layout.ts';
import { type ReadResult, readState } from '../state/session-file.ts';

/** Sessions whose state was found untracked by this process: git is asked once for each. */
const untracked = new Set<string>();

/** `readState`, but a state that git tracks is foreign. @throws GitFailed */
export async function ownState(root: string): Promise<ReadResult> {
  const found = readState(root);
  if (found.kind !== 'present') return found;
  const { state } = found;
  const key = `${state.session}\n${root}`;
  if (untracked.has(key)) return found;
  const file = stateFile(root);
  if (await isTracked(file)) return { kind: 'foreign', file, why: 'tracked', state };
  untracked.add(key);
  return found;
}
