/** The artifacts of a pipeline session by state/artifacts.json: names, what is owed and by whom, what stands in the way. Pure. */
import source from '../../../state/artifacts.json' with { type: 'json' };
import { problem } from './problem.ts';
import { mainAccept, nodeOf } from './table.ts';
import { nextTask } from './tasks.ts';
import type { ArtifactFact, Facts, Problem, SessionState } from './types.ts';

export interface ArtifactRule {
  /** File name; `{task}` stands for a task's id. */
  name: string;
  steps: number[];
  agent: string;
  reads: string[];
  headings: string[];
  reviews?: string;
  after?: string[];
  verdicts?: { good: string[]; bad: string[] };
  severities?: string[];
  form?: 'tasks' | 'criteria';
  /** Whether its agent edits the work tree; all others read. */
  edits?: boolean;
}

export const artifactRules: readonly ArtifactRule[] = source.artifacts as ArtifactRule[];
/** The task list, which the user may take against its review. */
export const TASK_LIST = 'tasks.md';
export const MAX_ARTIFACT_BYTES: number = source.max_bytes;

const roles = new Map(artifactRules.map(({ agent, edits }) => [agent, edits === true]));

/** Which of the pipeline's agents a type is, such as `readygate:architect`; null for any other, such as the user's own. */
export function roleOf(type: string): string | null {
  const name = type.startsWith('readygate:') ? type.slice('readygate:'.length) : type;
  return roles.has(name) ? name : null;
}

/** Whether an agent of this type has a role that does not edit. */
export const onlyReads = (type: string): boolean => roles.get(roleOf(type) ?? '') === false;

/** A task's id becomes part of file names in a pipeline session. */
const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const named = (pattern: string, task: string): string => pattern.replace('{task}', task);

/** Fixed names that a task's id would take: `review-design.md`. */
const takenNames = new Set(artifactRules.map(({ name }) => name));

/** What is wrong with ids as parts of file names: other characters, two that differ by case alone, names that are taken. */
export function taskIdProblems(tasks: readonly { id: string }[]): Problem[] {
  const seen = new Map<string, string>();
  return tasks.flatMap(({ id }, index) => {
    const taken = artifactRules.some(({ name }) => name.includes('{task}') && takenNames.has(named(name, id).toLowerCase()));
    const twin = seen.get(id.toLowerCase());
    seen.set(id.toLowerCase(), id);
    const clash = taken || (twin !== undefined && twin !== id);
    return TASK_ID.test(id) && !clash ? [] : [problem(`/tasks/${index}/id`, 'problem.task_id_name', { id: id.slice(0, 80) })];
  });
}

export interface Named {
  rule: ArtifactRule;
  /** The task that the artifact is about; null for one of the whole session. */
  task: string | null;
}

/** The rule that a file name belongs to; null when it is no artifact's. */
export function ruleOf(name: string): Named | null {
  const fixed = artifactRules.find((rule) => rule.name === name);
  if (fixed) return fixed.name.includes('{task}') ? null : { rule: fixed, task: null };
  for (const rule of artifactRules) {
    const [before = '', after] = rule.name.split('{task}');
    if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) continue;
    const task = name.slice(before.length, name.length - after.length);
    if (TASK_ID.test(task)) return { rule, task };
  }
  return null;
}

export const isBad = ({ rule }: Named, fact: ArtifactFact | undefined): boolean =>
  fact?.verdict != null && (rule.verdicts?.bad ?? []).includes(fact.verdict);

/** Whether this review's verdict sends back what it is about. */
export function isSentBack(review: string, facts: Facts): boolean {
  const found = ruleOf(review);
  return found !== null && isBad(found, facts.artifacts?.[review]);
}

/** Why an artifact does not count: `missing`, `stale` (from before this phase), `changed`, `older` than `by`, `sent_back` by `by`. */
export interface Trouble {
  what: 'missing' | 'stale' | 'changed' | 'older' | 'sent_back';
  by: string;
}

const trouble = (what: Trouble['what'], by = ''): Trouble => ({ what, by });

/** What stands in the way of an artifact; null when it counts. `overruled`: the user took it as it is. */
export function troubleOf(name: string, { artifacts = {} }: Facts, overruled = false): Trouble | null {
  const found = ruleOf(name);
  const fact = artifacts[name];
  if (!found || !fact || fact.disk === null) return trouble('missing');
  if (!fact.fresh) return trouble('stale');
  if (fact.disk !== fact.hash) return trouble('changed');
  const { rule, task } = found;
  const before = [...(rule.after ?? []), ...(rule.reviews ? [rule.reviews] : [])].map((other) => named(other, task ?? ''));
  const newer = before.find((other) => (artifacts[other]?.seq ?? 0) > fact.seq);
  if (newer) return trouble('older', newer);
  const review = artifactRules.find((other) => other.reviews === rule.name);
  const reviewName = review ? named(review.name, task ?? '') : '';
  const verdict = artifacts[reviewName];
  if (review && verdict && verdict.seq > fact.seq && !overruled && isBad({ rule: review, task }, verdict)) {
    return trouble('sent_back', reviewName);
  }
  return null;
}

/** Names of artifacts that a kind of payload owes; `{task}` is the one that it is about, or the next. */
export function owedNames(patterns: readonly string[], state: SessionState, task?: string): string[] {
  const about = task ?? nextTask(state.tasks)?.id ?? '';
  return patterns.map((pattern) => named(pattern, about));
}

export interface Due {
  /** Who hands it in; null when it is in already. */
  agent: string | null;
  artifact: string;
  task: string | null;
  /** Inputs that exist, by name. */
  inputs: string[];
}

function inputsOf({ rule, task }: Named, state: SessionState, { inputs = [] }: Facts): string[] {
  if (rule.reads.includes('*')) return inputs;
  const earlier = state.tasks.find(({ id }) => id === task)?.depends_on ?? [];
  const wanted = rule.reads.flatMap((name) =>
    name.includes('{depends_on}') ? earlier.map((id) => name.replace('{depends_on}', id)) : [named(name, task ?? '')],
  );
  return wanted.filter((name) => inputs.includes(name));
}

/** The artifact that the session waits for at its node, or has just got; null where the phase owes none. */
export function dueOf(state: SessionState, facts: Facts): Due | null {
  if (!state.pipeline || state.outcome !== null) return null;
  const names = owedNames(mainAccept(nodeOf(state.node)).artifact ?? [], state);
  const name = names.find((each) => troubleOf(each, facts, isOverruled(each, state, facts))) ?? names.at(-1);
  return name === undefined ? null : dueFor(name, state, facts);
}

/** What is due of one artifact, by its name. */
export function dueFor(name: string, state: SessionState, facts: Facts): Due | null {
  const found = ruleOf(name);
  if (!found) return null;
  const owed = troubleOf(name, facts, isOverruled(name, state, facts)) !== null;
  return { agent: owed ? found.rule.agent : null, artifact: name, task: found.task, inputs: owed ? inputsOf(found, state, facts) : [] };
}

/** Whether the user took this very text of the task list although its review sent it back. */
export const isOverruled = (name: string, state: SessionState, { artifacts = {} }: Facts): boolean =>
  name === TASK_LIST && state.accepted_tasks != null && state.accepted_tasks === artifacts[name]?.hash;
