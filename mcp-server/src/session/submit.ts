/** submit_phase: one payload through the engine, its effects through git, the new state to disk. */

import { advance, decide, goOnWithout, kindOf } from '../flow/engine.ts';
import { isFlowError } from '../flow/flags.ts';
import { asPayload, MAX_PAYLOAD_CHARS } from '../flow/payload.ts';
import { type FlowNode, nodeOf } from '../flow/table.ts';
import type { Facts, FlowError, MessageRef, Payload } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import type { Fence } from '../state/fence.ts';
import { hashOf } from '../state/journal.ts';
import { readState, type SessionFile } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { correctionsUsedUp, countAttempt } from './attempts.ts';
import { carryOut, factsThen, settle } from './carry-out.ts';
import { render, writeDown } from './commit-state.ts';
import type { Answer, Edge } from './edge.ts';
import { prove, type Verified, verifyFor } from './evidence.ts';
import { gatherFacts } from './facts.ts';
import { failureOf } from './failure.ts';
import { issueDrift } from './issue.ts';
import { type Located, locate, rememberRoot } from './locate.ts';
import { noteBlock } from './note.ts';
import { deliverNotices } from './notify.ts';
import { openly } from './open-question.ts';
import { afterTransition } from './pre-planning.ts';
import { put, quoted } from './question.ts';
import { recoverState } from './recovery.ts';
import { addWarnings, errorResponse, isErrorResponse, type Response, respond } from './response.ts';
import { folderIn, rootOf } from './root-of.ts';
import { noteShown, planNow, shownIn, taskLines } from './shown-plan.ts';
import { acceptUnexpected, isWatched, mayLeaveChanged, type Resolved, undoUnexpected, unexpectedIn, watchFromNow } from './watch.ts';

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
  return respond(state, rendered.instruction, [...warnings, ...rendered.warnings], state.language, rendered.fields);
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

async function refuse(state: SessionFile, refused: FlowError, hash: string, edge: Edge): Promise<Response> {
  // Only a mismatch that repeats the last accepted submission exactly is a repetition, not a mistake.
  if (refused.error === 'payload_mismatch' && state.last_submission?.hash === hash) {
    return { ...(await present(state, [{ key: 'warning.replayed' }])), replayed: true };
  }
  // A claim that nothing bears out is a mismatch to the model, and a block all the same.
  if (refused.error === 'guard_blocked' || refused.guard !== undefined) noteBlock(state, edge, refused);
  countAttempt(state, refused, edge);
  return errorResponse(refused, await present(state, []), state.language);
}

/** The plan is the user's to approve, whatever the model was told. */
const forThePerson = ({ phase, step }: SessionFile): FlowError => ({
  error: 'guard_blocked',
  guard: 'RG09',
  message: { key: 'error.approval_by_user', params: { phase, step } },
  problems: [],
});

interface Submission {
  edge: Edge;
  root: string;
  session: string;
  args: SubmitArguments;
  sender: Sender;
  /** What the configured verify commands gave. */
  verified?: Verified | null;
  /** Where a person said it, and the revision they had before their eyes: what they did not see they did not decide. */
  seen?: Seen;
}

export interface Seen {
  /** For the journal: `user:dashboard`; absent where the client asked. */
  source?: string;
  rev: number;
}

/** What the journal keeps of a note. */
export const NOTE_CHARS = 2000;

/** The answer where the state file is another session's, or gone. */
async function elsewhere(edge: Edge, root: string, session: string, warnings: readonly MessageRef[] = []): Promise<Response> {
  const located = await locate(root, session, edge.owner);
  return located.kind === 'active' ? present(located.state, warnings) : answerWithout(located, edge);
}

/**
 * A question may stay open for half an hour, without the lock: what was answered is about the state that was shown.
 * @returns the answer for the state as it is now where it is another than `asked`, else null
 */
export async function movedOn(edge: Edge, asked: SessionFile, answer: Answer): Promise<Response | null> {
  const now = readState(asked.work_tree);
  const warnings = [{ key: typeof answer === 'string' ? 'warning.moved_on_unanswered' : 'warning.moved_on' }];
  if (now.kind !== 'present' || now.state.session !== asked.session) return elsewhere(edge, asked.work_tree, asked.session, warnings);
  return now.state.rev === asked.rev ? null : present(now.state, warnings);
}

/** Runs under the lock, on the state as it is now. */
async function submitLocked({ edge, root, session, args, sender, verified = null, seen }: Submission, fence: Fence): Promise<Response> {
  const found = readState(root);
  if (found.kind !== 'present' || found.state.session !== session) return elsewhere(edge, root, session);
  const { state } = found;
  if (seen && seen.rev !== state.rev) {
    const moved = failed('payload_mismatch', { key: 'user.moved_on', params: { phase: state.phase, step: state.step } });
    return errorResponse(moved, await present(state, []), state.language);
  }
  const read = readData(args.data);
  // What is no object at all is a payload that does not validate, too.
  if ('refused' in read && !correctionsUsedUp(state)) return refuse(state, read.refused, hashOf(null), edge);
  const sent = 'sent' in read ? read.sent : {};
  const hash = hashOf(sent);
  if (args.step !== undefined && args.step !== state.step) {
    const wrong = failed('payload_mismatch', {
      key: 'error.step_mismatch',
      params: { sent: args.step, step: state.step, phase: state.phase },
    });
    return refuse(state, wrong, hash, edge);
  }
  // While the commands ran, the session went on by other means: their result is about an earlier state.
  if (verified && verified.rev !== state.rev) return present(state, []);
  const earlier = await settle(edge, state);
  // Work of ours that a crash cut off explains what changed.
  const unexpected = earlier || mayLeaveChanged(state, sent) ? null : await unexpectedIn(state);
  if (unexpected && sent.resolve_changes !== 'undo') return refuse(state, unexpected.refusal, hash, edge);
  if (unexpected) return noteResolved(edge, fence, state, await undoUnexpected(state, unexpected));
  const folder = folderIn(root, edge.projectDir);
  let facts: Facts = await gatherFacts(state, kindOf(state, sent).facts ?? [], sent, folder === null ? {} : { folder });
  let decided = decide(state, sent, facts);
  // Half of its work done, git no longer shows what the payload is about.
  if (isFlowError(decided) && earlier?.payload === hash) {
    facts = factsThen(facts, earlier);
    decided = decide(state, sent, facts);
  }
  if (isFlowError(decided)) return refuse(state, decided as FlowError, hash, edge);
  if (decided.accept.by === 'person' && sender !== 'person') return refuse(state, forThePerson(state), hash, edge);
  const proven = await prove(state, decided, verified);
  const { refusal, warnings: doubts } = proven;
  // What the ledger does not bear out does not validate, either.
  const goesOn = refusal !== null && correctionsUsedUp(state);
  const decision = goesOn ? goOnWithout(proven.decision.accept, state) : proven.decision;
  if (refusal && !goesOn) return refuse(state, refusal, hash, edge);
  const carried = await carryOut({ edge, fence, state, decision, facts, payload: hash, earlier }).catch(async (error: unknown) => {
    // What a failed commit has done by then, or the user's own commit hook, is no surprise to the next submission.
    if (error instanceof GitFailed && isWatched(state)) await watchFromNow(state);
    throw error;
  });
  const reached = advance(state, decision, carried.results, facts);
  const warnings = [...reached.warnings, ...doubts];
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
    ...(typeof decision.data.passed === 'boolean' ? { passed: decision.data.passed } : {}),
    ...(decision.accept.kind === 'decision'
      ? { decision: decision.data.user_decision, by: sender }
      : sender === 'person'
        ? { by: sender }
        : {}),
    ...(decision.accept.kind === 'approval' ? { decision: decision.data.user_approval } : {}),
    ...(sender === 'person' && typeof decision.data.note === 'string' ? { note: decision.data.note.slice(0, NOTE_CHARS) } : {}),
    ...(seen?.source ? { source: seen.source } : {}),
    ...(reached.state.outcome ? { outcome: reached.state.outcome } : {}),
  };
  const pre = afterTransition(state, reached.state, edge.now());
  // Nothing was accepted where the session went on without a payload, so nothing can be repeated.
  const last_submission = decision.data.degraded === true ? null : { step: state.step, hash };
  const shown_plan = shownIn(state, pre.state, facts);
  const next = { ...pre.state, shown_plan, warnings: [...reached.state.warnings, ...doubts], last_submission };
  const worked = decision.effects.length > 0;
  return writeDown({ edge, fence, state: next, before: state, warnings, notes: carried.notes, journal: [...pre.journal, event], worked });
}

/** The answer once changed files were undone or accepted: the same phase, from a clean start. */
function noteResolved(edge: Edge, fence: Fence, state: SessionFile, { notes, journal }: Resolved): Promise<Response> {
  const event = { phase: state.phase, step: state.step, ...journal };
  return writeDown({ edge, fence, state, before: state, warnings: [], notes, journal: [event] });
}

/**
 * Asks the person about files that changed while editing was closed, without holding the lock.
 * @returns the answer after their decision, or where the session went on meanwhile; null when nothing was asked or answered
 */
async function askChanges(submission: Submission): Promise<Response | null> {
  const { edge, root, session } = submission;
  const found = readState(root);
  const unexpected = found.kind === 'present' ? await unexpectedIn(found.state) : null;
  if (found.kind !== 'present' || !unexpected) return null;
  const files = unexpected.files.map(({ path }) => path);
  const params = { session, root, files: files.join(', ').slice(0, FILES_CHARS) };
  const { language } = found.state;
  const question = { kind: 'fingerprint', choices: ['accept', 'undo', 'wait'], language, params } as const;
  const answer = await openly(root, session, () => put(edge, question));
  const moved = await movedOn(edge, found.state, answer);
  if (moved || typeof answer === 'string' || answer.choice === 'wait') return moved;
  const seen = { rev: found.state.rev };
  if (answer.choice === 'undo') return submitOnce({ ...submission, args: { data: { resolve_changes: 'undo' } }, sender: 'person', seen });
  const accepted = await withState(root, async (fence) => {
    const now = readState(root);
    const still = now.kind === 'present' && now.state.rev === found.state.rev ? await unexpectedIn(now.state) : null;
    // Only what the person saw is accepted.
    const same = still !== null && still.files.map(({ path }) => path).join('\0') === files.join('\0');
    return now.kind === 'present' && same ? noteResolved(edge, fence, now.state, await acceptUnexpected(now.state, still)) : null;
  });
  return accepted ? submitOnce(submission) : movedOn(edge, found.state, answer);
}

/** Questions that were cancelled: the person cannot be asked, so the model relays, or the user types (FLOW.md, Asking the user). */
const unanswered = new Set<string>();

/** A question is read in a dialogue, not in a pager. */
const FILES_CHARS = 600;

type Asks = NonNullable<FlowNode['asks']>;

/** What the person is asked where the session stands; undefined where it does not wait for them. */
const asksOf = (state: SessionFile): Asks | undefined => (state.outcome === null ? nodeOf(state.node).asks : undefined);

interface Question {
  details: (state: SessionFile) => string;
  choices: readonly string[];
  answer: (choice: string, plan: string) => Payload;
}

const decides: Question = {
  details: ({ failure, language }) => quoted(failure?.reason ?? '', language),
  choices: ['retry', 'accept', 'abort'],
  answer: (user_decision) => ({ user_decision }),
};

const questions: Record<Asks, Question> = {
  escalation: decides,
  plan_escalation: { ...decides, details: (state) => (state.node === 'READY_DESIGN_ESCALATION' ? 'review-design.md' : 'review-tasks.md') },
  approval: { details: taskLines, choices: ['approve', 'revise', 'wait'], answer: (user_approval, plan) => ({ user_approval, plan }) },
};

/**
 * Asks the person where the session waits for a decision of theirs, without holding the lock.
 * @returns the answer after their decision, or where the session went on meanwhile; null when nothing was asked or answered
 */
async function askPerson(edge: Edge, state: SessionFile, asks: Asks): Promise<Response | null> {
  const key = `${state.session}/${state.rev}`;
  if (unanswered.has(key)) return null;
  const { details, choices, answer: toPayload } = questions[asks];
  const params = { session: state.session, root: state.work_tree, details: details(state), count: state.tasks.length };
  const plan = await planNow(state);
  const answer = await put(edge, { kind: asks, choices, language: state.language, params });
  if (answer === 'unavailable') unanswered.add(key);
  // What the model sent is about the state before the question, too.
  const moved = await movedOn(edge, state, answer);
  if (moved || answer === 'unavailable') return moved;
  if (asks === 'approval') noteShown(state.session, plan);
  // Who declines has been asked: the decision stays theirs, and the model may not take it.
  if (answer === 'declined') return present(state, [{ key: asks === 'approval' ? 'warning.approval_waits' : 'warning.person_declined' }]);
  if (answer.choice === 'wait') return present(state, [{ key: 'warning.approval_waits' }]);
  return submitAsPerson(edge, state, toPayload(answer.choice, plan), { rev: state.rev });
}

/** What the model may send although the person is to be asked: an end, or another plan. */
function needsNoPerson(asks: Asks, sent: Payload | null): boolean {
  return asks === 'approval' ? sent !== null && !('user_approval' in sent) : sent?.user_decision === 'abort';
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

/** What is done around a submission may fail like the submission itself. */
async function orFailure<Result>(state: SessionFile, work: () => Promise<Result>): Promise<Result | Response> {
  try {
    return await work();
  } catch (error) {
    return errorResponse(failureOf(error), await present(state, []), state.language);
  }
}

/** A decision that the person gave by other means than the tool: typed, or in answer to a question. */
export const submitAsPerson = (edge: Edge, state: SessionFile, data: Payload, seen?: Seen): Promise<Response> =>
  submitOnce({ edge, root: state.work_tree, session: state.session, args: { data }, sender: 'person', ...(seen ? { seen } : {}) });

/**
 * Submits a payload for the present phase (the tool submit_phase).
 * @returns the next response, or the error in the same shape; never throws for bad input, git, lock or disk failures
 */
export async function submitPhase(edge: Edge, args: SubmitArguments): Promise<Response> {
  const located = await locate(rootOf(edge.projectDir), args.session_id ?? null, edge.owner);
  const mended = located.kind === 'error' && located.damaged ? await recoverState(edge, located.damaged) : null;
  if (mended) return mended;
  if (located.kind !== 'active') return answerWithout(located, edge);
  const { state } = located;
  const drift = await issueDrift(state, edge.now());
  const response = await submitOrAsk(edge, located, args);
  return addWarnings(response, [...drift, ...(await deliverNotices(edge, state))], state.language);
}

async function submitOrAsk(edge: Edge, { root, state }: Extract<Located, { kind: 'active' }>, args: SubmitArguments): Promise<Response> {
  rememberRoot(state.session, root);
  const asks = asksOf(state);
  if (asks && !needsNoPerson(asks, sentPayload(args.data))) {
    const decided = await askPerson(edge, state, asks);
    if (decided) return decided;
  }
  const submission: Submission = { edge, root, session: state.session, args, sender: 'model' };
  const verify = () => verifyFor(state, sentPayload(args.data));
  const response = await orFailure(state, async () => submitOnce({ ...submission, verified: await verify() }));
  if (isErrorResponse(response) && response.guard === 'RG13') return (await orFailure(state, () => askChanges(submission))) ?? response;
  if (isErrorResponse(response) || response.session_id === null) return response;
  const now = readState(root);
  const next = now.kind === 'present' && now.state.rev !== state.rev ? asksOf(now.state) : undefined;
  return (now.kind === 'present' && next ? await askPerson(edge, now.state, next) : null) ?? response;
}
