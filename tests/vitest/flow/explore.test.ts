/**
 * Every reachable state of the flow, for every combination of flags and intents, abstracted to what decides.
 *
 * Two abstractions keep it small. Tasks are reduced to how many are pending and to the highest failure counts. The four
 * counters of ways back are left out: a choice that goes back is tried with all at zero and with all at their limits. That
 * they never fall, nor rise beyond the limit, is checked at every edge; so an endless walk raises them only so often, and it
 * is enough that no cycle is left among the edges that raise none. A path to the end counts only where both trials agree.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { isInvestigation } from '../../../mcp-server/src/flow/conditions.ts';
import { advance, decide } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError, NO_FLAGS, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import { COMPLETE, nodeOf, order, table } from '../../../mcp-server/src/flow/table.ts';
import type { Counters, Flags, Intent, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { type Choice, choicesAt, type Label } from './choices.ts';
import { Graph } from './graph.ts';
import { skippedByFlags } from './matrix.ts';
import { beginning, PIPELINE_NODES, STALE } from './session.ts';

const { limits } = table;
const INTENTS: Intent[] = ['IMPLEMENT', 'MODIFY', 'INVESTIGATE', 'QUESTION'];
/** Approval of the plan is explored in explore-pipeline.test.ts, in solo sessions, too; here it would only double everything. */
const ELSEWHERE = ['gate', 'doc-research', 'clean', 'rebuild', 'approve'];
const SWITCHES = (Object.keys(NO_FLAGS) as (keyof Flags)[]).filter((name) => !ELSEWHERE.includes(name));

const AT_ZERO = { quality_revert_count: 0, exploration_reverts: 0, merge_reverts: 0, review_reverts: 0 };
const AT_LIMIT: typeof AT_ZERO = {
  quality_revert_count: limits.quality_reverts,
  exploration_reverts: limits.exploration_reverts,
  merge_reverts: limits.merge_reverts,
  review_reverts: limits.review_reverts,
};
const waysBack = Object.keys(AT_ZERO) as (keyof typeof AT_ZERO)[];

/** Failure counts decide only where step 16 can be reached. */
const countsDecide = ({ flags }: SessionState): boolean => !flags.quick && !flags['no-intervention'] && !flags['no-verify'];

const highest = (tasks: Task[]): number => Math.min(limits.task_failures, Math.max(0, ...tasks.map((task) => task.failure_count)));

function tasksKey(state: SessionState): string {
  const pending = state.tasks.filter((task) => task.status === 'pending');
  if (!countsDecide(state)) return `${pending.length}`;
  const present = state.tasks.filter((task) => task.status === 'pending' || task.completed_round === state.round);
  const inherited = Math.min(state.failure?.highest ?? 0, limits.task_failures);
  return [pending.length, highest(state.tasks), highest(present), inherited].join('');
}

const switchesKnown = new WeakMap<Flags, (keyof Flags)[]>();

function switchesOn(flags: Flags): (keyof Flags)[] {
  const on = switchesKnown.get(flags) ?? SWITCHES.filter((name) => flags[name]);
  switchesKnown.set(flags, on);
  return on;
}

/** Flags as far as a state's future can tell: from step 12 on some lie behind, and some hide what others would change. */
function flagsKey(state: SessionState): string {
  const { flags, intent } = state;
  const before12 = state.step < 12 && !state.completed_steps.includes(12);
  const on = switchesOn(flags);
  const ends = isInvestigation({ flags, intent });
  if (before12 || ends || flags['only-verify']) return `${ends} ${flags.gate} ${on.join(' ')}`;
  if (flags.quick) return `quick ${flags['no-verify']}`;
  const hidden = (name: keyof Flags): boolean =>
    name === 'no-doc' ||
    name === 'no-pre-planning' ||
    (name === 'no-intervention' && flags['no-verify']) ||
    (name === 'no-quality' && flags.fast);
  return `${on.filter((name) => !hidden(name)).join(' ')} ${flags.fast ? '' : flags.gate}`;
}

/** Where each piece of information stands; afterwards it only tells what step 15 must speak of. */
function informationKey({ node, pre_planning: pre }: SessionState): string {
  if (node !== 'INFORMATION_COLLECTION') return '';
  return (pre?.items ?? [])
    .map((item) => `${item.status[0]}${item.can_assume ? '' : '!'}${item.status === 'open' ? item.tries : ''}`)
    .join(' ');
}

function keyOf(state: SessionState): string {
  if (state.phase === COMPLETE) return `complete ${state.outcome}`;
  const interventions = Math.min(state.counters.intervention_count, limits.interventions);
  const conflict = state.conflict.length > 0 ? 'conflict' : '';
  // Only the outcome depends on these.
  const marks = state.node === 'MERGE' ? `${state.accepted_unverified} ${state.open_issues}` : '';
  return `${state.node} ${flagsKey(state)} ${state.counters.verify_failures} ${interventions} ${tasksKey(state)} ${conflict} ${marks} ${informationKey(state)}`;
}

/** Flow edges that raise a counter are `counted`; those that only the one or the other trial has, `sometimes`. */
type Edge = Label | 'counted' | 'sometimes';

interface Step {
  next: SessionState;
  key: string;
  label: Edge;
}

class Exploration {
  readonly graph = new Graph();
  readonly complete: number[] = [];
  readonly outcomes = new Set<string>();
  /** Nodes' steps by the flags of the states there; the question to the user is exempt from skipping. */
  readonly steps = new Map<string, Set<number>>();
  readonly openAt = new Set<number>();
  readonly nodes = new Set<string>();
  /** Where pieces of information stood while they were collected. */
  readonly information = new Set<string>();
  readonly fell: string[] = [];
  readonly overran: string[] = [];
  refusals = 0;

  from(first: SessionState): void {
    if (this.graph.has(keyOf(first))) return;
    // Breadth first, so that the state that stands for its kind is one with a short history and few tasks.
    const open: SessionState[] = [first];
    this.#enter(first);
    for (const state of open) {
      const from = this.graph.node(keyOf(state));
      for (const choice of choicesAt(state)) open.push(...this.#take(state, from, choice));
    }
  }

  /** Takes a choice with the counters at zero and at their limits; returns the states that are new. */
  #take(state: SessionState, from: number, choice: Choice): SessionState[] {
    const goesBack = 'revert_to' in choice.payload || 'issues' in choice.payload;
    const low = this.#step(state, choice, AT_ZERO);
    const high = goesBack ? this.#step(state, choice, AT_LIMIT) : low;
    const agree = low?.key === high?.key && low?.label === high?.label;
    const found: SessionState[] = [];
    for (const step of agree ? [low] : [low, high]) {
      if (!step) continue;
      const isNew = !this.graph.has(step.key);
      const label = !agree && step.label === 'flow' ? 'sometimes' : step.label;
      this.graph.connect(from, isNew ? this.#enter(step.next) : this.graph.node(step.key), label);
      if (isNew && step.next.phase !== COMPLETE) found.push(step.next);
    }
    return found;
  }

  #step(given: SessionState, choice: Choice, counters: typeof AT_ZERO): Step | null {
    const state = { ...given, counters: { ...given.counters, ...counters } };
    const decision = decide(state, choice.payload, choice.facts);
    if (isFlowError(decision)) {
      this.refusals += 1;
      return null;
    }
    const after = advance(state, decision, choice.results, choice.facts).state;
    const rises = (name: keyof Counters): boolean => after.counters[name] > state.counters[name];
    const falls = (name: keyof Counters): boolean => after.counters[name] < state.counters[name];
    if (choice.label !== 'user retries' && ['intervention_count' as const, ...waysBack].some(falls)) this.fell.push(keyOf(state));
    if (counters === AT_LIMIT && waysBack.some(rises)) this.overran.push(keyOf(state));
    const intervened = rises('intervention_count') && state.counters.intervention_count < limits.interventions;
    const counted = choice.label === 'flow' && (waysBack.some(rises) || intervened);
    const next = { ...after, counters: { ...after.counters, ...AT_ZERO } };
    return { next, key: keyOf(next), label: counted ? 'counted' : choice.label };
  }

  #enter(state: SessionState): number {
    const id = this.graph.node(keyOf(state));
    if (state.phase === COMPLETE) {
      this.complete.push(id);
      this.outcomes.add(String(state.outcome));
      return id;
    }
    this.nodes.add(state.node);
    for (const part of informationKey(state).split(' ')) this.information.add(part);
    const flags = flagsKey(state);
    const steps = this.steps.get(flags) ?? new Set();
    if (!nodeOf(state.node).escalation) steps.add(state.step);
    this.steps.set(flags, steps);
    if (state.gate === 'open') this.openAt.add(state.step);
    return id;
  }
}

interface Combination {
  flags: string[];
  intent: Intent;
  first: SessionState;
}

/** Every combination of switches, gate, intent and stale branches that parseRequest accepts. */
function combinations(): { all: Combination[]; refused: number } {
  const all: Combination[] = [];
  let refused = 0;
  for (let bits = 0; bits < 1 << SWITCHES.length; bits++) {
    const flags = SWITCHES.filter((_, index) => bits & (1 << index));
    for (const gate of ['auto', 'full']) {
      const request = [`--gate=${gate}`, ...flags.map((name) => `--${name}`), 'x'].join(' ');
      for (const intent of INTENTS) {
        if (isFlowError(parseRequest(request, intent))) refused += 1;
        else for (const stale of [[], [STALE]]) all.push({ flags, intent, first: beginning({ request, intent, stale }) });
      }
    }
  }
  return { all, refused };
}

/** What may be repeated without end: by the user, by git, or by a model that plans anew while it works at 13 and 14. */
const REPEATABLE: Label[] = ['user retries', 'stale stays', 'merge stopped', 'planned anew'];

describe('the whole flow', () => {
  const exploration = new Exploration();
  const { graph } = exploration;
  let tried: { all: Combination[]; refused: number } = { all: [], refused: 0 };

  beforeAll(() => {
    const began = performance.now();
    tried = combinations();
    for (const { first } of tried.all) exploration.from(first);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      `explored ${tried.all.length} combinations of flags, intent and stale branches (${tried.refused} more are refused): ` +
        `${graph.size} states, ${graph.edges} transitions, ${exploration.refusals} refusals, ${seconds} s`,
    );
  }, 300_000);

  test('is not trivially small', () => {
    expect(tried.all.length + 2 * tried.refused).toBe(2 ** SWITCHES.length * 2 * INTENTS.length * 2);
    expect(graph.size).toBeGreaterThan(10_000);
    expect(exploration.refusals).toBeGreaterThan(1_000);
  });

  test('has no state without a path to SESSION_COMPLETE that needs neither the user’s abort nor bad luck with git', () => {
    const without = new Set<Edge>(['user aborts', 'stale stays', 'merge stopped', 'sometimes']);
    expect(graph.stranded(exploration.complete, without).slice(0, 5)).toEqual([]);
  });

  test('reaches every outcome but an abort by the user’s own command', () => {
    expect([...exploration.outcomes].sort()).toEqual(
      [
        'aborted',
        'accepted_unverified',
        'completed',
        'completed_with_issues',
        'investigated',
        'nothing_to_do',
        'verification_failed',
        'verified',
      ].sort(),
    );
  });

  test('has no counter that falls, except by the user’s retry, and none that rises beyond its limit', () => {
    expect(exploration.fell.slice(0, 5)).toEqual([]);
    expect(exploration.overran.slice(0, 5)).toEqual([]);
  });

  test('has no loop without a counter, the user, git, or a new list at 13 and 14 in it', () => {
    expect(graph.cycle(new Set<Edge>(['counted', ...REPEATABLE]))).toBeNull();
  });

  test.each<Edge>(['counted', ...REPEATABLE])('has loops by "%s", so that leaving these out is needed, and would be noticed', (label) => {
    const without = new Set<Edge>(['counted', ...REPEATABLE]);
    without.delete(label);
    expect(graph.cycle(without)).not.toBeNull();
  });

  test('comes to every node, and sees a piece of information in every position', () => {
    expect([...exploration.nodes].sort()).toEqual(order.filter((key) => ![...PIPELINE_NODES, 'READY_APPROVAL'].includes(key)).sort());
    // open and looked for so often, collected, assumed, a gap; with "!" where it may not be assumed
    expect([...exploration.information].sort()).toEqual([
      '',
      'a',
      'c',
      'c!',
      'g',
      'g!',
      'o!0',
      'o!1',
      'o!2',
      'o!3',
      'o0',
      'o1',
      'o2',
      'o3',
    ]);
  });

  test('opens the gate at 13 and 14 only', () => {
    expect([...exploration.openAt].sort()).toEqual([13, 14]);
  });

  test('never enters a step that the flags skip, and records as skipped only what may be', () => {
    for (const { flags, intent, first } of tried.all) {
      const skipped = skippedByFlags(flags, intent);
      const name = `${intent} ${flags.join(' ')}`;
      const later = { ...first, step: 12 };
      const seen = [flagsKey(first), flagsKey(later)].flatMap((key) => [...(exploration.steps.get(key) ?? [])]);
      expect(
        seen.filter((step) => skipped.includes(step)),
        name,
      ).toEqual([]);
      const maybe = [2, 7, 9, 11];
      expect(
        first.skipped_steps.filter((step) => !skipped.includes(step) && !maybe.includes(step)),
        name,
      ).toEqual([]);
    }
  });
});
