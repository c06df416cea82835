/** The text of the present instruction, from the message files and what is known at this moment. */

import path from 'node:path';
import { dueOf } from '../flow/artifacts.ts';
import { batchOf } from '../flow/batch.ts';
import { COMPLETE } from '../flow/table.ts';
import { nextTask } from '../flow/tasks.ts';
import type { Facts, SessionState } from '../flow/types.ts';
import { fill, hasMessage, type Language, template } from '../messages/messages.ts';
import { sessionFolder } from '../state/layout.ts';
import { explorationPart, openItems, planParts, summaryPart, understandingParts, verificationPart } from './pre-planning-text.ts';
import { findPrompt, interventionNames, PROMPT_CHARS, type Prompt, planningPrompt, researchPrompts, verifierNames } from './prompts.ts';

/** Longer reasons, lists and prompts are cut, with a pointer to the file that holds the rest. */
const REASON_CHARS = 1500;
const LIST_CHARS = 6000;
const LISTED_FILES = 60;

export interface InstructionInput {
  root: string;
  language: Language;
  state: SessionState;
  facts: Facts;
  /** Where the whole state stands, for pointers. */
  stateFile: string;
  /** What an effect had to say, e.g. how to bring a deleted branch back. */
  notes: string[];
}

type Params = Record<string, string | number>;

const cut = (text: string, limit: number, rest: string): string => (text.length > limit ? `${text.slice(0, limit)}${rest}` : text);

function shown(prompts: Prompt[], language: Language): string {
  return prompts
    .map(({ text, file, name }) => cut(text, PROMPT_CHARS, fill(template('part.prompt_cut', language), { file: file ?? name })))
    .join('\n');
}

export function branchLines({ facts, language }: InstructionInput): string {
  const unknown = template('part.unknown', language);
  return (facts.stale ?? [])
    .map((branch) =>
      fill(template('part.branch', language), {
        name: branch.name,
        base: branch.base ?? unknown,
        ahead: branch.ahead,
        date: branch.last_commit.slice(0, 10),
        state: `${branch.checked_out ? template('part.branch.checked_out', language) : ''}${branch.dirty ? template('part.branch.dirty', language) : ''}`,
      }),
    )
    .join('\n');
}

function fileLines({ facts, language }: InstructionInput): string {
  const changed = facts.changed ?? [];
  if (changed.length === 0) return template('part.no_changes', language);
  const lines = changed
    .slice(0, LISTED_FILES)
    .map((file) => `- ${file.path} (${file.status})${file.users ? template('part.users_file', language) : ''}`);
  if (changed.length > LISTED_FILES) lines.push(fill(template('part.more_files', language), { count: changed.length - LISTED_FILES }));
  return lines.join('\n');
}

function planReason({ state, language }: InstructionInput): string {
  if (!state.failure) return '';
  const clean = state.failure.from === 'MERGE' && state.conflict.length === 0;
  const key = `part.reason.${state.failure.from}${clean ? '.clean' : ''}`;
  return hasMessage(key) ? fill(template(key, language), { reason: cut(state.failure.reason, REASON_CHARS, ' …') }) : '';
}

/** A branch that exists is not made again, and nothing that was changed is "nothing to do". */
function planWords({ state, language }: InstructionInput): Params {
  const makesBranch = state.git !== null && state.git.branch === null && !state.flags.quick;
  const again = state.tasks.length > 0;
  const explores = !state.flags.fast && !state.flags.quick;
  const ways = [...(again ? [] : ['part.way.nothing']), ...(explores ? ['part.way.explore'] : []), 'part.way.user'];
  return {
    opening: template(makesBranch ? 'part.plan.branch' : 'part.plan', language),
    ways: ways.map((key) => template(key, language)).join('; '),
  };
}

function taskList({ state, language, stateFile }: InstructionInput): string {
  if (state.tasks.length === 0) return '';
  const list = JSON.stringify(state.tasks.map(({ summary: _summary, completed_round: _round, ...task }) => task));
  const rest = fill(template('part.list_cut', language), { count: Math.max(0, list.length - LIST_CHARS), file: stateFile });
  return fill(template('part.list', language), { list: cut(list, LIST_CHARS, rest) });
}

function conflictText({ state, language }: InstructionInput, params: Params): string {
  return state.conflict.length === 0
    ? ''
    : fill(template('part.conflict', language), { ...params, files: cut(state.conflict.join(', '), REASON_CHARS, ' …') });
}

/** Which ways lead out of planning by agents. */
const planWays = (input: InstructionInput): Params => ({
  reason: planReason(input),
  ways: planWords(input).ways ?? '',
  list: taskList(input),
});

const sentBack =
  (counter: 'design_revisions' | 'task_revisions') =>
  ({ state }: InstructionInput): Params => ({ count: state.counters[counter], folder: sessionFolder(state.work_tree, state.session) });

const readers: Record<string, (input: InstructionInput) => Params> = {
  BRANCH_INTERVENTION: (input) => ({ branches: branchLines(input) }),
  DOCUMENT_RESEARCH: ({ root, state, language }) => ({
    prompt: shown(researchPrompts(root, state.flags['doc-research'], language), language),
  }),
  REQUEST_UNDERSTANDING: (input) => understandingParts(input, input.facts),
  INFORMATION_COLLECTION: (input) => ({ items: openItems(input) }),
  QUERY_FRAME: ({ state }) => ({ task: cut(state.task, REASON_CHARS, ' …') }),
  EXPLORATION: ({ state, language }) => ({
    pre_planning: explorationPart({ state, language }),
    failure: state.failure ? fill(template('part.failure', language), { reason: cut(state.failure.reason, REASON_CHARS, ' …') }) : '',
  }),
  Q1: ({ state, language }) => ({ look_ahead: state.flags.gate === 'auto' ? template('part.look_ahead.Q1', language) : '' }),
  Q2: ({ state, language }) => ({ look_ahead: state.flags.gate === 'auto' ? template('part.look_ahead.Q2', language) : '' }),
  READY_PLAN: (input) => ({
    ...planWords(input),
    reason: planReason(input),
    pre_planning: planParts(input),
    guidance: shown([planningPrompt(input.root, input.language)], input.language),
    list: taskList(input),
  }),
  READY_IMPLEMENT: ({ state }) => {
    const task = nextTask(state.tasks);
    return { id: task?.id ?? '', description: cut(task?.description ?? '', REASON_CHARS, ' …') };
  },
  READY_DESIGN: planWays,
  READY_DESIGN_REVIEW: planWays,
  READY_DECOMPOSE: planWays,
  READY_TASKS_REVIEW: planWays,
  READY_DESIGN_ESCALATION: sentBack('design_revisions'),
  READY_TASKS_ESCALATION: sentBack('task_revisions'),
  READY_APPROVAL: (input) => ({
    plan: input.state.pipeline ? 'design.md, tasks.md' : input.stateFile,
    list: taskList(input),
  }),
  READY_REVIEW: ({ state }) => ({ id: nextTask(state.tasks)?.id ?? '' }),
  READY_FINISH: ({ state }) => ({ count: state.tasks.length }),
  POST_IMPL_VERIFY: ({ root, state, facts, language }) => {
    const names = verifierNames((facts.changed ?? []).map((file) => file.path));
    const prompts = names.flatMap((name) => findPrompt(root, 'verifiers', name, language) ?? []);
    const assumptions = verificationPart({ state, language });
    return {
      assumptions,
      tasks: cut(state.tasks.map((task) => task.id).join(', ') || '-', REASON_CHARS, ' …'),
      prompt: shown(prompts, language),
    };
  },
  VERIFY_INTERVENTION: ({ root, state, language }) => {
    const names = interventionNames(root);
    const suggested = names[state.counters.intervention_count % names.length] ?? '';
    const prompt = findPrompt(root, 'interventions', suggested, language);
    return { names: names.join(', '), prompt: prompt ? shown([prompt], language) : '' };
  },
  VERIFY_ESCALATION: ({ state }) => ({ details: cut(state.failure?.reason ?? '', REASON_CHARS, ' …') }),
  PRE_COMMIT: (input) => ({
    count: (input.facts.changed ?? []).length,
    files: fileLines(input),
    merging: input.state.git?.merging ? fill(template('part.merging', input.language), { base: input.state.git.base ?? '' }) : '',
  }),
  QUALITY_REVIEW: ({ state }) => ({ base: state.git?.base ?? '' }),
  MERGE: (input) => {
    const params = { branch: input.state.git?.branch ?? '', base: input.state.git?.base ?? '' };
    return { ...params, conflict: conflictText(input, params) };
  },
};

function completeText({ state, facts, language, notes }: InstructionInput): string {
  const params = { branch: state.git?.branch ?? '', base: state.git?.base ?? '', note: notes.join(' ') };
  const changed = facts.changed ?? [];
  const quick =
    changed.length > 0
      ? fill(template('part.summary.quick', language), { files: cut(changed.map((file) => file.path).join(', '), REASON_CHARS, ' …') })
      : '';
  const ending = state.outcome === 'aborted' ? template('part.summary.aborted', language) : notes.length > 0 ? `${notes.join(' ')} ` : '';
  return fill(template('instruction.SESSION_COMPLETE', language), {
    ...params,
    outcome: state.outcome ?? '',
    kept: path.join(sessionFolder(state.work_tree, state.session), 'summary.md'),
    summary: `${ending}${quick}${summaryPart({ state, language })}`,
  });
}

/** In a pipeline session: who does the phase's work, or that it is done. */
function agentText({ state, facts, language }: InstructionInput): string {
  const due = dueOf(state, facts);
  if (!due) return '';
  const { agent, artifact } = due;
  const batch = batchOf(state, facts).length > 0 ? template('part.agent.batch', language) : '';
  return fill(template(agent ? 'part.agent.due' : 'part.agent.in', language), { agent: agent ?? '', artifact }) + batch;
}

/** The instruction for the state as it is. Never throws for bad user files: they read as absent. */
export function instructionFor(input: InstructionInput): string {
  if (input.state.phase === COMPLETE) return completeText(input);
  const text = fill(template(`instruction.${input.state.node}`, input.language), readers[input.state.node]?.(input) ?? {});
  return [...input.notes, agentText(input) + text].join('\n');
}
