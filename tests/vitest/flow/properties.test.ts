/** What always holds, whatever is sent: merging twice is merging once, the engine never throws, every walk ends. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, decide } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError } from '../../../mcp-server/src/flow/flags.ts';
import { schemas } from '../../../mcp-server/src/flow/payload-schemas.ts';
import { COMPLETE, nodeOf, order, table } from '../../../mcp-server/src/flow/table.ts';
import { mergeTasks, type SentList, type SentTask, taskListProblems } from '../../../mcp-server/src/flow/tasks.ts';
import type { Payload, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { hasMessage } from '../../../mcp-server/src/messages/messages.ts';
import '../seed.ts';
import { times, tried } from '../soak.ts';
import { choicesAt } from './choices.ts';
import { beginning, deepFreeze, FACTS, GIT_GOES_WELL, PIPELINE_NODES, Session, STALE, usual } from './session.ts';

const IDS = ['a', 'b', 'c', 'd', 'e'];
const ids = fc.subarray(IDS, { maxLength: 2 });
const status = fc.constantFrom('pending' as const, 'completed' as const);

/** Optional keys are absent, not undefined: that is how JSON sends them. */
const sentTask = (id: string): fc.Arbitrary<SentTask> =>
  fc.record(
    { id: fc.constant(id), description: fc.constantFrom('x', 'y'), status, failure_count: fc.nat(4), fixes: ids, depends_on: ids },
    { requiredKeys: ['id', 'description', 'status'] },
  ) as fc.Arbitrary<SentTask>;

const knownTask = (id: string): fc.Arbitrary<Task> =>
  sentTask(id).map((task) => ({
    ...task,
    failure_count: task.failure_count ?? 0,
    ...(task.status === 'completed' ? { completed_round: 1 } : {}),
  }));

const several = <T>(one: (id: string) => fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray(IDS).chain((chosen) => fc.tuple(...chosen.map(one)));

const failure = fc.option(
  fc.record({ from: fc.constant('POST_IMPL_VERIFY'), reason: fc.constant('r'), failed_tasks: ids, highest: fc.nat(4) }),
);

const listAt: fc.Arbitrary<{ state: SessionState; sent: SentList }> = fc
  .record({ tasks: several(knownTask), sent: several(sentTask), failure })
  .map(({ tasks, sent, failure }) => {
    const state: SessionState = { ...beginning(), tasks, failure };
    const listed = new Set(sent.map((task) => task.id));
    const left = tasks.filter((task) => task.status === 'pending' && !listed.has(task.id));
    // Lists that the server would take: nothing claimed completed, nothing pending left out.
    const honest = sent.map((task): SentTask => {
      const known = tasks.find((candidate) => candidate.id === task.id);
      return known?.status === 'completed' ? task : { ...task, status: 'pending' };
    });
    return { state, sent: { tasks: honest, dropped: left.map(({ id }) => ({ id, reason: 'r' })) } };
  });

describe('a task list', () => {
  test('that was merged can be merged again, and changes nothing', () => {
    let merged = 0;
    fc.assert(
      fc.property(listAt, ({ state, sent }) => {
        fc.pre(taskListProblems(state, sent).length === 0);
        const once = { ...state, ...mergeTasks(deepFreeze(state), deepFreeze(sent)) };
        expect(taskListProblems(once, sent)).toEqual([]);
        expect({ ...once, ...mergeTasks(once, sent) }).toEqual(once);
        merged += 1;
      }),
      { numRuns: 2000 },
    );
    expect(merged).toBe(2000);
  });

  test('never lowers a count, loses a completed task, or lets go of the highest count', () => {
    fc.assert(
      fc.property(listAt, ({ state, sent }) => {
        fc.pre(taskListProblems(state, sent).length === 0);
        const { tasks, failure } = mergeTasks(state, sent);
        for (const old of state.tasks) {
          const now = tasks.find((task) => task.id === old.id);
          if (now) expect(now.failure_count).toBeGreaterThanOrEqual(old.failure_count);
          else {
            expect(old.status).toBe('pending');
            if (failure) expect(failure.highest).toBeGreaterThanOrEqual(old.failure_count);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** One state for each node, reached by an honest walk where there is one. */
const states: SessionState[] = order.map((node) => {
  const session = new Session({ stale: [STALE], request: '--gate=full x' });
  if ([...PIPELINE_NODES, 'READY_APPROVAL'].includes(node)) {
    const { phase, step, substep = null, gate } = nodeOf(node);
    return { ...session.to('READY_IMPLEMENT').state, pipeline: true, node, phase, step, substep, gate };
  }
  const aside = ['VERIFY_INTERVENTION', 'VERIFY_ESCALATION'].includes(node);
  if (!aside) return session.to(node).state;
  const failing = session.to('POST_IMPL_VERIFY').state;
  const counters = { ...failing.counters, verify_failures: node === 'VERIFY_ESCALATION' ? 8 : 2 };
  const tasks = failing.tasks.map((task) => ({ ...task, failure_count: 2 }));
  return new Session({ ...failing, counters, tasks }).fail().state;
});

/** Payloads that are right, or nearly, at each state. */
const rightAt = new Map(states.map((state) => [state, [...choicesAt(state).map(({ payload }) => payload), usual(state)]]));

const names = [...new Set(Object.values(schemas.payloads).flatMap((schema) => Object.keys(schema.properties ?? {})))];
const words = fc.constantFrom(
  'true',
  'false',
  '[]',
  '{}',
  '["a"]',
  'EXPLORATION',
  'READY',
  'nothing_to_do',
  'retry',
  'merge',
  't1',
  '',
  ' ',
  '0',
  'because of what was read',
);
const anything = fc.oneof(words, fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>);
const keys = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names) },
  fc.constantFrom('__proto__', 'constructor', 'toString', 'error', ''),
  fc.string(),
);

/** JSON as it comes over the wire: an own key `__proto__` included. */
const objectOf = (entries: [string, unknown][]): Payload => Object.fromEntries(entries);
const wild = fc.array(fc.tuple(keys, anything), { maxLength: 6 }).map(objectOf);

function change(value: unknown, path: number[], other: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return other;
  const entries = Object.entries(value);
  if (entries.length === 0) return other;
  const [key] = entries[first % entries.length] as [string, unknown];
  const changed = entries.map(([name, inner]): [string, unknown] => [name, name === key ? change(inner, rest, other) : inner]);
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

/** A payload that would be right, with one part of it replaced, and perhaps more beside it. */
const nearly = fc.record({ choice: fc.nat(30), path: fc.array(fc.nat(5), { minLength: 1, maxLength: 4 }), other: anything, more: wild });

const attempt = fc.record({ state: fc.constantFrom(...states), wild: fc.option(wild), nearly }).map(({ state, wild, nearly }) => {
  const right = rightAt.get(state) ?? [];
  const base = right[nearly.choice % right.length] as Payload;
  const changed = Object.keys(base).length > 0 ? (change(base, nearly.path, nearly.other) as Payload) : nearly.more;
  const payload = wild ?? changed;
  return { state, payload: nearly.choice % 3 === 0 ? { ...nearly.more, ...payload } : payload };
});

describe('the engine', () => {
  test('stands at every node', () => {
    expect(states.map((state) => state.node)).toEqual(order);
  });

  test('never throws, and never touches the state, whatever is sent at any node', () => {
    const seen = { refused: 0, accepted: 0 };
    const before = new Map(states.map((state) => [state, JSON.stringify(state)]));
    fc.assert(
      fc.property(attempt, ({ state, payload }) => {
        const decision = decide(deepFreeze(state), deepFreeze(payload), deepFreeze(FACTS));
        if (JSON.stringify(state) !== before.get(state)) throw new Error('the state was touched');
        if (isFlowError(decision)) {
          seen.refused += 1;
          const said = [decision.message, ...decision.problems.map(({ message }) => message)];
          const unknown = said.filter(({ key }) => !hasMessage(key));
          if (unknown.length > 0) throw new Error(`no message ${JSON.stringify(unknown)}`);
          if (decision.error === 'payload_mismatch' && decision.problems.length === 0) throw new Error('a mismatch without a problem');
          return;
        }
        seen.accepted += 1;
        const { state: after } = advance(state, deepFreeze(decision), deepFreeze(GIT_GOES_WELL), FACTS);
        if (after.phase !== COMPLETE) nodeOf(after.node);
        if (JSON.stringify(state) !== before.get(state)) throw new Error('the state was touched');
      }),
      { numRuns: times(40_000) },
    );
    tried('generated payloads sent to the engine', seen.refused + seen.accepted);
    expect(seen.refused).toBeGreaterThan(2000);
    expect(seen.accepted).toBeGreaterThan(500);
  }, 180_000);
});

/** The most submissions of a walk in which nothing is repeated for its own sake: no retry, no new list at 13 and 14, no stopped merge. */
function mostSubmissions(): number {
  const { limits } = table;
  const afterAccept = limits.quality_reverts + limits.merge_reverts + limits.review_reverts;
  // Each "accept" zeroes verify_failures once; the next needs one of the ways back from 17 to 19.
  const failures = limits.verify_failures * (1 + afterAccept);
  const rounds = 1 + failures + afterAccept + limits.exploration_reverts;
  // 12, two tasks at 13, 14, 15, 16, the question, 17, 18, 19; before it 2 to 11, and 5 to 11 for each return.
  // 4a to 4c once: each may be corrected, and each of two pieces of information be looked for and then settled.
  const prePlanning = 2 + 2 * 4;
  return rounds * 10 + 10 + prePlanning + limits.exploration_reverts * 7;
}

describe('a walk', () => {
  const REQUESTS = ['x', '--gate=full x', '-ni x', '--fast x', '--quick x', '--no-verify x', '--no-quality x', '-v x', '-e x'];

  test('without repetition ends within the bound that the limits give, however foolish', () => {
    let longest = 0;
    const most = mostSubmissions();
    // A conflict is let happen once at each coming to 19.
    const conflicts = 1 + table.limits.merge_reverts;
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), fc.boolean(), fc.infiniteStream(fc.nat(1000)), (request, gloomy, dice) => {
        let state = beginning({ request, stale: [STALE] });
        let sent = 0;
        while (state.phase !== COMPLETE) {
          const open = choicesAt(state).filter(
            ({ label, results }) => label === 'flow' || (results.merge?.status === 'conflict' && state.conflict.length === 0),
          );
          const steps = open.flatMap((choice) => {
            const decision = decide(state, choice.payload, choice.facts);
            return isFlowError(decision) ? [] : [advance(state, decision, choice.results, choice.facts).state];
          });
          // A gloomy walk avoids the end as long as it can.
          const going = gloomy ? steps.filter((next) => next.phase !== COMPLETE && next.node !== 'PRE_COMMIT') : steps;
          const from = going.length > 0 ? going : steps;
          state = deepFreeze(from[(dice.next().value as number) % from.length] as SessionState);
          sent += 1;
          if (sent > most + conflicts) throw new Error(`still at ${state.node} after ${sent} submissions`);
        }
        longest = Math.max(longest, sent);
      }),
      { numRuns: times(300) },
    );
    tried('random walks through the flow', times(300));
    console.log(`longest of ${times(300)} random walks: ${longest} submissions; bound ${most}`);
    expect(longest).toBeGreaterThan(40);
  });
});
