/** Everything that a model, sensible or not, the user and git may do at a state of the flow. */
import { nextTask } from '../../../mcp-server/src/flow/tasks.ts';
import type { EffectResults, Facts, Payload, SessionState, Task } from '../../../mcp-server/src/flow/types.ts';
import { BLOCKED, CONFLICT, collected, FACTS, GIT_GOES_WELL, need, understanding, usual } from './session.ts';

/**
 * Who or what makes a step. Only these may be repeated without end, and none of them by the model's progress through phases:
 * a stale branch that stays, a stopped merge, the user's `retry`, and a new list at 13 or 14, while the work is under way.
 */
export type Label = 'flow' | 'stale stays' | 'merge stopped' | 'user retries' | 'planned anew' | 'user aborts';

export interface Choice {
  payload: Payload;
  label: Label;
  facts: Facts;
  results: EffectResults;
}

const UNCHANGED: Facts = { ...FACTS, changed: [] };

const choose = (payload: Payload, more: Partial<Choice> = {}): Choice => ({ payload, label: 'flow', facts: FACTS, results: {}, ...more });

const resolved = (adopted: boolean, incomplete: boolean): EffectResults => ({
  resolve_stale: { branch: 'main', adopted: adopted ? { name: 'readygate/old', base: 'main' } : null, incomplete, notes: [] },
});

const REASON = 'because of what was read';

function answers(field: string, ahead: Payload[]): Choice[] {
  return [true, false].flatMap((answer) => ahead.map((more) => choose({ [field]: answer, reason: REASON, ...more })));
}

const withQ3: Payload[] = [{}, ...[true, false].map((needs_impact_analysis) => ({ q3: { needs_impact_analysis, reason: 'r' } }))];
const withQ2: Payload[] = [{}, ...[true, false].map((has_unverified_hypotheses) => ({ q2: { has_unverified_hypotheses, reason: 'r' } }))];

/** Answers sent ahead are tried before step 12; nothing that comes later has a bearing on them. */
const again = (state: SessionState): boolean => state.completed_steps.includes(12);

const sent = (task: Task, more: Partial<Task> = {}): Payload => {
  const { id, description, status } = { ...task, ...more };
  return { id, description, status };
};

/** Lists that a model may send: new, fixing and reopened tasks, dropped ones, counts of its own making. Two at most are pending. */
function lists({ tasks, round, failure }: SessionState): Payload[] {
  const all = tasks.map((task) => sent(task));
  const completed = tasks.filter((task) => task.status === 'completed');
  const pending = tasks.filter((task) => task.status === 'pending');
  const failed = completed.filter((task) => failure?.failed_tasks.includes(task.id));
  const least = completed.reduce<Task[]>(([best], task) => [best && best.failure_count <= task.failure_count ? best : task], []);
  const fresh = (more: Payload = {}, number = 1): Payload => ({
    id: `r${round}n${tasks.length + number}`,
    description: 'd',
    status: 'pending',
    ...more,
  });
  const reopen = (some: Task[]): Payload[] => tasks.map((task) => sent(task, some.includes(task) ? { status: 'pending' } : {}));
  const found: Payload[] = [];
  if (pending.length > 0) found.push({ tasks: all }, { tasks: [fresh()], dropped: pending.map(({ id }) => ({ id, reason: 'r' })) });
  else found.push({ tasks: [...all, fresh(), fresh({}, 2)] });
  if (pending.length > 1) return found;
  found.push({ tasks: [...all, fresh()] }, { tasks: [...all, fresh({ failure_count: 3 })] });
  const room = 2 - pending.length;
  if (failed.length > 0) {
    found.push({ tasks: reopen(failed.slice(0, room)) }, { tasks: [...all, fresh({ fixes: failed.map(({ id }) => id) })] });
  }
  if (least.length > 0) found.push({ tasks: reopen(least) }, { tasks: [...all, fresh({ fixes: least.map(({ id }) => id) })] });
  return found;
}

const REVERT: Payload = { revert_to: 'EXPLORATION', reason: 'r' };

function verdicts(state: SessionState): Choice[] {
  const completed = state.tasks.filter((task) => task.status === 'completed').sort((a, b) => a.failure_count - b.failure_count);
  const named = [...new Set([completed[0]?.id, completed.at(-1)?.id])].flatMap((id) => (id === undefined ? [] : [[id]]));
  if (completed.length > 1) named.push(completed.map(({ id }) => id));
  const failures = [undefined, ...named].map((failed_tasks) => ({
    passed: false,
    details: 'd',
    ...(failed_tasks ? { failed_tasks } : {}),
  }));
  // What was assumed is said to have held, so that it decides nothing more.
  const told = (state.pre_planning?.items ?? []).map(({ id }) => `${id}: held`).join('; ');
  return [choose({ passed: true, details: `d ${told}` }), ...failures.map((payload) => choose(payload))];
}

/** As often refused as a phase refuses: the next failure goes on. */
const EXHAUSTED: Facts = { ...FACTS, failed_attempts: 3 };

const skipping = (skip_reason = 'simple_task'): Payload => ({ information_needs: { skip_collection: true, skip_reason } });

/** Every result that an open item may get, and for two open items every pair. */
function results(state: SessionState): Choice[] {
  const open = (state.pre_planning?.items ?? []).filter(({ status }) => status === 'open').map(({ id }) => id);
  const of = (info_id: string): Payload[] => [
    collected(info_id),
    { info_id, status: 'failed' },
    { info_id, status: 'failed', impact: 'unclear' },
    { info_id, status: 'assumed', assumption: { assumed_value: 'v', reasoning: 'r', confidence: 0.5 } },
    { info_id, status: 'assumed', assumption: { assumed_value: 'v', reasoning: 'r', confidence: 0.49 } },
    { info_id, status: 'assumed', assumption: { assumed_value: 'the password', reasoning: 'r', confidence: 1 } },
  ];
  const [first, second] = open;
  const single = open.flatMap((id) => of(id).map((result) => [result]));
  const pairs = first && second ? of(first).flatMap((a) => of(second).map((b) => [a, b])) : [];
  return [...single, ...pairs].map((collection_results) => choose({ collection_results }));
}

const byNode: Record<string, (state: SessionState) => Choice[]> = {
  BRANCH_INTERVENTION: () => [
    ...['delete', 'merge', 'continue'].map((choice) => choose({ choice }, { results: resolved(false, false) })),
    choose({ choice: 'continue' }, { results: resolved(true, false) }),
    choose({ choice: 'merge' }, { results: resolved(false, true), label: 'stale stays' }),
  ],
  REQUEST_UNDERSTANDING: () => [
    choose(understanding()),
    choose(understanding({ understanding_confidence: 0.1, task_type: '' })),
    choose({ ...understanding(), ...skipping() }),
    choose({}),
    choose({}, { facts: EXHAUSTED }),
  ],
  INFORMATION_PLANNING: () => [
    choose({ information_needs: { required_information: [need('a')] } }),
    choose({ information_needs: { required_information: [need('a'), need('b', { can_assume: false })], collection_order: ['b'] } }),
    choose(skipping()),
    choose({ information_needs: { ...(skipping().information_needs as Payload), required_information: [need('a')] } }),
    choose({}),
    choose({}, { facts: EXHAUSTED }),
  ],
  INFORMATION_COLLECTION: (state) => [...results(state), choose({}), choose({}, { facts: EXHAUSTED })],
  Q1: (state) =>
    answers('needs_more_information', again(state) ? [{}] : withQ2.flatMap((second) => withQ3.map((third) => ({ ...second, ...third })))),
  Q2: (state) => answers('has_unverified_hypotheses', again(state) ? [{}] : withQ3),
  Q3: () => answers('needs_impact_analysis', [{}]),
  READY_PLAN: (state) => [
    ...[FACTS, UNCHANGED].map((facts) => choose({ finish: 'nothing_to_do', reason: 'r' }, { facts })),
    choose(REVERT),
    ...lists(state).map((payload) => choose(payload)),
  ],
  READY_IMPLEMENT: (state) => [
    choose({ task_id: nextTask(state.tasks)?.id, summary: 's' }),
    choose(REVERT),
    ...lists(state).map((payload) => choose(payload, { label: 'planned anew' })),
  ],
  READY_FINISH: (state) => [choose({}), choose(REVERT), ...lists(state).map((payload) => choose(payload, { label: 'planned anew' }))],
  POST_IMPL_VERIFY: verdicts,
  VERIFY_ESCALATION: () => [
    choose({ user_decision: 'retry' }, { label: 'user retries' }),
    choose({ user_decision: 'accept' }),
    choose({ user_decision: 'abort' }, { label: 'user aborts' }),
  ],
  PRE_COMMIT: (state) => [
    choose(usual(state)),
    choose(
      { reviewed_files: [{ path: 'src/a.ts', decision: 'discard', reason: 'r' }], commit_message: 'm' },
      { results: { commit: { commit: null } } },
    ),
    choose({ revert_to: 'READY', reason: 'r' }),
  ],
  QUALITY_REVIEW: () => [[], ['i']].map((issues) => choose({ quality_score: 50, issues })),
  MERGE: () => [
    choose({}),
    choose({}, { results: CONFLICT, label: 'merge stopped' }),
    choose({}, { results: BLOCKED, label: 'merge stopped' }),
    choose({ strategy: 'leave_branch' }, { results: { merge: { status: 'left', files: [], commit: null, note: '' } } }),
    choose(
      { strategy: 'pull_request' },
      { facts: { pull_request_wanted: true }, results: { merge: { status: 'opened', files: [], commit: null, note: 'url' } } },
    ),
    choose({ revert_to: 'READY' }),
    choose({ revert_to: 'READY', reason: 'r' }),
    choose({ revert_to: 'READY' }, { results: { merge_base: { status: 'clean', files: [] } } }),
  ],
};

/** All choices at a state; what is missing is what git answers when all goes well. Some of them the engine must refuse. */
export function choicesAt(state: SessionState): Choice[] {
  const choices = byNode[state.node]?.(state) ?? [choose(usual(state))];
  return choices.map((choice) => ({ ...choice, results: { ...GIT_GOES_WELL, ...choice.results } }));
}
