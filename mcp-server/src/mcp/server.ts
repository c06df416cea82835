/** The MCP server over stdio: protocol in and out, nothing else on stdout. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { template } from '../messages/messages.ts';
import type { AskPerson, Edge } from '../session/edge.ts';
import { callTool, toolDefinitions } from './tools.ts';

/** A person may take a day to answer; the client ends the question, not a clock of ours. */
const ANSWER_MS = 24 * 60 * 60 * 1000;

/** How long calls under way may go on after the host said goodbye, so that a commit is not cut in half. */
const FAREWELL_MS = 10_000;

/** Asks by MCP elicitation; null when the client cannot, or the person did not answer. */
function askBy(server: Server): AskPerson {
  return async (question, choices) => {
    if (!server.getClientCapabilities()?.elicitation) return null;
    try {
      const answer = await server.elicitInput(
        {
          message: question,
          requestedSchema: { type: 'object', properties: { decision: { type: 'string', enum: [...choices] } }, required: ['decision'] },
        },
        { timeout: ANSWER_MS },
      );
      const decision = answer.action === 'accept' ? answer.content?.decision : undefined;
      return typeof decision === 'string' && choices.includes(decision) ? decision : null;
    } catch {
      return null; // a client that lost the question is one that cannot ask
    }
  };
}

function makeServer(underWay: Set<Promise<unknown>>): Server {
  const server = new Server(
    { name: 'readygate', version: manifest.version },
    { capabilities: { tools: {} }, instructions: template('server.instructions', 'en') },
  );
  const edge: Edge = {
    now: () => new Date(),
    projectDir: process.env.CLAUDE_PROJECT_DIR || process.cwd(),
    owner: process.env.CLAUDE_CODE_SESSION_ID || null,
    language: 'en',
    ask: askBy(server),
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...toolDefinitions] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const call = callTool(params.name, params.arguments ?? {}, edge);
    underWay.add(call);
    try {
      const result = await call;
      if (result) return result;
    } finally {
      underWay.delete(call);
    }
    throw Object.assign(new Error(`no tool ${params.name}`), { code: -32602 });
  });
  return server;
}

/** Serves until the client goes: closed stdin, a broken pipe, SIGINT or SIGTERM. Calls under way are finished first. */
export async function serve(): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const server = makeServer(underWay);
  let leaving = false;
  const leave = async () => {
    if (leaving) process.exit(0);
    leaving = true;
    const limit = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref());
    await Promise.race([Promise.allSettled([...underWay]), limit]);
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
  process.stdin.on('end', leave).on('close', leave);
  process.stdout.on('error', leave);
  process.stderr.on('error', () => {});
  await server.connect(new StdioServerTransport());
}
