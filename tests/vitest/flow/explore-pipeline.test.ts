/**
 * Every reachable state of pipeline sessions and of sessions whose plan is approved, abstracted to what decides; the whole of the
 * other flags is explored in explore.test.ts. Ways back are tried with their counters at zero and at their limits, as there.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { approvalNeeded } from '../../../mcp-server/src/flow/approval.ts';
import { ruleOf } from '../../../mcp-server/src/flow/artifacts.ts';
import { advance, decide } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError } from '../../../mcp-server/src/flow/flags.ts';
import { COMPLETE, nodeOf, table } from '../../../mcp-server/src/flow/table.ts';
import { nextTask } from '../../../mcp-server/src/flow/tasks.ts';
import type { Facts, SessionState } from '../../../mcp-server/src/flow/types.ts';
import { THOROUGH } from '../soak.ts';
import { type Choice, choicesAt } from './choices.ts';
import { Graph } from './graph.ts';
import { beginning, FACTS, GIT_GOES_WELL, handedIn, usual } from './session.ts';

const { limits } = table;

const AT_ZERO = { quality_revert_count: 0, exploration_reverts: 0, merge_reverts: 0, review_reverts: 0 };
const AT_LIMIT = {
  quality_revert_count: limits.quality_reverts,
  exploration_reverts: limits.exploration_reverts,
  merge_reverts: limits.merge_reverts,
  review_reverts: limits.review_reverts,
};

/** With what the agents handed in; a bad verdict where one is named. */
function withArtifacts(state: SessionState, choice: Choice, verdicts: Record<string, string> = {}): Choice {
  return state.pipeline ? { ...choice, facts: { ...choice.facts, artifacts: handedIn(state, verdicts) } } : choice;
}

const plain = (payload: Choice['payload'], label: Choice['label'] = 'flow', facts: Facts = FACTS): Choice => ({
  payload,
  label,
  facts,
  results: GIT_GOES_WELL,
});

function ownChoices(state: SessionState): Choice[] | null {
  const { node } = state;
  if (node.endsWith('_ESCALATION'))
    return [
      plain({ user_decision: 'retry' }, 'user retries'),
      plain({ user_decision: 'accept' }),
      plain({ user_decision: 'abort' }, 'user aborts'),
    ];
  if (node === 'READY_APPROVAL')
    return [
      plain({ user_approval: 'approve' }),
      plain({ user_approval: 'revise' }, 'user retries'),
      plain({ revert_to: 'READY', reason: 'r' }, 'planned anew'),
    ].map((choice) => withArtifacts(state, choice));
  const payload = usual(state);
  if (!('artifact' in payload)) return null;
  const name = String(payload.artifact);
  const bad = ruleOf(name)?.rule.verdicts?.bad[0];
  const planning = state.step === 12 && node.startsWith('READY_');
  return [
    withArtifacts(state, plain(payload)),
    ...(bad ? [withArtifacts(state, plain(payload), { [name]: bad })] : []),
    ...(planning
      ? [plain({ revert_to: 'EXPLORATION', reason: 'r' }), plain({ finish: 'nothing_to_do', reason: 'r' }, 'flow', { changed: [] })]
      : []),
  ];
}

/** Of the many lists that explore.test.ts sends, two are enough here. */
function choices(state: SessionState): Choice[] {
  const own = ownChoices(state);
  if (own) return own;
  let lists = 0;
  return choicesAt(state)
    .filter(({ payload }) => !('tasks' in payload) || ++lists <= (state.node === 'READY_PLAN' ? 2 : 1))
    .map((choice) => withArtifacts(state, choice));
}

const cap = (count: number, limit: number): number => Math.min(count, limit);

function keyOf(state: SessionState): string {
  if (state.phase === COMPLETE) return `complete ${state.outcome}`;
  const { counters, tasks, flags } = state;
  const pending = tasks.filter(({ status }) => status === 'pending');
  const counts = tasks.map(({ failure_count }) => cap(failure_count, limits.task_failures));
  const on = (['fast', 'quick', 'no-verify', 'no-quality', 'no-intervention', 'approve', 'only-explore'] as const).filter(
    (name) => flags[name],
  );
  const facts: Facts = state.pipeline ? { artifacts: handedIn(state) } : {};
  return [
    state.pipeline,
    state.node,
    state.intent,
    on.join(' '),
    counters.verify_failures,
    cap(counters.intervention_count, limits.interventions),
    // Later they are history: a new round, or a new exploration, begins with none.
    /^READY_DESIGN/.test(state.node) && cap(counters.design_revisions, limits.plan_revisions + 1),
    /^READY_(DECOMPOSE|TASKS|PLAN)/.test(state.node) && cap(counters.task_revisions, limits.plan_revisions + 1),
    state.accepted_tasks != null,
    pending.length,
    Math.max(0, ...counts),
    cap(state.failure?.highest ?? 0, limits.task_failures),
    nextTask(tasks)?.review_fails ?? 0,
    tasks.some(({ review_fails = 0 }) => review_fails > limits.task_reviews),
    flags.approve && state.step >= 12 && approvalNeeded(state, facts),
    state.node === 'MERGE' && `${state.conflict.length > 0} ${state.open_issues} ${state.accepted_unverified}`,
    state.completed_steps.includes(7) || state.completed_steps.includes(9),
  ].join('|');
}

interface Taken {
  next: SessionState;
  key: string;
  counted: boolean;
}

function take(given: SessionState, choice: Choice, counters: typeof AT_ZERO): Taken | null {
  const state = { ...given, counters: { ...given.counters, ...counters } };
  const decision = decide(state, choice.payload, choice.facts);
  if (isFlowError(decision)) return null;
  const after = advance(state, decision, choice.results, choice.facts).state;
  const raised = (Object.keys(AT_ZERO) as (keyof typeof AT_ZERO)[]).some((name) => after.counters[name] > state.counters[name]);
  const next = { ...after, counters: { ...after.counters, ...AT_ZERO } };
  const intervened =
    after.counters.intervention_count > state.counters.intervention_count && state.counters.intervention_count < limits.interventions;
  return { next, key: keyOf(next), counted: raised || intervened };
}

describe('pipeline sessions and approved plans', () => {
  const graph = new Graph();
  const ends: number[] = [];
  const outcomes = new Set<string>();
  const nodes = new Set<string>();
  let refusals = 0;

  function explore(first: SessionState): void {
    if (graph.has(keyOf(first))) return;
    graph.node(keyOf(first));
    const open = [first];
    for (const state of open) {
      if (graph.size > 400_000) throw new Error(`does not end: ${keyOf(state)}`);
      nodes.add(state.node);
      const from = graph.node(keyOf(state));
      for (const choice of choices(state)) {
        for (const counters of [AT_ZERO, AT_LIMIT]) {
          const taken = take(state, choice, counters);
          if (!taken) {
            refusals += 1;
            continue;
          }
          const isNew = !graph.has(taken.key);
          const to = graph.node(taken.key);
          // What only fresh counters allow is no way to count on.
          const sometimes = counters === AT_ZERO && take(state, choice, AT_LIMIT)?.key !== taken.key;
          graph.connect(from, to, taken.counted ? 'counted' : sometimes && choice.label === 'flow' ? 'sometimes' : choice.label);
          if (!isNew) continue;
          if (taken.next.phase === COMPLETE) {
            ends.push(to);
            outcomes.add(String(taken.next.outcome));
          } else open.push(taken.next);
        }
      }
    }
  }

  beforeAll(() => {
    // The others lead through the same nodes.
    const flags = ['', '--no-intervention --approve', ...(THOROUGH ? ['--quick', '--approve', '--no-verify --approve'] : [])];
    for (const more of flags) explore(beginning({ request: `--fast ${more} x`, pipeline: true }));
    for (const request of ['--approve --fast x', '--approve --quick x']) explore(beginning({ request }));
    // Steps 4a to 4c are the same as in a solo session, which explore.test.ts walks.
    const later = ['--no-verify', ...(THOROUGH ? ['--no-verify --approve --no-quality'] : [])].map((more) => `--no-pre-planning ${more} x`);
    for (const request of later) explore(beginning({ request, pipeline: true }));
    const asked = ['', '--only-explore', '--only-verify'].map((more) => `--no-pre-planning ${more} x`);
    for (const request of asked) explore(beginning({ request, intent: 'QUESTION', pipeline: true }));
    console.log(`explored pipelines: ${graph.size} states, ${graph.edges} transitions, ${refusals} refusals`);
  }, 300_000);

  test('are not trivially few, and reach every node of theirs', () => {
    expect(graph.size).toBeGreaterThan(5000);
    const theirs = Object.keys(table.nodes).filter((key) => /^READY_|^INVESTIGATION_REPORT$/.test(key));
    expect(theirs.filter((key) => !nodes.has(key))).toEqual([]);
  });

  test('have no state without a path to the end that needs neither an abort nor luck', () => {
    expect(graph.stranded(ends, new Set(['user aborts', 'merge stopped', 'stale stays', 'sometimes'])).slice(0, 5)).toEqual([]);
  });

  test('have no loop without a counter, the user, git, or another plan in it', () => {
    expect(graph.cycle(new Set(['counted', 'user retries', 'planned anew', 'merge stopped', 'stale stays']))).toBeNull();
  });

  test('have loops by the user’s retry and by another plan, so that leaving these out is noticed', () => {
    for (const label of ['user retries', 'planned anew', 'counted']) {
      const without = new Set(['counted', 'user retries', 'planned anew', 'merge stopped', 'stale stays']);
      without.delete(label);
      expect(graph.cycle(without), label).not.toBeNull();
    }
  });

  test('end in every way that sessions end', () => {
    expect([...outcomes].sort()).toEqual(
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

  test('are solo or pipeline sessions by the agents’ nodes: a solo session enters none of them', () => {
    for (const request of ['x', '--approve x', '--fast x']) {
      let state = beginning({ request });
      while (state.phase !== COMPLETE) {
        expect(nodeOf(state.node).skip, state.node).not.toContain('!pipeline');
        const decision = decide(state, usual(state), FACTS);
        if (isFlowError(decision)) throw new Error(JSON.stringify(decision));
        state = advance(state, decision, GIT_GOES_WELL, FACTS).state;
      }
    }
  });
});
