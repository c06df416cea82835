/** get_session_status: the present answer and everything decided so far. */
import fs from 'node:fs';
import { nodeOf } from '../flow/table.ts';
import type { SessionState } from '../flow/types.ts';
import { sayStored } from '../messages/messages.ts';
import { passedBy } from '../pre-planning/passed-by.ts';
import { assumptionsOf } from '../pre-planning/verdicts.ts';
import { sessionFolder } from '../state/layout.ts';
import type { SessionFile } from '../state/session-file.ts';
import type { Edge } from './edge.ts';
import { failureOf } from './failure.ts';
import { issueDrift } from './issue.ts';
import { locate, rememberRoot } from './locate.ts';
import { isAsked, QUESTION } from './open-question.ts';
import { recoverState } from './recovery.ts';
import { addWarnings, errorResponse, progressOf, type Response, respond } from './response.ts';
import { rootOf } from './root-of.ts';
import { answerWithout, present } from './submit.ts';
import { openDecisions } from './user-decision.ts';
import { waitsFor } from './waits-for.ts';

const OWN_FILES = new Set(['baseline.json', 'fingerprint.json', 'journal.jsonl', 'ledger.jsonl', QUESTION, 'state.json']);

function artifactsOf(root: string, session: string): string[] {
  try {
    return fs
      .readdirSync(sessionFolder(root, session), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !OWN_FILES.has(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}

/** What pre-planning found, one kind apart from the other. */
function prePlanningRecord({ pre_planning: pre }: SessionState): Record<string, unknown> | null {
  if (!pre) return null;
  const ids = (status: string): string[] => pre.items.filter((item) => item.status === status).map(({ id }) => id);
  return {
    low_confidence: pre.low_confidence,
    degraded: pre.degraded,
    open: ids('open'),
    collected: ids('collected'),
    assumptions: assumptionsOf(pre).map(({ id, assumption }) => ({
      info_id: id,
      assumed_value: assumption?.assumed_value.slice(0, 200),
      confidence: assumption?.confidence,
      held: pre.verdicts[id] ?? 'unchecked',
    })),
    gaps: ids('gap'),
  };
}

/** Phases of step 4 by their substep; the step itself is done all the same. */
const skippedSubsteps = (state: SessionState): string[] =>
  state.completed_steps.includes(4) ? passedBy(state.pre_planning).map((key) => nodeOf(key).substep ?? key) : [];

function record(state: SessionState): Record<string, unknown> {
  return {
    gate: state.gate,
    override: state.override,
    completed_steps: state.completed_steps,
    skipped_steps: state.skipped_steps,
    skipped_substeps: skippedSubsteps(state),
    assessments: state.assessments,
    task_progress: { ...progressOf(state), tasks: state.tasks.map(({ id, status, failure_count }) => ({ id, status, failure_count })) },
    counters: state.counters,
    issue: state.issue?.url ?? null,
    pre_planning: prePlanningRecord(state),
    branch: state.git?.branch ?? null,
    base: state.git?.base ?? null,
  };
}

async function withRecord(response: Response, state: SessionFile): Promise<Response> {
  const warnings = [...new Set([...response.warnings, ...state.warnings.map((warning) => sayStored(warning, state.language))])];
  const turn =
    state.outcome === null
      ? { turn: waitsFor({ node: state.node, decisions: openDecisions(state), asked: isAsked(state.work_tree, state.session) }) }
      : {};
  return { ...response, ...record(state), ...turn, artifacts: artifactsOf(state.work_tree, state.session), warnings };
}

/** @returns the present response with the session's record, or an error; never throws for git or disk failures */
export async function sessionStatus(edge: Edge, args: { session_id?: string | undefined }): Promise<Response> {
  try {
    const located = await locate(rootOf(edge.projectDir), args.session_id ?? null, edge.owner);
    const mended = located.kind === 'error' && located.damaged ? await recoverState(edge, located.damaged) : null;
    if (mended) return mended;
    if (located.kind === 'error') return answerWithout(located, edge);
    const { state } = located;
    if (located.kind === 'over') return withRecord(respond(state, state.instruction, [], state.language), state);
    rememberRoot(state.session, located.root);
    const drift = await issueDrift(state, edge.now());
    return addWarnings(await withRecord(await present(state, []), state), drift, state.language);
  } catch (error) {
    return errorResponse(failureOf(error), null, edge.language);
  }
}
