/**
 * The flow engine: state and payload in, state and effects out. Pure: no clock, no files, no git.
 *
 * A submission goes through two functions, because a transition may depend on what git answers:
 * `decide` validates and names the effects; the edge carries them out; `advance` folds their results in and moves on.
 */
import type { Config } from '../config/config.ts';
import { degradedPayload } from '../pre-planning/degraded.ts';
import { mask } from '../pre-planning/mask.ts';
import { artifactRefusal } from './artifact-guard.ts';
import { reviewedFiles, runCheck } from './checks.ts';
import { holds, type Moment } from './conditions.ts';
import type { ParsedRequest } from './flags.ts';
import { applyMove, remarksOn } from './moves.ts';
import { readPayload } from './payload.ts';
import { NO_COUNTS } from './rounds.ts';
import { type Accept, acceptFor, COMPLETE, nodeOf, order, table } from './table.ts';
import type { Effect, EffectResults, Facts, FlowError, Intent, MessageRef, Outcome, Payload, SessionGit, SessionState } from './types.ts';

export interface StartInput {
  session: string;
  intent: Intent;
  request: string;
  parsed: ParsedRequest;
  pipeline: boolean;
  work_tree: string;
  git: SessionGit | null;
  /** The user's own prompt, where a hook reported it; null else. */
  user_prompt: string | null;
  config: Config;
  issue?: SessionState['issue'];
}

/** A session that has ended is a state whose phase is SESSION_COMPLETE; its gate line is never written as the active one. */
export interface Advanced {
  state: SessionState;
  /** Said once, with this response. */
  warnings: MessageRef[];
  complete: boolean;
}

const EMPTY: Pick<Moment, 'data' | 'results'> = { data: {}, results: {} };

function enter(state: SessionState, key: string): SessionState {
  const node = nodeOf(key);
  // An override ends with the phase it was given in.
  return { ...state, node: key, phase: node.phase, step: node.step, gate: node.gate, override: null };
}

const withStep = (steps: number[], step: number): number[] => (steps.includes(step) ? steps : [...steps, step]);

function complete(state: SessionState, outcome: Outcome | undefined, moment: Omit<Moment, 'state'>): SessionState {
  const found = outcome ?? table.outcomes.find((rule) => holds(rule.when, { ...moment, state }))?.outcome ?? 'completed';
  return { ...state, phase: COMPLETE, gate: 'closed', outcome: found };
}

/** Walks from a position to the next node that is not skipped; past the last one the session is complete. */
function walk(state: SessionState, from: number, moment: Omit<Moment, 'state'>): SessionState {
  let here = state;
  for (let index = from; index < order.length; index++) {
    const key = order[index] as string;
    const node = nodeOf(key);
    if (!node.skip.some((when) => holds(when, { ...moment, state: here }))) {
      // A step of several nodes is not skipped where one of them is entered.
      return enter({ ...here, skipped_steps: here.skipped_steps.filter((step) => step !== node.step) }, key);
    }
    // A side road ("always") counts as skipped only where a rule of its own says so, for instance --no-intervention.
    const skipped = node.skip.some((when) => when !== 'always' && holds(when, { ...moment, state: here }));
    if (skipped && !here.completed_steps.includes(node.step)) here = { ...here, skipped_steps: withStep(here.skipped_steps, node.step) };
  }
  return complete(here, undefined, moment);
}

/** The state of a new session at its first step. `facts.stale` decides about step 2. */
export function start(input: StartInput, facts: Facts): Advanced {
  const blank: SessionState = {
    gate: 'closed',
    phase: '',
    step: 1,
    session: input.session,
    rev: 0,
    schema: 1,
    node: '',
    intent: input.intent,
    request: input.request,
    task: input.parsed.task,
    flags: input.parsed.flags,
    pipeline: input.pipeline,
    work_tree: input.work_tree,
    git: input.git,
    completed_steps: [1],
    skipped_steps: [],
    assessments: {},
    tasks: [],
    round: 1,
    failure: null,
    counters: NO_COUNTS,
    accepted_unverified: false,
    open_issues: false,
    conflict: [],
    outcome: null,
    override: null,
    approved_plan: null,
    config: input.config,
    issue: input.issue ?? null,
    pre_planning: null,
    user_prompt: input.user_prompt,
    warnings: input.parsed.warnings,
    last_submission: null,
  };
  const state = walk(blank, 0, { facts, ...EMPTY });
  return { state, warnings: input.parsed.warnings, complete: false };
}

export interface Decision {
  accept: Accept;
  data: Payload;
  effects: Effect[];
  warnings: MessageRef[];
}

/** The kind of payload this is for the node the session is in. */
export function kindOf(state: SessionState, sent: Payload): Accept {
  return acceptFor(nodeOf(state.node), sent);
}

function toEffect(name: string, { state, data, facts }: Moment): Effect {
  switch (name) {
    case 'resolve_stale':
      return { do: name, choice: data.choice as 'delete' | 'merge' | 'continue' };
    case 'create_branch':
    case 'drop_branch':
    case 'merge_base':
      return { do: name };
    case 'discard':
      return { do: name, files: reviewedFiles(state, data, facts).filter((file) => file.decision === 'discard') };
    case 'commit': {
      const files = reviewedFiles(state, data, facts)
        .filter((file) => file.decision === 'keep')
        .map((file) => file.path);
      return { do: name, files, message: String(data.commit_message), merging: state.git?.merging ?? false };
    }
    case 'merge':
      return { do: name, strategy: (data.strategy as 'merge' | undefined) ?? 'merge' };
    default:
      throw new Error(`state/phases.json names the unknown effect ${name}`);
  }
}

/**
 * Validates a payload for the session's node.
 * @returns what to do and in which order, or the error to answer with; the state is untouched either way.
 */
export function decide(state: SessionState, sent: Payload, facts: Facts): Decision | FlowError {
  const accept = kindOf(state, sent);
  const { data, problems, warnings } = readPayload(accept.masked ? (mask(sent) as Payload) : sent, accept.payload);
  const checked = problems.length > 0 ? problems : runCheck(accept.check, { state, data, facts });
  if (!Array.isArray(checked)) return checked;
  if (checked.length > 0) return refuseOrGoOn(accept, checked, state, facts);
  const owed = artifactRefusal(state, accept, data, facts);
  if (owed) return owed;
  const moment: Moment = { state, data, facts, results: {} };
  const effects = (accept.effects ?? []).filter((rule) => holds(rule.when, moment)).map((rule) => toEffect(rule.do, moment));
  return { accept, data, effects, warnings: [...warnings, ...remarksOn(accept.move, state, data)] };
}

/** Rule P2: a payload that may not hold the session up is refused `payload_corrections` times; then the session goes on without it. */
function refuseOrGoOn(accept: Accept, problems: FlowError['problems'], state: SessionState, facts: Facts): Decision | FlowError {
  if (!accept.degrades) return mismatch(problems, state);
  const limit = table.limits.payload_corrections;
  const attempt = (facts.failed_attempts ?? 0) + 1;
  if (attempt > limit) return goOnWithout(accept, state);
  const message = { key: 'error.payload_counted', params: { phase: state.phase, step: state.step, attempt, limit } };
  return { ...mismatch(problems, state), message };
}

/** The decision of a phase whose payload never became valid; its move says so in the session's warnings. */
export function goOnWithout(accept: Accept, state: SessionState): Decision {
  return { accept, data: degradedPayload(state), effects: [], warnings: [] };
}

/** @returns the payload_mismatch error for these problems. */
function mismatch(problems: FlowError['problems'], state: SessionState): FlowError {
  return {
    error: 'payload_mismatch',
    message: { key: 'error.payload_mismatch', params: { phase: state.phase, step: state.step } },
    problems,
  };
}

/** The state after a decision whose effects were carried out. Throws only on a defect of the table. */
export function advance(state: SessionState, decision: Decision, results: EffectResults, facts: Facts): Advanced {
  const { accept, data } = decision;
  const before: Moment = { state, data, facts, results };
  const moved = applyMove(accept.move, before);
  const moment: Moment = { state: moved, data, facts, results };
  const transition = accept.next.find((candidate) => holds(candidate.when, moment));
  if (!transition) throw new Error(`no transition leaves ${state.node} for ${accept.kind}`);
  const warnings = [...decision.warnings, ...moved.warnings.slice(state.warnings.length)];
  let next = moved;
  if (transition.warning) {
    const warning = { key: transition.warning };
    warnings.push(warning);
    next = { ...next, warnings: [...next.warnings, warning] };
  }
  const rest = { data, facts, results };
  if (transition.to === '@same') return { state: next, warnings, complete: false };
  next = {
    ...next,
    completed_steps: withStep(next.completed_steps, state.step),
    skipped_steps: next.skipped_steps.filter((step) => step !== state.step),
  };
  if (transition.to === '@complete') next = complete(next, transition.outcome, rest);
  else if (transition.to === '@next') next = walk(next, order.indexOf(state.node) + 1, rest);
  else next = enter(next, transition.to);
  return lookAhead({ state: next, warnings, complete: next.phase === COMPLETE }, state.node, data, facts);
}

const ANSWERS = { Q1: ['q2', 'q3'], Q2: ['q3'] } as const;

/** Answers sent ahead count when the session stands at their question now, which is to say that all between was skipped; the rest is dropped, and said. */
function lookAhead(reached: Advanced, from: string, data: Payload, facts: Facts): Advanced {
  let here = reached;
  for (const name of ANSWERS[from as keyof typeof ANSWERS] ?? []) {
    if (!Object.hasOwn(data, name)) continue;
    if (here.state.node !== name.toUpperCase()) {
      here = { ...here, warnings: [...here.warnings, { key: 'warning.look_ahead_dropped', params: { name } }] };
      continue;
    }
    // Validated with the payload that carried it, so there is nothing left to decide.
    const answer = data[name] as Payload;
    const next = advance(here.state, { accept: kindOf(here.state, answer), data: answer, effects: [], warnings: [] }, {}, facts);
    here = { ...next, warnings: [...here.warnings, ...next.warnings] };
  }
  return here;
}

/** Opens the gate for the rest of the phase, because the user said so. */
export function override(state: SessionState, reason: string): SessionState {
  return { ...state, gate: 'open', override: { reason, phase: state.phase, step: state.step } };
}

/** Ends a session at any step because the user said so: nothing is undone. */
export function abort(state: SessionState): SessionState {
  return complete(state, 'aborted', { facts: {}, ...EMPTY });
}
