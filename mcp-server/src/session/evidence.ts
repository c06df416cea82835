/** Guard RG12 in a submission: what the payload claims, against the ledger and the configured commands. */
import { lastChange } from '../evidence/last-change.ts';
import { runVerifyCommands, settleVerification, type VerifyResult } from '../evidence/verify-commands.ts';
import { type Weighed, weighEvidence } from '../evidence/weigh.ts';
import { type Decision, decide } from '../flow/engine.ts';
import { isFlowError } from '../flow/flags.ts';
import type { MessageRef, Payload } from '../flow/types.ts';
import type { SessionFile } from '../state/session-file.ts';
import { changedSinceBaseline } from './baseline-file.ts';
import { gatherFacts, repositoryOf } from './facts.ts';

/** What the configured commands gave, and for which revision of the state. */
export interface Verified {
  rev: number;
  results: VerifyResult[];
}

/**
 * Runs `verify.commands` where a valid payload says that verification passed. Without the lock: they may take minutes.
 * @returns null where there is nothing to run
 * @throws StorageFailed
 */
export async function verifyFor(state: SessionFile, sent: Payload | null): Promise<Verified | null> {
  const commands = state.config.verify?.commands ?? [];
  if (state.node !== 'POST_IMPL_VERIFY' || commands.length === 0 || !sent) return null;
  // A pipeline's payload is valid only with its artifacts in view.
  const decision = decide(state, sent, await gatherFacts(state, []));
  if (isFlowError(decision) || (decision as Decision).data.passed !== true) return null;
  return { rev: state.rev, results: await runVerifyCommands(commands, state.work_tree, state.session) };
}

export interface Proven extends Weighed {
  decision: Decision;
}

async function lastWritten(state: SessionFile): Promise<ReturnType<typeof lastChange>> {
  const changed = await changedSinceBaseline(state.work_tree, state.session, await repositoryOf(state));
  return lastChange(
    state.work_tree,
    changed.map(({ path }) => path),
  );
}

/** That hooks are not active is said once in a session. */
function notSaidBefore(state: SessionFile): (warning: MessageRef) => boolean {
  const said = new Set(state.warnings.map((warning) => JSON.stringify(warning)));
  return (warning) => !said.has(JSON.stringify(warning));
}

/** The decision as it stands once its claims are checked, or the refusal. @throws GitFailed */
export async function prove(state: SessionFile, decision: Decision, verified: Verified | null): Promise<Proven> {
  if (verified) {
    const { data, overruled } = settleVerification(decision.data, verified.results);
    const warnings: MessageRef[] = overruled ? [{ key: 'warning.verify_overruled' }] : [];
    return { decision: { ...decision, data }, refusal: null, warnings };
  }
  const check = decision.accept.evidence;
  if (!check) return { decision, refusal: null, warnings: [] };
  const weighed = await weighEvidence({
    mode: state.config.evidence ?? 'strict',
    check,
    root: state.work_tree,
    session: state.session,
    language: state.language,
    data: decision.data,
    words: [state.request, state.user_prompt ?? ''],
    since: state.opened_at ?? state.created,
    changed: check === 'passed' && decision.data.passed === true ? await lastWritten(state) : null,
  });
  return { decision, refusal: weighed.refusal, warnings: weighed.warnings.filter(notSaidBefore(state)) };
}
