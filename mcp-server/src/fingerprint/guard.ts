/** Guard RG13: a submission before READY finds the work tree as it was when the gate closed, or is refused. */
import { problem } from '../flow/problem.ts';
import type { FlowError } from '../flow/types.ts';
import type { Repository } from '../git/repository.ts';
import { changedSince, type Fingerprint, type Unseen } from './fingerprint.ts';
import { readFingerprint, undoneFolder } from './stored.ts';

export interface Unexpected {
  fingerprint: Fingerprint;
  files: Unseen[];
  refusal: FlowError;
}

/** How many files the message names; `problems` tells more of them. */
const NAMED = 5;
const LISTED = 40;

function refusalOf(files: readonly Unseen[], root: string, session: string): FlowError {
  const named = files.slice(0, NAMED).map(({ path, status }) => (status === 'index' ? `${path} (index)` : path));
  const more = files.length > NAMED ? ', …' : '';
  return {
    error: 'guard_blocked',
    guard: 'RG13',
    message: {
      key: 'error.fingerprint',
      params: { count: files.length, files: named.join(', ') + more, folder: undoneFolder(root, session) },
    },
    problems: files.slice(0, LISTED).map(({ path, status }) => problem('', 'problem.changed_unseen', { path, status })),
  };
}

/**
 * Compares the work tree with the session's fingerprint.
 * @param ignored what was ignored when the session began: a shorter .gitignore makes such files appear, and they are the user's
 * @returns what changed and the refusal to answer with; null when all is as it was, or no fingerprint can be read
 * @throws GitFailed
 */
export async function unexpectedChanges(
  repo: Repository | null,
  root: string,
  session: string,
  ignored: (path: string) => boolean = () => false,
): Promise<Unexpected | null> {
  const fingerprint = readFingerprint(root, session);
  if (!fingerprint || (fingerprint.kind === 'git' && !repo)) return null;
  const found = await changedSince(repo, root, fingerprint);
  const files = found.filter(({ path, status, users }) => users || status !== 'added' || !ignored(path));
  return files.length === 0 ? null : { fingerprint, files, refusal: refusalOf(files, root, session) };
}
