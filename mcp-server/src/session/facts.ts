/** Looks up the facts that state/phases.json names, at the edge, before the pure engine decides. */

import { artifactFacts, inputNames } from '../artifacts/records.ts';
import { namedForReview } from '../flow/checks.ts';
import type { FactName } from '../flow/table.ts';
import type { ChangedFileFact, Facts, Payload, SessionState, StaleBranchFact } from '../flow/types.ts';
import { staleBranches } from '../git/branches.ts';
import { filesEqualToBase } from '../git/merge.ts';
import { type Repository, repositoryAt } from '../git/repository.ts';
import type { SessionFile } from '../state/session-file.ts';
import { rolesAtWork } from './agents-at-work.ts';
import { failedAttempts } from './attempts.ts';
import { changedSinceBaseline } from './baseline-file.ts';
import { earlierSessions, shownIssue } from './issue.ts';
import { pointedFiles } from './pointed-files.ts';
import { interventionNames } from './prompts.ts';

/** The session's repository; null for a session without git. @throws GitFailed */
export async function repositoryOf(state: SessionState): Promise<Repository | null> {
  return state.git ? repositoryAt(state.work_tree) : null;
}

/** Stale branches as the engine knows them. @throws GitFailed */
export async function staleFacts(repo: Repository, except: string | null): Promise<StaleBranchFact[]> {
  const found = await staleBranches(repo, { except });
  return found.map(({ name, base, ahead, last_commit, dirty, checked_out }) => ({
    name,
    base,
    ahead: ahead ?? 0,
    last_commit,
    dirty,
    checked_out,
  }));
}

const PULL_REQUEST = /\bpull[\s_-]?requests?\b|\bPRs?\b|\bmerge[\s_-]?requests?\b|プルリク|マージリクエスト/i;

/**
 * Looks up the named facts.
 * @param sent the payload that they are about
 * @param given what is known of it besides
 * @throws GitFailed
 */
export async function gatherFacts(
  state: SessionState | SessionFile,
  names: readonly FactName[],
  sent: Payload = {},
  given: Facts = {},
): Promise<Facts> {
  const { work_tree: root, session } = state;
  const facts: Facts = state.pipeline
    ? {
        ...given,
        artifacts: artifactFacts(root, session, state.since ?? 0),
        inputs: inputNames(root, session),
        at_work: rolesAtWork(),
      }
    : { ...given };
  if (names.length === 0) return facts;
  const repo = names.some((name) => name === 'stale' || name === 'changed' || name === 'equal_to_base') ? await repositoryOf(state) : null;
  const named = namedForReview(state, sent, given);
  let changed: ChangedFileFact[] | undefined;
  for (const name of names) {
    switch (name) {
      case 'stale':
        facts.stale = repo ? await staleFacts(repo, state.git?.branch ?? null) : [];
        break;
      case 'changed':
        changed ??= await changedSinceBaseline(root, session, repo, named);
        facts.changed = changed;
        break;
      case 'equal_to_base':
        if (repo && state.git?.merging && state.git.base) {
          changed ??= await changedSinceBaseline(root, session, repo, named);
          facts.equal_to_base = await filesEqualToBase(repo, { base: state.git.base, files: changed.map((file) => file.path) });
        }
        break;
      case 'interventions':
        facts.interventions = interventionNames(root);
        break;
      case 'failed_attempts':
        facts.failed_attempts = failedAttempts(state);
        break;
      case 'files':
        facts.files = pointedFiles(root, sent);
        break;
      case 'issue': {
        const issue = shownIssue(state);
        if (issue !== undefined) facts.issue = issue;
        break;
      }
      case 'earlier_sessions':
        facts.earlier_sessions = earlierSessions(state);
        break;
      case 'pull_request_wanted':
        facts.pull_request_wanted = state.config.merge.pull_request || PULL_REQUEST.test(state.user_prompt ?? state.request);
        break;
    }
  }
  return facts;
}
