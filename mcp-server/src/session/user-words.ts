/** The user's own words to the gate: /readygate:override, decide, abort, seen by the UserPromptSubmit hook (GUARDS.md, Nobody gets stuck). */
import { override } from '../flow/engine.ts';
import { isSpoken } from '../flow/spoken-flags.ts';
import { nodeOf } from '../flow/table.ts';
import type { MessageRef } from '../flow/types.ts';
import { findEnforced, liftEnforcement } from '../guards/enforce.ts';
import { type Language, say } from '../messages/messages.ts';
import type { Fence } from '../state/fence.ts';
import { sha256 } from '../state/journal.ts';
import { stateFile } from '../state/layout.ts';
import { readState, type SessionFile } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { settle } from './carry-out.ts';
import { writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { endUnwritten } from './end-unwritten.ts';
import { failureOf } from './failure.ts';
import { noteCommand } from './heard-baseline.ts';
import { locate } from './locate.ts';
import { recoverState } from './recovery.ts';
import { isErrorResponse, type Response, refusalText } from './response.ts';
import { rootOf } from './root-of.ts';
import { noteShown, planNow, taskLines, wasShown } from './shown-plan.ts';
import { type Command, commandOf, hear } from './spoken.ts';
import { NOTE_CHARS, submitAsPerson } from './submit.ts';
import { endSession } from './user-decision.ts';

export interface Heard {
  prompt: string;
  /** The Claude session the prompt was typed in. */
  session_id: string;
}

const ref = (key: string, params: MessageRef['params'] = {}): MessageRef => ({ key, params });

interface Words {
  edge: Edge;
  state: SessionFile;
  command: Command;
  prompt: string;
}

/** Carries out a command that changes the state. */
type Act = (words: Words, fence: Fence) => Promise<MessageRef>;

async function openGate({ edge, state, command, prompt }: Words, fence: Fence): Promise<MessageRef> {
  if (command.args === '') return ref('user.override_reason');
  if (state.gate === 'open') return ref('user.override_open', { phase: state.phase, step: state.step });
  const event = {
    event: 'override',
    phase: state.phase,
    step: state.step,
    reason: command.args.slice(0, NOTE_CHARS),
    prompt: sha256(prompt),
  };
  await writeDown({
    edge,
    fence,
    state: override(state, command.args.slice(0, 2000)),
    before: state,
    warnings: [],
    notes: [],
    journal: [event],
  });
  return ref('user.override', { phase: state.phase, step: state.step, reason: command.args.slice(0, 300) });
}

const wordsToGate: Record<string, Act> = {
  override: openGate,
  abort: ({ edge, state, prompt }, fence) => endSession(edge, fence, state, { prompt: sha256(prompt) }),
};

async function decideFor({ edge, state, command }: Words): Promise<MessageRef> {
  const [decision = ''] = command.args.split(/\s+/);
  if (!['retry', 'accept', 'abort'].includes(decision)) return ref('user.decide_what');
  if (nodeOf(state.node).escalation !== true) return ref('user.decide_not_now', { phase: state.phase, step: state.step });
  const note = command.args.slice(decision.length).trim();
  const response: Response = await submitAsPerson(edge, state, { user_decision: decision, ...(note ? { note } : {}) });
  if (isErrorResponse(response)) return ref('part.plain', { text: refusalText(response) });
  return ref('user.decided', { decision, phase: String(response.phase) });
}

/** What was typed is for the plan that was shown: one that took its place is shown first. */
async function approveFor({ edge, state, command }: Words): Promise<MessageRef> {
  if (nodeOf(state.node).asks !== 'approval') return ref('user.approve_not_now', { phase: state.phase, step: state.step });
  const plan = await planNow(state);
  if (!wasShown(state, plan)) {
    noteShown(state.session, plan);
    const where = state.pipeline ? 'design.md, tasks.md' : stateFile(state.work_tree);
    return ref('user.approve_changed', { tasks: taskLines(state), where });
  }
  const note = command.args.slice(0, 2000);
  const response: Response = await submitAsPerson(edge, state, { user_approval: 'approve', plan, ...(note ? { note } : {}) });
  if (isErrorResponse(response)) return ref('part.plain', { text: refusalText(response) });
  const tasks = state.tasks.map(({ id }) => id).join(', ');
  return note ? ref('user.approved_note', { tasks, note }) : ref('user.approved', { tasks });
}

async function act(words: Words): Promise<MessageRef> {
  const { edge, command, state } = words;
  if (command.name === 'decide') return decideFor(words);
  if (command.name === 'approve') return approveFor(words);
  const act = wordsToGate[command.name];
  if (!act) return ref('part.plain', { text: '' });
  const done = withState(state.work_tree, async (fence) => {
    const now = readState(state.work_tree);
    return now.kind === 'present' && now.state.session === state.session
      ? settle(edge, now.state).then(() => act({ ...words, edge, state: now.state }, fence))
      : ref('user.no_session', { command: command.name });
  });
  return command.name === 'abort' ? done.catch((error: unknown) => endUnwritten(error, state)) : done;
}

/** Only the Claude session that works on a session may speak for its user: another client can be started by the model. */
function isOwner(state: SessionFile, edge: Edge, claudeSession: string): boolean {
  return state.owner === null || state.owner === claudeSession || state.owner === edge.owner;
}

const GATE_COMMANDS = new Set(['override', 'abort', 'decide', 'approve']);

/** Commands that begin a session. */
const BEGINNINGS = new Set(['code', 'pipeline', 'investigate']);

/** The flags before the task. */
const flagsOf = ({ args }: Command): string => /^(?:-\S+\s*)*/.exec(args)?.[0] ?? '';

/**
 * What the user should know of a session that is active when they type to begin another. Nothing is done here: the agent
 * carries the command out, and it must not fail for the sake of a word about it.
 */
async function answerBeginning(edge: Edge, command: Command, claudeSession: string): Promise<string> {
  const flags = flagsOf(command);
  const task = command.args.slice(flags.length);
  const cleans = isSpoken('clean', flags);
  // Without a task, or with a session's id, the command goes on with what is there.
  if (!cleans && (task === '' || isSpoken('rebuild', flags))) return '{}';
  const located = await locate(rootOf(edge.projectDir), null, edge.owner).catch(() => null);
  if (located?.kind !== 'active' || task === located.state.session) return '{}';
  const { session, phase, step, task: present, language } = located.state;
  const params = { session, phase, step, task: (present || '-').slice(0, 200) };
  // The words to the gate are for the owner's window alone: none is named that would be refused here.
  const ours = isOwner(located.state, edge, claudeSession);
  const begins = ours ? 'user.clean_begins' : 'user.clean_begins_elsewhere';
  const active = ours ? 'user.session_active' : 'user.session_active_elsewhere';
  return hookAnswer(ref(cleans ? begins : active, params), language);
}

/** What the hook answers: told to the model as context, and to the user as a message. */
function hookAnswer(message: MessageRef, language: Language): string {
  const text = say(message, language);
  return JSON.stringify({ systemMessage: text, hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: text } });
}

/**
 * The UserPromptSubmit hook's call. Carries out what the user typed to the gate.
 * @returns hook JSON; `{}` for every prompt that is not one of these commands
 */
export async function onPrompt(edge: Edge, { prompt, session_id }: Heard): Promise<string> {
  hear(prompt);
  const command = commandOf(prompt);
  if (command && BEGINNINGS.has(command.name)) {
    await noteCommand(edge.projectDir, edge.now());
    return answerBeginning(edge, command, session_id);
  }
  if (!command || !GATE_COMMANDS.has(command.name)) return '{}';
  try {
    const root = rootOf(edge.projectDir);
    let located = await locate(root, null, edge.owner);
    if (located.kind === 'error' && located.damaged) {
      await recoverState(edge, located.damaged);
      located = await locate(root, null, edge.owner);
    }
    const enforced = findEnforced(edge.projectDir);
    if (located.kind !== 'active' && command.name === 'override' && enforced !== undefined) {
      if (command.args === '') return hookAnswer(ref('user.override_reason'), edge.language);
      liftEnforcement(enforced, session_id);
      return hookAnswer(ref('user.enforce_lifted', { root: enforced }), edge.language);
    }
    if (located.kind !== 'active') return hookAnswer(ref('user.no_session', { command: command.name }), edge.language);
    const { state } = located;
    if (!isOwner(state, edge, session_id))
      return hookAnswer(ref('user.not_owner', { session: state.session, command: command.name }), state.language);
    return hookAnswer(await act({ edge, state, command, prompt }), state.language);
  } catch (error) {
    return hookAnswer(failureOf(error).message, edge.language);
  }
}
