/** Guard RG11: a submission of a pipeline session needs its artifacts, and must say what they say. Pure. */
import { isBad, isOverruled, owedNames, ruleOf, type Trouble, troubleOf } from './artifacts.ts';
import { problem } from './problem.ts';
import type { Accept } from './table.ts';
import type { SentList } from './tasks.ts';
import type { ArtifactFact, Facts, FlowError, Payload, PlannedTask, Problem, SessionState } from './types.ts';

const KEYS: Record<Trouble['what'], string> = {
  missing: 'problem.artifact_missing',
  stale: 'problem.artifact_stale',
  changed: 'problem.artifact_changed',
  older: 'problem.artifact_older',
  sent_back: 'problem.artifact_sent_back',
};

const listed = (names: readonly string[]): string => [...names].sort().join(', ') || '-';
const same = (a: readonly string[], b: readonly string[]): boolean => listed(a) === listed(b);

/** A description as far as it matters: blanks, case, marks for bold, italics or code, and a full stop at the end do not. */
const gist = (description: string): string =>
  description
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.。]$/, '')
    .toLowerCase();

const SHOWN_CHARS = 200;

function descriptionDifference(at: string, { id, description }: SentList['tasks'][number], planned: PlannedTask): Problem[] {
  if (gist(description) === gist(planned.description)) return [];
  const texts = { sent: description.slice(0, SHOWN_CHARS), planned: planned.description.slice(0, SHOWN_CHARS) };
  return [problem(`${at}/description`, 'problem.plan_field', { id, field: 'description', ...texts })];
}

function taskDifference(index: number, sent: SentList['tasks'][number], planned: PlannedTask): Problem[] {
  const lists = (['files', 'depends_on'] as const).flatMap((field) =>
    same(sent[field] ?? [], planned[field])
      ? []
      : [
          problem(`/tasks/${index}/${field}`, 'problem.plan_field', {
            id: sent.id,
            field,
            sent: listed(sent[field] ?? []),
            planned: listed(planned[field]),
          }),
        ],
  );
  return [...descriptionDifference(`/tasks/${index}`, sent, planned), ...lists];
}

/** How the sent list differs from tasks.md. Completed tasks may be left out of either. */
function planDifference(state: SessionState, data: Payload, plan: readonly PlannedTask[]): Problem[] {
  const sent = (data as unknown as SentList).tasks;
  const completed = new Set(state.tasks.filter(({ status }) => status === 'completed').map(({ id }) => id));
  const planned = new Map(plan.map((task) => [task.id, task]));
  const ids = new Set(sent.map(({ id }) => id));
  const missing = plan.filter(({ id }) => !ids.has(id) && !completed.has(id)).map(({ id }) => id);
  const extra = sent.filter(({ id }) => !planned.has(id) && !completed.has(id)).map(({ id }) => id);
  return [
    ...(missing.length > 0 ? [problem('/tasks', 'problem.plan_missing', { ids: missing.join(', ') })] : []),
    ...(extra.length > 0 ? [problem('/tasks', 'problem.plan_extra', { ids: extra.join(', ') })] : []),
    ...sent.flatMap((task, index) => {
      const found = planned.get(task.id);
      return found && !completed.has(task.id) ? taskDifference(index, task, found) : [];
    }),
  ];
}

/** Where a payload contradicts what its artifact says. */
function contradictions(name: string, fact: ArtifactFact, state: SessionState, data: Payload): Problem[] {
  const found = ruleOf(name);
  if (fact.plan && Array.isArray(data.tasks)) return planDifference(state, data, fact.plan);
  const failed = fact.failed_criteria ?? [];
  if (data.passed === true && failed.length > 0)
    return [problem('/passed', 'problem.artifact_failed', { name, failed: failed.join(', ') })];
  if (found && isBad(found, fact) && Array.isArray(data.issues) && data.issues.length === 0)
    return [problem('/issues', 'problem.artifact_verdict', { name, verdict: fact.verdict ?? '' })];
  return [];
}

/** @returns the refusal, with a problem for each artifact that does not count or is contradicted; null when all is well */
export function artifactRefusal(state: SessionState, accept: Accept, data: Payload, facts: Facts): FlowError | null {
  if (!state.pipeline || !accept.artifact) return null;
  const names = owedNames(accept.artifact, state, typeof data.task_id === 'string' ? data.task_id : undefined);
  const other = typeof data.artifact === 'string' && !names.includes(data.artifact);
  const problems = other
    ? [problem('/artifact', 'problem.artifact_other', { name: String(data.artifact).slice(0, 80), due: names.join(', ') })]
    : names.flatMap((name) => {
        const found = troubleOf(name, facts, isOverruled(name, state, facts));
        const fact = facts.artifacts?.[name];
        if (!found) return fact ? contradictions(name, fact, state, data) : [];
        const agent = ruleOf(name)?.rule.agent ?? '';
        const key = facts.at_work?.includes(agent) ? 'problem.artifact_at_work' : KEYS[found.what];
        return [problem('', key, { name, by: found.by, agent })];
      });
  if (problems.length === 0) return null;
  return { error: 'guard_blocked', guard: 'RG11', message: { key: 'error.artifact', params: { names: names.join(', ') } }, problems };
}
