/** The MCP tools: what the client sees, and what each call does. Heavy parts load at the first call, not at start. */
import { schemaOf } from '../flow/payload-schemas.ts';
import { template } from '../messages/messages.ts';
import type { Edge } from '../session/edge.ts';

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
  inputSchema: schemaOf(name, 'tools') as ToolDefinition['inputSchema'],
  annotations,
  ...(always ? { _meta: ALWAYS } : {}),
});

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
  define('guard', { title: 'Guard (for hooks)', readOnlyHint: true, openWorldHint: false }, false),
];

const text = (value: string): ToolResult['content'] => [{ type: 'text', text: value }];

/** A flow tool's answer: the same content as text and as structure. */
function flowResult(response: Record<string, unknown>): ToolResult {
  return { content: text(JSON.stringify(response)), structuredContent: response, ...('error' in response ? { isError: true } : {}) };
}

async function callFlow(name: string, args: Record<string, unknown>, edge: Edge): Promise<ToolResult> {
  const [{ readPayload }, { errorResponse, sayProblems }] = await Promise.all([
    import('../flow/payload.ts'),
    import('../session/response.ts'),
  ]);
  const { data, problems } = readPayload(args, name, 'tools');
  if (problems.length > 0) {
    const detail = sayProblems(problems, edge.language).map((problem) => `${problem.pointer || '/'}: ${problem.message}`);
    const message = { key: 'error.bad_arguments', params: { tool: name, detail: detail.join('; ') } };
    return flowResult(errorResponse({ error: 'bad_arguments', message, problems }, null, edge.language));
  }
  switch (name) {
    case 'start_session': {
      const { startSession } = await import('../session/start.ts');
      return flowResult(await startSession(edge, data as unknown as Parameters<typeof startSession>[1]));
    }
    case 'submit_phase': {
      const { submitPhase } = await import('../session/submit.ts');
      return flowResult(await submitPhase(edge, data as unknown as Parameters<typeof submitPhase>[1]));
    }
    default: {
      const { sessionStatus } = await import('../session/status.ts');
      return flowResult(await sessionStatus(edge, data));
    }
  }
}

/** The guard tool answers hooks: whatever goes wrong, the call passes, since hooks fail open. */
async function callGuard(args: Record<string, unknown>, edge: Edge): Promise<ToolResult> {
  try {
    const [{ judgeToolCall }, { toHookJson }] = await Promise.all([import('../guards/judge.ts'), import('../guards/verdict.ts')]);
    const string = (key: string) => (typeof args[key] === 'string' ? args[key] : undefined);
    const verdict = judgeToolCall({
      tool_name: string('tool_name') ?? '',
      tool_input: args.tool_input,
      cwd: string('cwd'),
      session_id: string('session_id'),
      agent_id: string('agent_id'),
      project_dir: edge.projectDir,
      own_session_id: edge.owner ?? undefined,
      now: edge.now().getTime(),
    });
    return { content: text(toHookJson(verdict)) };
  } catch (error) {
    process.stderr.write(`readygate: guard failed open: ${(error as Error).message}\n`);
    return { content: text('{}') };
  }
}

/**
 * Calls a tool by name.
 * @returns its result, or null when there is no such tool; a defect of ours comes back as an error result, never as a crash
 */
export async function callTool(name: string, args: Record<string, unknown>, edge: Edge): Promise<ToolResult | null> {
  if (!toolDefinitions.some((tool) => tool.name === name)) return null;
  if (name === 'guard') return callGuard(args, edge);
  try {
    return await callFlow(name, args, edge);
  } catch (error) {
    process.stderr.write(`readygate: ${(error as Error).stack ?? String(error)}\n`);
    const { fill } = await import('../messages/messages.ts');
    const message = fill(template('error.internal', edge.language), { detail: (error as Error).message });
    return flowResult({ error: 'internal', message, instruction: message, problems: [], current_phase: null });
  }
}
