/** Guard RG13 in a session: the work tree while editing is closed before READY. */
import { takeFingerprint } from '../fingerprint/fingerprint.ts';
import { type Unexpected, unexpectedChanges } from '../fingerprint/guard.ts';
import { undoneFolder, writeFingerprint } from '../fingerprint/stored.ts';
import { undo } from '../fingerprint/undo.ts';
import type { MessageRef, SessionState } from '../flow/types.ts';
import { repositoryOf } from './facts.ts';

type Watched = Pick<SessionState, 'gate' | 'step' | 'outcome'>;

/** Whether nothing may change in this state: steps 2 to 12 with a closed gate. */
export const isWatched = ({ gate, step, outcome }: Watched): boolean => gate === 'closed' && outcome === null && step >= 2 && step <= 12;

/** Takes the fingerprint anew. @throws GitFailed, StorageFailed */
export async function watchFromNow(state: SessionState): Promise<void> {
  writeFingerprint(state.work_tree, state.session, await takeFingerprint(await repositoryOf(state), state.work_tree));
}

/** What changed although nothing may; null when all is well. @throws GitFailed */
export async function unexpectedIn(state: SessionState): Promise<Unexpected | null> {
  return isWatched(state) ? unexpectedChanges(await repositoryOf(state), state.work_tree, state.session) : null;
}

export interface Resolved {
  notes: MessageRef[];
  journal: { event: string; [key: string]: unknown };
}

/** Puts the changed files back. What cannot be put back is told, and is found again by the next look. @throws GitFailed, StorageFailed */
export async function undoUnexpected(state: SessionState, { fingerprint, files }: Unexpected): Promise<Resolved> {
  const { work_tree: root, session } = state;
  const done = await undo({ repo: await repositoryOf(state), root, fingerprint, files, keepDir: undoneFolder(root, session) });
  const left = done.left.map(({ path, message }) => ({ key: 'part.left_undone', params: { name: path, message } }));
  const undone = done.undone.length > 0 ? [{ key: 'part.undone', params: { count: done.undone.length, folder: done.saved ?? '' } }] : [];
  return {
    notes: [...undone, ...left],
    journal: { event: 'changes', how: 'undo', files: done.undone, left: done.left.map(({ path }) => path), saved: done.saved },
  };
}

/** The user takes the changed files as they are. @throws GitFailed, StorageFailed */
export async function acceptUnexpected(state: SessionState, { files }: Unexpected): Promise<Resolved> {
  await watchFromNow(state);
  const paths = files.map(({ path }) => path);
  return {
    notes: [{ key: 'part.changes_accepted', params: { files: paths.slice(0, 20).join(', ') } }],
    journal: { event: 'changes', how: 'accept', files: paths },
  };
}
