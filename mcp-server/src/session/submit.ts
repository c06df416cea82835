/** submit_phase: one payload through the engine, its effects through git, the new state to disk. */
import { advance, decide, kindOf } from '../flow/engine.ts';
import { isFlowError } from '../flow/flags.ts';
import { asPayload, MAX_PAYLOAD_CHARS } from '../flow/payload.ts';
import type { FlowError, MessageRef, Payload } from '../flow/types.ts';
import { fill, template } from '../messages/messages.ts';
import type { Fence } from '../state/fence.ts';
import { appendJournal, hashOf } from '../state/journal.ts';
import { readState, type SessionFile, StorageFailed } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { carryOut, factsThen, settle } from './carry-out.ts';
import { render, writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { failureOf } from './failure.ts';
import { type Located, locate, rememberRoot, rootOf } from './locate.ts';
import { recoverState } from './recovery.ts';
import { errorResponse, isErrorResponse, type Response, respond } from './response.ts';

export interface SubmitArguments {
  data: unknown;
  session_id?: string | undefined;
  step?: number | undefined;
}

/** Who sends a payload: the model through the tool, or the person through a question that the client asked. */
type Sender = 'model' | 'person';

const failed = (error: FlowError['error'], message: MessageRef): FlowError => ({ error, message, problems: [] });

/** The answer for a state that did not change. */
export async function present(state: SessionFile, warnings: readonly MessageRef[]): Promise<Response> {
  const rendered = await render(state, state.language, []);
  return respond(state, rendered.instruction, [...warnings, ...rendered.warnings], state.language);
}

/** The answer when there is no active session to act on. */
export function answerWithout(located: Exclude<Located, { kind: 'active' }>, edge: Edge): Response {
  if (located.kind === 'error') return errorResponse(located.error, null, edge.language);
  const { state } = located;
  const base = respond(state, state.instruction, [], state.language);
  return errorResponse(
    failed('session_complete', { key: 'error.session_complete', params: { session: state.session, outcome: state.outcome ?? '' } }),
    base,
    state.language,
  );
}

/** Some models encode the payload twice; the text of a text of an object can only mean the object. */
function sentPayload(data: unknown): Payload | null {
  const once = typeof data === 'string' && data.trimStart().startsWith('"') ? unquoted(data) : data;
  return asPayload(once);
}

function unquoted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The payload, or why there is none. Tagged, because a payload may have any keys, those of an error too. */
function readData(data: unknown): { sent: Payload } | { refused: FlowError } {
  const size = typeof data === 'string' ? data.length : (JSON.stringify(data) ?? '').length;
  if (size > MAX_PAYLOAD_CHARS) {
    return { refused: failed('payload_mismatch', { key: 'error.too_large', params: { size, limit: MAX_PAYLOAD_CHARS } }) };
  }
  const sent = sentPayload(data);
  return sent ? { sent } : { refused: failed('payload_mismatch', { key: 'error.not_an_object' }) };
}

/** A guard's refusal belongs in the journal; it must not cost the answer when the disk is full. */
function journalBlock(state: SessionFile, refused: FlowError, edge: Edge): void {
  if (refused.error !== 'guard_blocked') return;
  try {
    const entry = { event: 'block', rev: state.rev, phase: state.phase, step: state.step, guard: refused.guard, why: refused.message.key };
    appendJournal(state.work_tree, state.session, [entry], edge.now());
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
  }
}

async function refuse(state: SessionFile, refused: FlowError, hash: string, edge: Edge): Promise<Response> {
  // Only a mismatch that repeats the last accepted submission exactly is a repetition, not a mistake.
  if (refused.error === 'payload_mismatch' && state.last_submission?.hash === hash) {
    return { ...(await present(state, [{ key: 'warning.replayed' }])), replayed: true };
  }
  journalBlock(state, refused, edge);
  return errorResponse(refused, await present(state, []), state.language);
}

interface Submission {
  edge: Edge;
  root: string;
  session: string;
  args: SubmitArguments;
  sender: Sender;
}

/** Runs under the lock, on the state as it is now. */
async function submitLocked({ edge, root, session, args, sender }: Submission, fence: Fence): Promise<Response> {
  const found = readState(root);
  if (found.kind !== 'present' || found.state.session !== session) {
    const located = await locate(root, session, edge.owner);
    return located.kind === 'active' ? present(located.state, []) : answerWithout(located, edge);
  }
  const { state } = found;
  const read = readData(args.data);
  if ('refused' in read) return refuse(state, read.refused, hashOf(null), edge);
  const { sent } = read;
  const hash = hashOf(sent);
  if (args.step !== undefined && args.step !== state.step) {
    const wrong = failed('payload_mismatch', {
      key: 'error.step_mismatch',
      params: { sent: args.step, step: state.step, phase: state.phase },
    });
    return refuse(state, wrong, hash, edge);
  }
  const earlier = await settle(edge, state);
  let facts = await gatherFacts(state, kindOf(state, sent).facts ?? []);
  let decision = decide(state, sent, facts);
  // Half of its work done, git no longer shows what the payload is about.
  if (isFlowError(decision) && earlier?.payload === hash) {
    facts = factsThen(facts, earlier);
    decision = decide(state, sent, facts);
  }
  if (isFlowError(decision)) return refuse(state, decision as FlowError, hash, edge);
  const carried = await carryOut({ edge, fence, state, decision, facts, payload: hash, earlier });
  const reached = advance(state, decision, carried.results, facts);
  const warnings = [...reached.warnings];
  if (decision.accept.kind === 'decision' && sender === 'model') {
    warnings.push({ key: 'warning.relayed_decision', params: { decision: String(decision.data.user_decision) } });
  }
  const event = {
    event: 'transition',
    phase: state.phase,
    step: state.step,
    kind: decision.accept.kind,
    to: reached.state.phase,
    to_step: reached.complete ? null : reached.state.step,
    payload: hash,
    ...(decision.accept.kind === 'decision' ? { decision: decision.data.user_decision, by: sender } : {}),
    ...(reached.state.outcome ? { outcome: reached.state.outcome } : {}),
  };
  const next = { ...reached.state, last_submission: { step: state.step, hash } };
  return writeDown({ edge, fence, state: next, before: state, warnings, notes: carried.notes, journal: [event] });
}

/** Escalations whose question was cancelled: the person cannot be asked, so the model relays (FLOW.md, Asking the user). */
const unanswered = new Set<string>();

/** A question is read in a dialogue, not in a pager. */
const QUESTION_CHARS = 600;

/**
 * Asks the person where the session waits for a decision of theirs, without holding the lock.
 * @returns the answer after their decision, or null when nothing was asked or answered
 */
async function askDecision(edge: Edge, state: SessionFile): Promise<Response | null> {
  const key = `${state.session}/${state.counters.verify_failures}/${state.counters.intervention_count}`;
  if (unanswered.has(key)) return null;
  const params = { session: state.session, root: state.work_tree, details: (state.failure?.reason ?? '').slice(0, QUESTION_CHARS) };
  const answer = await edge.ask(fill(template('question.escalation', state.language), params), ['retry', 'accept', 'abort']);
  if (answer === 'unavailable') {
    unanswered.add(key);
    return null;
  }
  // Who declines has been asked: the decision stays theirs, and the model may not take it.
  if (answer === 'declined') return present(state, [{ key: 'warning.person_declined' }]);
  return submitAsPerson(edge, state, { user_decision: answer.choice });
}

async function submitOnce(submission: Submission): Promise<Response> {
  const { edge, root } = submission;
  try {
    return await withState(root, (fence) => submitLocked(submission, fence));
  } catch (error) {
    const refused = failureOf(error);
    const now = readState(root);
    const base = now.kind === 'present' ? await present(now.state, []) : null;
    return errorResponse(refused, base, now.kind === 'present' ? now.state.language : edge.language);
  }
}

/** A decision that the person gave by other means than the tool: typed, or in answer to a question. */
export const submitAsPerson = (edge: Edge, state: SessionFile, data: Payload): Promise<Response> =>
  submitOnce({ edge, root: state.work_tree, session: state.session, args: { data }, sender: 'person' });

const waitsForPerson = (state: SessionFile): boolean => state.node === 'VERIFY_ESCALATION';

/**
 * Submits a payload for the present phase (the tool submit_phase).
 * @returns the next response, or the error in the same shape; never throws for bad input, git, lock or disk failures
 */
export async function submitPhase(edge: Edge, args: SubmitArguments): Promise<Response> {
  const located = await locate(rootOf(edge.projectDir), args.session_id ?? null, edge.owner);
  const mended = located.kind === 'error' && located.damaged ? await recoverState(edge, located.damaged) : null;
  if (mended) return mended;
  if (located.kind !== 'active') return answerWithout(located, edge);
  const { root, state } = located;
  rememberRoot(state.session, root);
  if (waitsForPerson(state) && sentPayload(args.data)?.user_decision !== 'abort') {
    const decided = await askDecision(edge, state);
    if (decided) return decided;
  }
  const response = await submitOnce({ edge, root, session: state.session, args, sender: 'model' });
  if (isErrorResponse(response) || response.escalation !== true || waitsForPerson(state)) return response;
  const now = readState(root);
  return (now.kind === 'present' && waitsForPerson(now.state) ? await askDecision(edge, now.state) : null) ?? response;
}
