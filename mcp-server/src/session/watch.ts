/** Guard RG13 in a session: the work tree while editing is closed before READY. */
import { takeFingerprint } from '../fingerprint/fingerprint.ts';
import { type Unexpected, unexpectedChanges } from '../fingerprint/guard.ts';
import { undoneFolder, writeFingerprint } from '../fingerprint/stored.ts';
import { undo } from '../fingerprint/undo.ts';
import { nodeOf } from '../flow/table.ts';
import type { MessageRef, Payload, SessionState } from '../flow/types.ts';
import { ignoredAtStart } from './baseline-file.ts';
import { repositoryOf } from './facts.ts';

type Watched = Pick<SessionState, 'gate' | 'node' | 'step' | 'outcome'>;

/** The review before the commit: what is committed must be what was verified. */
const REVIEW = 17;

/**
 * Whether nothing may change in this state: `watched` nodes with a closed gate, which are those before READY and the review. At
 * 15 and 16 checks run, which may leave files; at 18 and 19 all is committed.
 */
export const isWatched = ({ gate, node, outcome }: Watched): boolean =>
  gate === 'closed' && outcome === null && nodeOf(node).watched === true;

/**
 * Whether a state begins a stretch in which nothing may change: work of ours came before, or what changed was allowed until
 * now, as it is to who leaves the review for another plan.
 */
export const watchBegins = (now: Watched, before: Watched | null, worked: boolean): boolean =>
  isWatched(now) && (worked || !before || !isWatched(before) || (before.step === REVIEW && now.step !== REVIEW));

/** Takes the fingerprint anew. @throws GitFailed, StorageFailed */
export async function watchFromNow(state: SessionState): Promise<void> {
  writeFingerprint(state.work_tree, state.session, await takeFingerprint(await repositoryOf(state), state.work_tree));
}

/** What changed although nothing may; null when all is well. @throws GitFailed */
export async function unexpectedIn(state: SessionState): Promise<Unexpected | null> {
  const { work_tree: root, session } = state;
  const found = isWatched(state) ? await unexpectedChanges(await repositoryOf(state), root, session, ignoredAtStart(root, session)) : null;
  if (!found || state.step !== REVIEW) return found;
  const { refusal } = found;
  return { ...found, refusal: { ...refusal, message: { ...refusal.message, key: 'error.fingerprint_review' } } };
}

/** Whether a payload may leave a watched step with its files changed: back to implementing, where all is verified anew. */
export const mayLeaveChanged = ({ step }: Watched, sent: Payload): boolean => step === REVIEW && sent.revert_to !== undefined;

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
  const staged = done.restaged.length > 0 ? [{ key: 'part.restaged', params: { files: done.restaged.slice(0, 20).join(', ') } }] : [];
  return {
    notes: [...undone, ...staged, ...left],
    journal: {
      event: 'changes',
      how: 'undo',
      files: done.undone,
      staged: done.restaged,
      left: done.left.map(({ path }) => path),
      saved: done.saved,
    },
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
