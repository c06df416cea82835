/**
 * Every reachable state of the flow, for every combination of flags and intents, abstracted to what decides.
 *
 * Two abstractions keep it small. Tasks are reduced to how many are pending and to the highest failure counts. Of each
 * counter that only ever rises (all but verify_failures, which `accept` zeroes) only "below its limit" and "at its limit"
 * are told apart, and a rise leads to both; that the counters never fall is checked at every edge. So an endless walk
 * could raise them only so often, and it is enough that no cycle is left among the edges that raise none of them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { advance, decide } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError, NO_FLAGS, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import { COMPLETE, nodeOf, table } from '../../../mcp-server/src/flow/table.ts';
import type { Counters, Flags, Intent, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { type Choice, choicesAt, type Label } from './choices.ts';
import { Graph } from './graph.ts';
import { skippedByFlags } from './matrix.ts';
import { beginning, STALE } from './session.ts';

const { limits } = table;
const INTENTS: Intent[] = ['IMPLEMENT', 'MODIFY', 'INVESTIGATE', 'QUESTION'];
const SWITCHES = (Object.keys(NO_FLAGS) as (keyof Flags)[]).filter((name) => !['gate', 'doc-research', 'clean', 'rebuild'].includes(name));

const RISING: Record<Exclude<keyof Counters, 'verify_failures'>, number> = {
  intervention_count: limits.interventions,
  quality_revert_count: limits.quality_reverts,
  exploration_reverts: limits.exploration_reverts,
  merge_reverts: limits.merge_reverts,
  review_reverts: limits.review_reverts,
};
const rising = Object.keys(RISING) as (keyof typeof RISING)[];

/** Failure counts decide only where step 16 can be reached. */
const countsDecide = ({ flags }: SessionState): boolean => !flags.quick && !flags['no-intervention'] && !flags['no-verify'];

const highest = (tasks: Task[]): number => Math.min(limits.task_failures, Math.max(0, ...tasks.map((task) => task.failure_count)));

function tasksKey({ tasks, round, flags, ...state }: SessionState): string {
  const pending = tasks.filter((task) => task.status === 'pending');
  const many = Math.min(pending.length, 2);
  if (!countsDecide({ tasks, round, flags, ...state })) return `${many}`;
  const present = tasks.filter((task) => task.status === 'pending' || task.completed_round === round);
  return [many, highest(tasks), highest(present), Math.min(state.failure?.highest ?? 0, limits.task_failures)].join('');
}

/** Flags as far as a state's future can tell: from step 12 on some lie behind, and some hide what others would change. */
function flagsKey({ flags, intent, ...state }: SessionState): string {
  const before12 = state.step < 12 && state.counters.exploration_reverts === 0;
  const on = SWITCHES.filter((name) => flags[name]);
  const ends = intent === 'INVESTIGATE' || intent === 'QUESTION';
  if (before12 || flags['only-verify']) return `${ends} ${flags.gate} ${on.join(' ')}`;
  if (flags.quick) return `quick ${flags['no-verify']}`;
  const hidden = (name: keyof Flags): boolean =>
    name === 'no-doc' ||
    name === 'no-pre-planning' ||
    (name === 'no-intervention' && flags['no-verify']) ||
    (name === 'no-quality' && flags.fast);
  return `${on.filter((name) => !hidden(name)).join(' ')} ${flags.fast ? '' : flags.gate}`;
}

function keyOf(state: SessionState): string {
  if (state.phase === COMPLETE) return `complete ${state.outcome}`;
  const at = rising.map((name) => (state.counters[name] >= RISING[name] ? 1 : 0)).join('');
  const conflict = state.conflict.length > 0 ? 'conflict' : '';
  return `${state.node} ${flagsKey(state)} ${state.counters.verify_failures} ${at} ${tasksKey(state)} ${conflict}`;
}

/** A counter that rose stands for any value below its limit, or for the limit. */
function* standIns(before: SessionState, after: SessionState): Generator<SessionState> {
  const rose = rising.find((name) => after.counters[name] > before.counters[name]);
  if (rose === undefined || before.counters[rose] >= RISING[rose]) yield after;
  else for (const value of [0, RISING[rose]]) yield { ...after, counters: { ...after.counters, [rose]: value } };
}

type Edge = Label | 'counted';

class Exploration {
  readonly graph = new Graph();
  readonly complete: number[] = [];
  readonly outcomes = new Set<string>();
  /** Nodes' steps by the flags of the states there; the question to the user is exempt from skipping. */
  readonly steps = new Map<string, Set<number>>();
  readonly openAt = new Set<number>();
  readonly fell: string[] = [];
  refusals = 0;

  from(first: SessionState): void {
    if (this.graph.has(keyOf(first))) return;
    const open = [first];
    this.#enter(first);
    for (let state = open.pop(); state; state = open.pop()) {
      for (const choice of choicesAt(state)) open.push(...this.#take(state, choice));
    }
  }

  /** Takes a choice; returns the states that are new. */
  #take(state: SessionState, choice: Choice): SessionState[] {
    const decision = decide(state, choice.payload, choice.facts);
    if (isFlowError(decision)) {
      this.refusals += 1;
      return [];
    }
    const after = advance(state, decision, choice.results, choice.facts).state;
    const retried = choice.label === 'user retries';
    if (!retried && rising.some((name) => after.counters[name] < state.counters[name])) this.fell.push(keyOf(state));
    const counted = rising.some((name) => after.counters[name] > state.counters[name]);
    const label: Edge = choice.label === 'flow' && counted ? 'counted' : choice.label;
    const found: SessionState[] = [];
    for (const next of standIns(state, after)) {
      const isNew = !this.graph.has(keyOf(next));
      this.graph.connect(this.graph.node(keyOf(state)), isNew ? this.#enter(next) : this.graph.node(keyOf(next)), label);
      if (isNew && next.phase !== COMPLETE) found.push(next);
    }
    return found;
  }

  #enter(state: SessionState): number {
    const id = this.graph.node(keyOf(state));
    if (state.phase === COMPLETE) {
      this.complete.push(id);
      this.outcomes.add(String(state.outcome));
      return id;
    }
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
    const without = new Set<Label>(['user aborts', 'stale stays', 'merge stopped']);
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

  test('has no counter that falls, except by the user’s retry', () => {
    expect(exploration.fell.slice(0, 5)).toEqual([]);
  });

  test('has no loop without a counter, the user, git, or a new list at 13 and 14 in it', () => {
    expect(graph.cycle(new Set<Edge>(['counted', ...REPEATABLE]))).toBeNull();
  });

  test.each<Edge>(['counted', ...REPEATABLE])('has loops by "%s", so that leaving these out is needed, and would be noticed', (label) => {
    const without = new Set<Edge>(['counted', ...REPEATABLE]);
    without.delete(label);
    expect(graph.cycle(without)).not.toBeNull();
  });

  test('opens the gate at 13 and 14 only', () => {
    expect([...exploration.openAt].sort()).toEqual([13, 14]);
  });

  test('never enters a step that the flags skip, and records as skipped only what may be', () => {
    for (const { flags, intent, first } of tried.all) {
      const skipped = skippedByFlags(flags, intent);
      const name = `${intent} ${flags.join(' ')}`;
      const later = { ...first, step: 12, counters: { ...first.counters } };
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
