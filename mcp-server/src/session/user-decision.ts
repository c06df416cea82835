/**
 * What the person decides outside the host's prompt: the dashboard's approve, answer and abort. The callers vouch for the
 * person; here is only what a decision does, under the same lock and fence, and in the same journal, as everything else.
 */
import { abort } from '../flow/engine.ts';
import { COMPLETE, nodeOf, table } from '../flow/table.ts';
import type { MessageRef, Payload } from '../flow/types.ts';
import type { Language } from '../messages/messages.ts';
import type { Fence } from '../state/fence.ts';
import { readState, type SessionFile } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { settle } from './carry-out.ts';
import { writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { endedMessage, endUnwritten } from './end-unwritten.ts';
import { failureOf } from './failure.ts';
import { ownState } from './own-state.ts';
import { isErrorResponse, refusalText } from './response.ts';
import { submitAsPerson } from './submit.ts';

export const ANSWERS = ['retry', 'accept', 'abort'] as const;

export type UserDecision =
  /** The plan with this hash is to be carried out, or to be thought over for the reason that the note gives. */
  | { kind: 'approve'; plan: string }
  | { kind: 'revise'; plan: string; note: string }
  /** The answer to an escalation. */
  | { kind: 'decide'; answer: (typeof ANSWERS)[number]; note: string }
  | { kind: 'abort' };

export interface DecisionRequest {
  root: string;
  /** What the person had before their eyes: a session that went on meanwhile is another question. */
  session: string;
  rev: number;
  decision: UserDecision;
  /** Where the person said it, for the journal: `user:dashboard`. */
  source: string;
}

export interface Decided {
  /** Whether the decision took effect; if not, nothing was changed. */
  done: boolean;
  message: MessageRef;
  language: Language;
}

const ref = (key: string, params: MessageRef['params'] = {}): MessageRef => ({ key, params });

/** Whether the step takes this kind of payload; the names are those of state/phases.json. */
const accepts = (node: string, kind: string): boolean =>
  Object.hasOwn(table.nodes, node) && nodeOf(node).accepts.some((one) => one.kind === kind);

/** What the person can decide now: at any time to end the session, the rest where it waits for them. */
export function openDecisions({ node, phase }: SessionFile): UserDecision['kind'][] {
  if (phase === COMPLETE) return [];
  return [
    ...(accepts(node, 'approval') ? (['approve', 'revise'] as const) : []),
    ...(accepts(node, 'decision') ? (['decide'] as const) : []),
    'abort',
  ];
}

/**
 * Ends a session because the person said so; nothing is undone.
 * @param evidence what the journal keeps of how they said it
 * @throws Fenced, StorageFailed, GitFailed
 */
export async function endSession(edge: Edge, fence: Fence, state: SessionFile, evidence: Record<string, string>): Promise<MessageRef> {
  const event = { event: 'abort', phase: state.phase, step: state.step, outcome: 'aborted', ...evidence };
  await writeDown({ edge, fence, state: abort(state), before: state, warnings: [], notes: [], journal: [event] });
  return endedMessage(state);
}

/** The model's Claude session stays the owner: the person spoke, they did not take the work over. */
const edgeFor = (edge: Edge, state: SessionFile): Edge => ({ ...edge, owner: state.owner, language: state.language });

async function endNow(edge: Edge, { root, session, source }: DecisionRequest): Promise<MessageRef | null> {
  return withState(root, async (fence) => {
    const now = readState(root);
    const active = now.kind === 'present' && now.state.session === session && now.state.phase !== COMPLETE;
    if (!active) return null;
    await settle(edge, now.state);
    return endSession(edgeFor(edge, now.state), fence, now.state, { source });
  });
}

function payloadOf(decision: Exclude<UserDecision, { kind: 'abort' }>): Payload {
  const note = decision.kind !== 'approve' && decision.note !== '' ? { note: decision.note } : {};
  if (decision.kind === 'decide') return { user_decision: decision.answer, ...note };
  return { user_approval: decision.kind, plan: decision.plan, ...note };
}

async function submitNow(edge: Edge, state: SessionFile, { decision, rev, source }: DecisionRequest): Promise<Omit<Decided, 'language'>> {
  if (decision.kind === 'abort') throw new Error('ending a session is no submission');
  if (!openDecisions(state).includes(decision.kind)) {
    const key = decision.kind === 'decide' ? 'user.decide_not_now' : 'web.approve_not_now';
    return { done: false, message: ref(key, { phase: state.phase, step: state.step }) };
  }
  const response = await submitAsPerson(edgeFor(edge, state), state, payloadOf(decision), { source, rev });
  if (isErrorResponse(response)) return { done: false, message: ref('part.plain', { text: refusalText(response) }) };
  const said = decision.kind === 'decide' ? decision.answer : decision.kind;
  return { done: true, message: ref('user.decided', { decision: said, phase: String(response.phase) }) };
}

/**
 * Carries out what the person decided, on exactly the session and revision they saw.
 * @returns what was done, or why nothing was; never throws for git, lock or disk failures
 */
export async function decideAsPerson(edge: Edge, request: DecisionRequest): Promise<Decided> {
  const { root, session, decision } = request;
  const found = await ownState(root).catch(failureOf);
  if ('error' in found) return { done: false, message: found.message, language: edge.language };
  const state = found.kind === 'present' && found.state.session === session && found.state.phase !== COMPLETE ? found.state : null;
  const language = state?.language ?? edge.language;
  const gone = { done: false, message: ref('user.no_session', { command: decision.kind }), language };
  if (!state) return gone;
  try {
    if (decision.kind !== 'abort') return { ...(await submitNow(edge, state, request)), language };
    const message = await endNow(edge, request).catch((error: unknown) => endUnwritten(error, state));
    return message ? { done: true, message, language } : gone;
  } catch (error) {
    return { done: false, message: failureOf(error).message, language };
  }
}
