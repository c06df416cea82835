/** A session as the page shows it. */
import { COMPLETE, table } from '../flow/table.ts';
import { nextTask } from '../flow/tasks.ts';
import type { Task } from '../flow/types.ts';
import { type Language, sayStored } from '../messages/messages.ts';
import { passedBy } from '../pre-planning/passed-by.ts';
import { isAsked } from '../session/open-question.ts';
import { planNow } from '../session/shown-plan.ts';
import { openDecisions } from '../session/user-decision.ts';
import type { SessionFile } from '../state/session-file.ts';
import type { SessionView, TaskView } from './view.ts';

/** Longer texts of the model are cut; the files hold the rest. */
const TEXT = 4000;
/** A list that is longer is shown from its beginning, with the number of the others. */
const TASKS = 300;

const cut = (text: string): string => (text.length > TEXT ? `${text.slice(0, TEXT)} …` : text);

function taskView(task: Task): TaskView {
  return {
    id: task.id,
    description: cut(task.description),
    status: task.status,
    failures: task.failure_count,
    summary: cut(task.summary ?? ''),
    depends_on: task.depends_on ?? [],
    files: (task.files ?? []).slice(0, 50),
    fixes: task.fixes ?? [],
  };
}

/** Pending and failing tasks first where not all fit. */
function shownTasks(tasks: readonly Task[]): Task[] {
  if (tasks.length <= TASKS) return [...tasks];
  const urgent = tasks.filter(({ status, failure_count }) => status === 'pending' || failure_count > 0);
  const rest = tasks.filter((task) => !urgent.includes(task));
  return [...urgent, ...rest].slice(0, TASKS);
}

/** Names of the flags that are set. */
function flagsOf(state: SessionFile): string[] {
  const { gate, 'doc-research': research, ...switches } = state.flags;
  const set = Object.entries(switches).filter(([, on]) => on === true);
  return [...(gate === 'full' ? ['gate=full'] : []), ...set.map(([name]) => name), ...research.map((name) => `doc-research=${name}`)];
}

/** @param language of the warnings */
export async function sessionView(state: SessionFile, language: Language): Promise<SessionView> {
  const decisions = openDecisions(state);
  const active = state.phase !== COMPLETE;
  return {
    session: state.session,
    rev: state.rev,
    plan: decisions.includes('approve') ? await planNow(state) : null,
    active,
    task: cut(state.task),
    intent: state.intent,
    pipeline: state.pipeline,
    flags: flagsOf(state),
    phase: state.phase,
    step: state.step,
    node: state.node,
    gate: state.gate,
    override: state.override?.reason ?? null,
    outcome: state.outcome,
    created: state.created,
    last_activity: state.last_activity,
    branch: state.git?.branch ?? null,
    base: state.git?.base ?? null,
    commits: state.git?.commits.length ?? 0,
    completed: state.completed_steps,
    skipped: state.skipped_steps,
    passed_by: passedBy(state.pre_planning),
    given_up: state.pre_planning?.degraded ?? [],
    tasks: shownTasks(state.tasks).map(taskView),
    task_count: state.tasks.length,
    tasks_done: state.tasks.filter(({ status }) => status === 'completed').length,
    next_task: active ? (nextTask(state.tasks)?.id ?? null) : null,
    task_limit: table.limits.task_failures,
    failure: state.failure ? { from: state.failure.from, reason: cut(state.failure.reason) } : null,
    conflict: state.conflict.slice(0, 100),
    assessments: Object.entries(state.assessments).map(([name, { answer, reason }]) => ({ name, answer, reason: cut(reason) })),
    warnings: [...new Set(state.warnings.map((warning) => sayStored(warning, language)))],
    decisions,
    asked: active && isAsked(state.work_tree, state.session),
  };
}
