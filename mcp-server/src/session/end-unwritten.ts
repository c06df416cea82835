/** A person ends a session and nothing can be written: a broken gate must not lock anybody out. */
import type { MessageRef } from '../flow/types.ts';
import { say } from '../messages/messages.ts';
import { folderOf } from '../state/layout.ts';
import { isUnwritable, letGo } from '../state/let-go.ts';
import type { SessionFile } from '../state/session-file.ts';

/** What is said of a session that ended and undid nothing. */
export function endedMessage({ session, git }: SessionFile): MessageRef {
  if (!git?.branch) return { key: 'user.abort', params: { session } };
  return { key: 'user.abort_branch', params: { session, branch: git.branch, base: git.base ?? '-', commits: git.commits.length } };
}

/**
 * Ends a session by renaming or removing alone, after ending it as usual failed. The caller vouches that a person said so.
 * @param error why it failed @returns what the person is told @throws `error` when it is not about writing, or this fails, too
 */
export async function endUnwritten(error: unknown, state: SessionFile): Promise<MessageRef> {
  if (!isUnwritable(error)) throw error;
  const { work_tree: root, session, language } = state;
  const done = await letGo(root, session);
  if (!done) throw error;
  const ended = say(endedMessage(state), language);
  const kept = say({ key: `user.let_go.${done.how}`, params: { place: done.place } }, language);
  return { key: 'user.ended_unwritten', params: { ended, folder: folderOf(root), code: error.code, kept } };
}
