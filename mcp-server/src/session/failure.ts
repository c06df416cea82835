/** From what the edges throw to the answer's error code and message. */
import type { FlowError, MessageRef } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import { DEADLINE_MS, LockTimeout } from '../state/lock.ts';
import { StorageFailed } from '../state/session-file.ts';

const flowError = (error: FlowError['error'], message: MessageRef): FlowError => ({ error, message, problems: [] });

function gitMessage(failed: GitFailed): MessageRef {
  const stderr = failed.stderrTail.slice(-1500) || failed.message;
  if (failed.reason === 'missing') return { key: 'error.no_git_program' };
  if (failed.reason === 'identity') return { key: 'error.git_identity' };
  if (failed.reason === 'hook') return { key: 'error.git_hook', params: { stderr } };
  return { key: 'error.git_failed', params: { command: failed.command.join(' ').slice(0, 300), exit: failed.exitCode ?? '-', stderr } };
}

/** The flow error for a failure of git, the lock or the disk; anything else is a defect and is thrown on. */
export function failureOf(error: unknown): FlowError {
  if (error instanceof GitFailed) return flowError('git_failed', gitMessage(error));
  if (error instanceof LockTimeout)
    return flowError('lock_timeout', { key: 'error.lock_timeout', params: { root: error.root, seconds: DEADLINE_MS / 1000 } });
  if (error instanceof StorageFailed) return flowError('storage_failed', error.ref);
  throw error;
}
