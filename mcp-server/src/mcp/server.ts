/** The MCP server over stdio: protocol in and out, nothing else on stdout. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { languageIn } from '../messages/language.ts';
import { template } from '../messages/messages.ts';
import type { AskPerson, Edge } from '../session/edge.ts';
import { syncEnforceMarker } from '../session/enforce-marker.ts';
import { rootOf } from '../session/root-of.ts';
import { callTool, toolDefinitions } from './tools.ts';

/** How long a person may take. A client that shows a question to nobody must not hold up a session for ever. */
const ANSWER_MS = 30 * 60 * 1000;

/** The deadline, which the host's environment may set in milliseconds. */
const answerMs = (): number => Number(process.env.READYGATE_ANSWER_MS) || ANSWER_MS;

/** Whether the person was asked and did not answer in time. */
const isLate = (error: unknown): boolean => error instanceof McpError && error.code === ErrorCode.RequestTimeout;

/** How long calls under way may go on after the host said goodbye, so that a commit is not cut in half. */
const FAREWELL_MS = 10_000;

/** Asks by MCP elicitation. A question that the client took back, or left behind when it went, ends the whole call. */
function askBy(server: Server, over: AbortSignal): AskPerson {
  return async (question, choices, titles) => {
    const decision = { type: 'string' as const, enum: [...choices], enumNames: [...titles] };
    if (!server.getClientCapabilities()?.elicitation) return 'unavailable';
    try {
      const answer = await server.elicitInput(
        {
          message: question,
          requestedSchema: { type: 'object', properties: { decision }, required: ['decision'] },
        },
        { timeout: answerMs(), signal: over },
      );
      if (answer.action === 'decline') return 'declined';
      const choice = answer.action === 'accept' ? answer.content?.decision : undefined;
      return typeof choice === 'string' && choices.includes(choice) ? { choice } : 'unavailable';
    } catch (error) {
      if (over.aborted) throw error;
      // There is somebody to ask, so the model may not decide instead.
      if (isLate(error)) return 'declined';
      return 'unavailable'; // a client that failed to ask is one that cannot
    }
  };
}

interface Served {
  server: Server;
  /** Calls that have no answer yet. */
  underWay: Set<Promise<unknown>>;
}

function makeServer(gone: AbortSignal): Served {
  const underWay = new Set<Promise<unknown>>();
  const server = new Server(
    { name: 'readygate', version: manifest.version },
    { capabilities: { tools: {} }, instructions: template('server.instructions', 'en') },
  );
  const projectDir = process.env.CLAUDE_PROJECT_DIR || process.cwd();
  const edgeOf = (ask: AskPerson, tell: NonNullable<Edge['tell']>): Edge => ({
    now: () => new Date(),
    projectDir,
    owner: process.env.CLAUDE_CODE_SESSION_ID || null,
    // Looked up when asked for: the configuration may change, and most calls of hooks say nothing.
    get language() {
      return languageIn(projectDir, process.env);
    },
    ask,
    tell,
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...toolDefinitions] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const ask = askBy(server, AbortSignal.any([gone, signal]));
    const token = params._meta?.progressToken;
    const tell = (progress: number, total: number): void => {
      if (token === undefined || signal.aborted) return;
      // A client that has gone hears nothing; the call goes on all the same.
      sendNotification({ method: 'notifications/progress', params: { progressToken: token, progress, total } }).catch(() => {});
    };
    const call = callTool(params.name, params.arguments ?? {}, edgeOf(ask, tell), server.getClientVersion()?.name, params._meta);
    underWay.add(call);
    try {
      const result = await call;
      if (result) return result;
    } finally {
      underWay.delete(call);
    }
    throw Object.assign(new Error(`no tool ${params.name}`), { code: -32602 });
  });
  return { server, underWay };
}

/** Waits until every call under way is answered and the answers are out, as far as anybody still reads them. */
async function finish(underWay: Set<Promise<unknown>>): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled([...underWay]);
  await new Promise((resolve) => setImmediate(resolve)); // the last answer is handed to stdout after its call has settled
  await new Promise((resolve) => process.stdout.write('', resolve));
}

/**
 * Serves until the client goes: closed stdin, a broken pipe, SIGINT or SIGTERM. Calls under way are finished first, for
 * a while; a second signal ends the process at once.
 */
export async function serve(): Promise<void> {
  const gone = new AbortController();
  const { server, underWay } = makeServer(gone.signal);
  const leave = async () => {
    if (gone.signal.aborted) return;
    gone.abort();
    const limit = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    await Promise.race([finish(underWay), limit]);
    process.exit(0);
  };
  let signals = 0;
  const interrupted = () => (++signals > 1 ? process.exit(0) : void leave());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupted);
  process.stdin.on('end', leave).on('close', leave);
  process.stdout.on('error', leave);
  process.stderr.on('error', () => {});
  // The configuration may have changed since the last start. After the handshake, so that nothing waits for it.
  server.oninitialized = () => setImmediate(() => void syncEnforceMarker(rootOf(process.env.CLAUDE_PROJECT_DIR || process.cwd())));
  await server.connect(new StdioServerTransport());
}
