import { onlyReads } from '../flow/artifacts.ts';
import { languageIn } from '../messages/language.ts';
import { catalog, fileField, formatMessage, type Guard, guardsFor, type MessageValues, type Standing } from './catalog.ts';
import { type Effect, type Effects, NO_EFFECTS, type Surveyed } from './effect.ts';
import { findEnforced, isLifted } from './enforce.ts';
import { fileEffects } from './file-tools.ts';
import { isForeign, MCP_FAMILY, MCP_SHELL, mcpCommand, mcpEffects, messageEffects } from './mcp-tools.ts';
import { isOutOfPlan } from './out-of-plan.ts';
import { lookingOnce } from './path.ts';
import type { Surroundings } from './place.ts';
import { findSessionRoot, isDormant, readSession, type SessionView } from './session-view.ts';
import { commandEffects, shellEffects } from './shell-tools.ts';
import { pass, type Verdict } from './verdict.ts';

/** A tool call as the host's hook reports it. */
export interface ToolCall {
  readonly tool_name: string;
  /** An object, or its JSON text: `mcp_tool` hooks send text. */
  readonly tool_input: unknown;
  readonly cwd?: string | undefined;
  readonly session_id?: string | undefined;
  /** Empty outside a subagent. */
  readonly agent_id?: string | undefined;
  /** Such as `readygate:impl-reviewer`; empty outside a subagent. */
  readonly agent_type?: string | undefined;
  /** CLAUDE_PROJECT_DIR: the folder that the host was started in. */
  readonly project_dir?: string | undefined;
  /** CLAUDE_CODE_SESSION_ID of the server, where it differs from the payload's. */
  readonly own_session_id?: string | undefined;
  /** What `~` stands for. */
  readonly home?: string | undefined;
  /** CLAUDE_PLUGIN_ROOT: the folder of this plugin. */
  readonly plugin_root?: string | undefined;
  /** CLAUDE_PLUGIN_DATA: the folder that the host gives this plugin for its data. */
  readonly plugin_data?: string | undefined;
  /** CLAUDE_CONFIG_DIR, where the user moved it. */
  readonly config_dir?: string | undefined;
  /** Epoch milliseconds. */
  readonly now?: number | undefined;
}

interface Question extends Surveyed {
  readonly agentType: string;
  readonly claudeSessions: readonly string[];
  readonly around: Omit<Surroundings, 'root'>;
  readonly now: number;
}

function questionOf(call: ToolCall, input: Readonly<Record<string, unknown>>): Question {
  const { cwd = '', project_dir: projectDir = '', session_id = '', own_session_id = '' } = call;
  const {
    home = process.env.HOME ?? '',
    plugin_root: pluginRoot = process.env.CLAUDE_PLUGIN_ROOT ?? '',
    plugin_data: pluginData = process.env.CLAUDE_PLUGIN_DATA ?? '',
    config_dir: configDir = process.env.CLAUDE_CONFIG_DIR ?? '',
    now = Date.now(),
  } = call;
  const around = { projectDir, home, configDir, pluginRoot: pluginRoot.replace(/\/+$/, ''), pluginData: pluginData.replace(/\/+$/, '') };
  return {
    tool: call.tool_name,
    input,
    agentType: call.agent_type ?? '',
    cwd: cwd || projectDir,
    claudeSessions: [session_id, own_session_id],
    around,
    now,
  };
}

/**
 * Layer 2 of the guards: decides one tool call by every active session it concerns; one refusal is enough.
 * Fails open like layer 1: a state that is not understood gates nothing, and the note says so.
 * @param call what the host is about to do
 */
export function judgeToolCall(call: ToolCall): Verdict {
  const input = readInput(call.tool_input);
  if (input === undefined) return pass('tool_input is not an object; this call is not gated');
  return lookingOnce(() => judgeQuestion(questionOf(call, input), call));
}

function judgeQuestion(question: Question, call: ToolCall): Verdict {
  const starts = [question.around.projectDir, call.cwd ?? ''];
  const roots = found(starts, findSessionRoot);
  if (roots.size === 0) return judgeWithoutSession(question, found(starts, findEnforced));
  let verdict = pass();
  for (const root of roots) {
    const session = readSession(root);
    const own = 'problem' in session ? pass(session.problem) : judgeBySession(question, session);
    if (own.decision === 'deny') return { ...own, root };
    if (own.decision === 'warn' || (own.note !== undefined && verdict.decision === 'pass')) verdict = own;
  }
  return verdict;
}

/** RG00: the project wants a session before any edit. */
function judgeWithoutSession(question: Question, roots: ReadonlySet<string>): Verdict {
  for (const root of roots) {
    if (isLifted(root, question.claudeSessions)) continue;
    const { effects } = fileEffects(question, { ...question.around, root });
    const inside = effects.map((effect): Effect => ({ ...effect, kind: effect.kind === 'guard' ? 'tree' : effect.kind }));
    const denial = decide({ gate: 'none', step: null, branch: false }, question.tool, inside, {}, languageIn(root, process.env));
    if (denial) return denial;
  }
  return pass();
}

function judgeBySession(question: Question, session: SessionView): Verdict {
  const reader = session.pipeline && onlyReads(question.agentType);
  const standing: Standing = { gate: session.gate, step: session.step, branch: session.branch, reader };
  const command = mcpCommand(question, question.around.home);
  const families = command === null ? [familyOf(question.tool)] : [MCP_SHELL, MCP_FAMILY];
  if (families.every((family) => guardsFor(standing, family).length === 0)) return pass();
  if (isDormant(session, question.claudeSessions, question.now)) return pass();
  const around: Surroundings = { ...question.around, root: session.root };
  const { effects, note } = effectsOf(question, around, session);
  const values = { session: session.session, phase: session.phase, step: String(session.step) };
  const run = command === null ? NO_EFFECTS : commandEffects(command, around);
  const denial =
    decide(standing, question.tool, run.effects, values, session.language, session, MCP_SHELL) ??
    decide(standing, question.tool, effects, values, session.language, session);
  return denial ?? pass(note ?? run.note);
}

/** The name that the catalog has for a tool. */
const familyOf = (tool: string): string => (isForeign(tool) ? MCP_FAMILY : tool);

function effectsOf(question: Question, around: Surroundings, session: SessionView): Effects {
  const { tool } = question;
  if (isForeign(tool)) return mcpEffects(question, around, session.mutatingTools);
  if (fileField(tool) === undefined) {
    const message = messageEffects(question);
    return message === NO_EFFECTS ? shellEffects(question, around) : message;
  }
  const found = fileEffects(question, around);
  if (session.gate === 'closed' || !isOutOfPlan(question, session, around)) return found;
  const [first] = found.effects;
  return first ? { effects: [...found.effects, { ...first, kind: 'out-of-plan' }] } : found;
}

/** The first guard in the catalog's order that one of the effects meets. */
function decide(
  standing: Standing,
  tool: string,
  effects: readonly Effect[],
  values: Partial<MessageValues>,
  language: SessionView['language'],
  config?: Pick<SessionView, 'deniesOutOfPlan'>,
  family = familyOf(tool),
): Exclude<Verdict, { decision: 'pass' }> | undefined {
  for (const guard of guardsFor(standing, family)) {
    const met = effects.find(({ kind }) => guard.applies.kinds.includes(kind));
    if (met === undefined) continue;
    const all = { session: '', phase: '', step: '', ...values, tool, by: met.by, path: met.target };
    const decision = decisionOf(guard, config);
    return { decision, guard: guard.id, message: formatMessage(worded(guard, met, decision), language, all) };
  }
  return undefined;
}

/** The guard with the message that fits what it met, and what became of the call. */
function worded(guard: Guard, { kind }: Effect, decision: 'warn' | 'deny'): Guard {
  if (decision === 'warn') return { ...guard, remedy: catalog.warned };
  return kind === 'unread' ? { ...guard, message: catalog.unread } : guard;
}

function decisionOf({ verdict }: Guard, config?: Pick<SessionView, 'deniesOutOfPlan'>): 'warn' | 'deny' {
  return verdict === 'warn' && config?.deniesOutOfPlan !== true ? 'warn' : 'deny';
}

function found(dirs: readonly string[], find: (dir: string) => string | undefined): Set<string> {
  return new Set(dirs.map(find).filter((root) => root !== undefined));
}

function readInput(value: unknown): Readonly<Record<string, unknown>> | undefined {
  let input = value;
  if (typeof value === 'string') {
    try {
      input = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : undefined;
}
