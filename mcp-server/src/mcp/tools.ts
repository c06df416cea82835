/** The MCP tools: what the client sees, and what each call does. Heavy parts load at the first call, not at start. */
import { schemaOf, selfContained } from '../flow/payload-schemas.ts';
import type { ToolCall } from '../guards/judge.ts';
import { INTEL_TOOLS, isIntelTool } from '../intel/protocol.ts';
import { template } from '../messages/messages.ts';
import type { Edge } from '../session/edge.ts';
import { markHook } from '../session/hooks-seen.ts';
import type { Response } from '../session/response.ts';

export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface ToolDefinition {
  [key: string]: unknown;
  name: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: Record<string, boolean | string>;
  _meta?: Record<string, unknown>;
}

/** The host defers tools behind a search unless told otherwise; the flow must always be at hand. */
const ALWAYS = { 'anthropic/alwaysLoad': true };

const define = (name: string, annotations: ToolDefinition['annotations'], always: boolean): ToolDefinition => ({
  name,
  description: template(`tool.${name}`, 'en'),
  inputSchema: selfContained(schemaOf(name, 'tools')) as ToolDefinition['inputSchema'],
  annotations,
  ...(always ? { _meta: ALWAYS } : {}),
});

/** `search_text` as Search text. */
const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** Definitions for tools/list. */
export const toolDefinitions: readonly ToolDefinition[] = [
  define(
    'start_session',
    { title: 'Start a Readygate session', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    true,
  ),
  define(
    'submit_phase',
    { title: 'Submit a phase', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    true,
  ),
  define('get_session_status', { title: 'Session status', readOnlyHint: true, openWorldHint: false }, true),
  define(
    'save_artifact',
    { title: 'Hand in an artifact', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    true,
  ),
  ...INTEL_TOOLS.map((name) => define(name, { title: titleOf(name), readOnlyHint: true, openWorldHint: false }, false)),
  define('guard', { title: 'Guard (for hooks)', readOnlyHint: true, openWorldHint: false }, false),
];

type Meta = Record<string, unknown> | undefined;

const text = (value: string): ToolResult['content'] => [{ type: 'text', text: value }];

/** A flow tool's answer: the same content as text and as structure. */
function flowResult(response: Record<string, unknown>): ToolResult {
  return { content: text(JSON.stringify(response)), structuredContent: response, ...('error' in response ? { isError: true } : {}) };
}

async function callFlow(name: string, args: Record<string, unknown>, edge: Edge, meta: Meta): Promise<ToolResult> {
  const [{ readPayload }, { addWarnings, errorResponse, sayProblems }] = await Promise.all([
    import('../flow/payload.ts'),
    import('../session/response.ts'),
  ]);
  const { data, problems, warnings } = readPayload(args, name, 'tools');
  if (problems.length > 0) {
    const detail = sayProblems(problems, edge.language).map((problem) => `${problem.pointer || '/'}: ${problem.message}`);
    const message = { key: 'error.bad_arguments', params: { tool: name, detail: detail.join('; ') } };
    return flowResult(errorResponse({ error: 'bad_arguments', message, problems }, null, edge.language));
  }
  if (isIntelTool(name)) {
    const { callIntel } = await import('./intel-tools.ts');
    return callIntel(name, data, edge, String(meta?.[MODEL_MARK] ?? ''));
  }
  if (name === 'save_artifact') {
    const [{ saveArtifact }, { callerOf }] = await Promise.all([import('../session/save-artifact.ts'), import('../session/callers.ts')]);
    return flowResult(await saveArtifact(edge, data as unknown as Parameters<typeof saveArtifact>[1], callerOf(meta?.[MODEL_MARK])));
  }
  const answer = await answerFlow(name, data, edge);
  const { sendEnded } = await import('../telemetry/ended.ts');
  return flowResult(addWarnings(answer, [...warnings, ...(await sendEnded())], edge.language));
}

/** `data` has been validated against the tool's schema. */
async function answerFlow(name: string, data: Record<string, unknown>, edge: Edge): Promise<Response> {
  switch (name) {
    case 'start_session': {
      const { startSession } = await import('../session/start.ts');
      const response = await startSession(edge, data as unknown as Parameters<typeof startSession>[1]);
      if (response.session_id !== null && !('error' in response)) indexSoon(edge, response.session_id);
      return response;
    }
    case 'submit_phase': {
      const { submitPhase } = await import('../session/submit.ts');
      return submitPhase(edge, data as unknown as Parameters<typeof submitPhase>[1]);
    }
    default: {
      const { sessionStatus } = await import('../session/status.ts');
      return sessionStatus(edge, data);
    }
  }
}

/** After the first answers, so that the index does not compete with them; a tool that needs it before then starts it. */
const INDEX_AFTER_MS = 4000;

/** Milliseconds; `never` in the environment leaves indexing to the first tool that needs it. */
const indexAfter = (): number | null => {
  const { READYGATE_INDEX_AFTER_MS: wanted } = process.env;
  return wanted === 'never' ? null : Number(wanted) || INDEX_AFTER_MS;
};

/** Indexing begins in the background with a session. */
function indexSoon(edge: Edge, session: string): void {
  const after = indexAfter();
  if (after === null) return;
  setTimeout(async () => {
    const { beginIndexing } = await import('./intel-tools.ts');
    await beginIndexing(edge, session);
  }, after).unref();
}

/** The guard tool answers hooks: whatever goes wrong, the call passes, since hooks fail open. */
async function callGuard(args: Record<string, unknown>, edge: Edge, fromHook: boolean): Promise<ToolResult> {
  try {
    const [{ judgeToolCall }, { toHookJson }] = await Promise.all([import('../guards/judge.ts'), import('../guards/verdict.ts')]);
    const string = (key: string) => (typeof args[key] === 'string' ? args[key] : undefined);
    const call: ToolCall = {
      tool_name: string('tool_name') ?? '',
      tool_input: args.tool_input,
      cwd: string('cwd'),
      session_id: string('session_id'),
      agent_id: string('agent_id'),
      agent_type: told(args.agent_type),
      project_dir: edge.projectDir,
      own_session_id: edge.owner ?? undefined,
      now: edge.now().getTime(),
    };
    const verdict = judgeToolCall(call);
    if (fromHook && verdict.decision === 'deny') {
      const { noteRefusal } = await import('../session/note-refusal.ts');
      void noteRefusal(edge, call, verdict); // the answer does not wait for the journal
    }
    return { content: text(toHookJson(verdict)) };
  } catch (error) {
    process.stderr.write(`readygate: guard failed open: ${(error as Error).message}\n`);
    return { content: text('{}') };
  }
}

/** A field of the hook's payload; outside a subagent there is no agent, and the placeholder may stay as it is. */
const told = (value: unknown): string => (typeof value === 'string' && !value.startsWith('${') ? value : '');

/** Tools that only the host's hooks call: not listed, so that the model cannot see them. */
const HOOK_TOOLS: Record<string, (args: Record<string, unknown>, edge: Edge) => Promise<string>> = {
  on_prompt: async (args, edge) => {
    const [{ onPrompt }, { sendEnded }] = await Promise.all([import('../session/user-words.ts'), import('../telemetry/ended.ts')]);
    const answer = await onPrompt(edge, { prompt: String(args.prompt ?? ''), session_id: String(args.session_id ?? '') });
    void sendEnded(); // a prompt does not wait for a collector
    return answer;
  },
  on_tool: async (args, edge) => {
    const { onTool } = await import('../evidence/on-tool.ts');
    onTool(edge, args);
    return '{}';
  },
  on_save: async (args) => {
    const { announceCaller } = await import('../session/callers.ts');
    announceCaller(told(args.tool_use_id), { type: told(args.agent_type), id: told(args.agent_id) });
    return '{}';
  },
  on_subagent_start: async (args) => {
    const { agentBegan } = await import('../session/agents-at-work.ts');
    agentBegan(told(args.agent_id), told(args.agent_type));
    return '{}';
  },
  on_subagent_stop: async (args, edge) => {
    const { onSubagentStop } = await import('../session/on-subagent-stop.ts');
    return onSubagentStop(edge, {
      agent_type: told(args.agent_type),
      agent_id: told(args.agent_id),
      stop_hook_active: String(args.stop_hook_active) === 'true',
    });
  },
  on_stop: async (args, edge) => {
    const { onStop } = await import('../session/on-stop.ts');
    return onStop(edge, { session_id: String(args.session_id ?? ''), stop_hook_active: String(args.stop_hook_active) === 'true' });
  },
};

/** The host marks every call that the model made; a call of a hook has no such mark (seen in the real client). */
const MODEL_MARK = 'claudecode/toolUseId';

/** What the host calls itself at the handshake (seen in the real client). Others mark nothing, so nothing there tells hook and model apart. */
const HOST = 'claude-code';

/** Whether this is a call that only a hook may make, but the model made, or a client that has no hooks. */
function forgedHookCall(name: string, meta: Meta, client: string | undefined): boolean {
  return Object.hasOwn(HOOK_TOOLS, name) && (client !== HOST || (meta !== undefined && MODEL_MARK in meta));
}

async function callHook(name: string, args: Record<string, unknown>, edge: Edge): Promise<ToolResult> {
  const { startedByTool } = await import('../session/ancestry.ts');
  if (startedByTool()) {
    process.stderr.write(`readygate: ${name} was not believed: this server was started from a shell or by a tool, not by the host\n`);
    return { content: text('{}') };
  }
  markHook(edge.now());
  try {
    return { content: text((await HOOK_TOOLS[name]?.(args, edge)) ?? '{}') };
  } catch (error) {
    process.stderr.write(`readygate: ${name} failed open: ${(error as Error).message}\n`);
    return { content: text('{}') };
  }
}

/**
 * Calls a tool by name.
 * @param client what the client called itself
 * @returns its result, or null when there is no such tool; a defect of ours comes back as an error result, never as a crash
 */
export async function callTool(
  name: string,
  args: Record<string, unknown>,
  edge: Edge,
  client: string | undefined,
  meta?: Record<string, unknown>,
): Promise<ToolResult | null> {
  if (forgedHookCall(name, meta, client)) return null;
  if (Object.hasOwn(HOOK_TOOLS, name)) return callHook(name, args, edge);
  if (!toolDefinitions.some((tool) => tool.name === name)) return null;
  if (name === 'guard') {
    const fromHook = client === HOST && !(meta && MODEL_MARK in meta);
    if (fromHook) markHook(edge.now());
    return callGuard(args, edge, fromHook);
  }
  try {
    return await callFlow(name, args, edge, meta);
  } catch (error) {
    process.stderr.write(`readygate: ${(error as Error).stack ?? String(error)}\n`);
    const { errorResponse } = await import('../session/response.ts');
    const message = { key: 'error.internal', params: { detail: (error as Error).message.slice(0, 500) } };
    return flowResult(errorResponse({ error: 'internal', message, problems: [] }, null, edge.language));
  }
}
