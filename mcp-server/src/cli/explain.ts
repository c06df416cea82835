/** readygate explain: what each layer would say to a call now. Layer 1 is the real hook, started as the host starts it. */
import path from 'node:path';
import { execa } from 'execa';
import { CONFIG_FILE, readConfig } from '../config/config.ts';
import { catalog, fileField } from '../guards/catalog.ts';
import { findEnforced } from '../guards/enforce.ts';
import { judgeToolCall } from '../guards/judge.ts';
import { isForeign } from '../guards/mcp-tools.ts';
import { findSessionRoot, readSession } from '../guards/session-view.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import { FOLDER } from '../state/layout.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { gateWord } from './gate-word.ts';
import { pluginRoot } from './plugin-root.ts';
import { unfit } from './usage.ts';

interface Call {
  tool_name: string;
  tool_input: Readonly<Record<string, unknown>>;
}

/** What one layer says; `guard` and `message` where it refuses, `note` where it passed without judging. */
interface Said {
  layer: string;
  decision: 'pass' | 'deny' | 'unknown';
  guard?: string;
  message?: string;
  note?: string;
}

/** What a tool's input is called in the catalog, if it is one field: a path or a command. */
const fieldOf = (tool: string): string | undefined => fileField(tool) ?? catalog.shell_tools[tool];

/** Every tool that the host or a server offers begins with a capital or with `mcp__`. */
const TOOL = /^([A-Z]\w*|mcp__.+)$/;

/** The call that the words after `explain` name; null when they name none. */
function callOf(args: readonly string[]): Call | null {
  const [first = '', ...rest] = args;
  if (first === '--') return rest.length > 0 ? { tool_name: 'Bash', tool_input: { command: rest.join(' ') } } : null;
  if (!TOOL.test(first)) return null;
  const words = rest[0] === '--' ? rest.slice(1) : rest;
  const text = words.join(' ');
  const input = words.length > 0 && text.startsWith('{') ? objectIn(text) : undefined;
  if (input !== undefined) return { tool_name: first, tool_input: input };
  const field = fieldOf(first);
  if (field !== undefined) return words.length > 0 ? { tool_name: first, tool_input: { [field]: text } } : null;
  return words.length === 0 ? { tool_name: first, tool_input: {} } : null;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Which of hooks.json's entries the host asks for a tool; null for a tool that no guard looks at. */
function hookKind(tool: string): 'file' | 'shell' | 'mcp' | 'own' | null {
  if (fileField(tool) !== undefined) return 'file';
  if (Object.hasOwn(catalog.shell_tools, tool)) return 'shell';
  if (isForeign(tool) || catalog.message_tools.includes(tool)) return 'mcp';
  return tool.startsWith(catalog.mcp.own) ? 'own' : null;
}

async function askBash(call: Call, kind: string, context: CliContext): Promise<Said> {
  const layer = 'bash';
  const payload = { hook_event_name: 'PreToolUse', session_id: context.env.CLAUDE_CODE_SESSION_ID ?? '', cwd: context.cwd, ...call };
  const script = path.join(pluginRoot(), 'hooks', 'pre-tool.sh');
  const ran = await execa('/bin/bash', [script, kind], {
    cwd: context.cwd,
    input: JSON.stringify(payload),
    reject: false,
    timeout: 5000,
    env: { CLAUDE_PROJECT_DIR: context.cwd },
  });
  const said = ran.stderr.trim();
  if (ran.exitCode === 2) return { layer, decision: 'deny', guard: /RG\d\d/.exec(said)?.[0] ?? '', message: said };
  if (ran.exitCode !== 0) return { layer, decision: 'unknown', note: said || (ran.shortMessage ?? '') };
  return { layer, decision: 'pass', ...(said ? { note: said } : {}) };
}

async function askServer(call: Call, context: CliContext): Promise<Said> {
  const session_id = context.env.CLAUDE_CODE_SESSION_ID ?? '';
  const verdict = await judgeToolCall({
    ...call,
    cwd: context.cwd,
    session_id,
    project_dir: context.cwd,
    home: context.env.HOME,
    plugin_root: pluginRoot(),
    config_dir: context.env.CLAUDE_CONFIG_DIR,
    now: context.now().getTime(),
  });
  if (verdict.decision === 'deny') return { layer: 'server', decision: 'deny', guard: verdict.guard, message: verdict.message };
  if (verdict.decision === 'warn') return { layer: 'server', decision: 'pass', guard: verdict.guard, note: verdict.message };
  return { layer: 'server', decision: 'pass', ...(verdict.note ? { note: verdict.note } : {}) };
}

function line({ layer, decision, guard, message, note }: Said, language: Language): string {
  const text = (key: string, params: Record<string, string> = {}) => fill(template(key, language), params);
  const verdict =
    decision === 'deny'
      ? text('cli.explain.denied', { guard: guard ?? '', message: message ?? '' })
      : decision === 'unknown'
        ? text('cli.explain.bash_absent', { detail: note ?? '' })
        : note
          ? text('cli.explain.noted', { note })
          : text('cli.explain.allowed');
  return text('cli.explain.layer', { layer: layer.padEnd(6), verdict });
}

/** What holds where no session is active: guard RG00 may refuse edits all the same. */
function withoutSession({ cwd, language }: CliContext): string {
  const root = findEnforced(cwd);
  if (root === undefined) return template('cli.explain.no_session', language);
  const configured = readConfig(root).config.enforce === 'always';
  const where = configured ? `enforce: always, ${CONFIG_FILE}` : `${FOLDER}/enforce`;
  return fill(template('cli.explain.enforced', language), { root, where });
}

/** A refusal in which both layers agree word for word is told once. */
function told(said: readonly Said[]): Said[] {
  const [first, second] = said;
  const same = first?.decision === 'deny' && first.guard === second?.guard && first.message === second?.message;
  return first && second && same ? [{ ...first, layer: `${first.layer}, ${second.layer}` }] : [...said];
}

function sessionLine(context: CliContext): string {
  const root = findSessionRoot(context.cwd);
  const session = root === undefined ? null : readSession(root);
  if (!session) return withoutSession(context);
  if ('problem' in session) return session.problem;
  const { session: id, phase, step, gate } = session;
  return fill(template('cli.explain.session', context.language), {
    session: id,
    phase,
    step: String(step),
    gate: gateWord(gate, context.language),
  });
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { language } = context;
  const call = callOf(args);
  if (!call) return unfit(explainCommand, template('cli.explain.usage', language), language);
  const kind = hookKind(call.tool_name);
  const unasked = (layer: string): Said => ({
    layer,
    decision: 'pass',
    note: fill(template('cli.explain.unguarded', language), { tool: call.tool_name }),
  });
  const said =
    kind === null || kind === 'own'
      ? [unasked('bash'), unasked('server')]
      : await Promise.all([askBash(call, kind, context), askServer(call, context)]);
  const allowed = said.every(({ decision }) => decision !== 'deny');
  const text = [sessionLine(context), ...told(said).map((one) => line(one, language))].join('\n');
  return { code: EXIT.ok, text, data: { ...call, allowed, layers: said } };
}

export const explainCommand: CliCommand = {
  name: 'explain',
  usage: '-- <command> | <tool> [path | command | JSON]',
  argument: 'file',
  summary: 'cli.explain.summary',
  run,
};
