/** Plays the host: starts the built server over stdio and speaks to it through the SDK's own client. */
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, inject, onTestFinished } from 'vitest';

/** The fields that every answer has, and whatever else this one has. */
export interface Answer {
  [key: string]: unknown;
  session_id: string;
  phase: string;
  step: number | null;
  substep: string | null;
  instruction: string;
  expected_payload: Record<string, unknown>;
  call: string | null;
  warnings: string[];
  error?: string;
  message?: string;
  problems?: { pointer: string; message: string }[];
}

/** What the person answers to a question: a choice, `cancel` or `decline`. `cancel` is also what a client in print mode does. */
export type Person = (question: string, choices: string[]) => string | Promise<string>;

export interface HostOptions {
  /** The folder that the host was started in. */
  project: string;
  /** CLAUDE_CODE_SESSION_ID. */
  owner?: string;
  /** Added to the environment; null takes a variable away. */
  env?: Record<string, string | null>;
  /** What the client calls itself; without it Claude Code. */
  client?: string;
  /** Answers elicitations; without it the client cannot ask. */
  person?: Person;
  /** The request holds braces or the answer a document: then these general rules are not asserted. */
  lenient?: boolean;
}

/** The environment that the host gives a server, with nothing of this machine in it. */
export function hostEnvironment({ project, owner, env = {} }: HostOptions): Record<string, string> {
  const all: Record<string, string | null | undefined> = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TMPDIR: process.env.TMPDIR,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.env.GIT_CONFIG_GLOBAL,
    CLAUDE_PROJECT_DIR: project,
    // As the host has it: the second start of a server finds its code compiled.
    CLAUDE_PLUGIN_DATA: join(dirname(inject('serverFile')), '../data'),
    CLAUDE_CODE_SESSION_ID: owner,
    // Reading grammars costs seconds; the tests of the index ask for it.
    READYGATE_INDEX_AFTER_MS: 'never',
    ...env,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

const UNFILLED = /\{[a-z_]+\}/;
const LIMIT = 2048;

/** What FLOW.md says of every answer, whatever it is about. */
function assertSelfContained(answer: Answer): void {
  for (const key of ['session_id', 'phase', 'step', 'substep', 'instruction', 'expected_payload', 'call', 'warnings', 'agent', 'artifact'])
    expect(answer, key).toHaveProperty(key);
  const texts = [answer.instruction, answer.message ?? '', ...answer.warnings, ...(answer.problems ?? []).map(({ message }) => message)];
  for (const text of texts) expect(text).not.toMatch(UNFILLED);
  expect(answer.instruction).not.toBe('');
  if (answer.error === undefined && answer.completed_steps === undefined)
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(LIMIT);
}

/** One running server. It ends with the test that started it. */
export class Host {
  readonly client: Client;
  readonly options: HostOptions;
  readonly transport: StdioClientTransport;
  readonly questions: { question: string; choices: string[]; titles: string[] }[] = [];
  stderr = '';

  private constructor(options: HostOptions) {
    this.options = options;
    this.client = new Client(
      { name: options.client ?? 'claude-code', version: '1.0.0' },
      { capabilities: options.person ? { elicitation: { form: {} } } : {} },
    );
    this.transport = new StdioClientTransport({
      command: process.execPath,
      args: [inject('serverFile')],
      cwd: options.project,
      env: hostEnvironment(options),
      stderr: 'pipe',
    });
    this.transport.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    const { person } = options;
    if (person) this.client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#answer(person, params));
  }

  static async start(options: HostOptions): Promise<Host> {
    const host = new Host(options);
    await host.client.connect(host.transport);
    onTestFinished(() => host.close());
    return host;
  }

  async #answer(person: Person, params: { message: string; requestedSchema?: unknown }): Promise<ElicitResult> {
    const { properties } = params.requestedSchema as { properties: { decision: { enum: string[]; enumNames: string[] } } };
    const { enum: choices, enumNames: titles } = properties.decision;
    this.questions.push({ question: params.message, choices, titles });
    const said = await person(params.message, choices);
    return said === 'cancel' || said === 'decline' ? { action: said } : { action: 'accept', content: { decision: said } };
  }

  get pid(): number {
    return this.transport.pid ?? 0;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Calls a flow tool, and asserts what every answer must fulfil. */
  async call(name: string, args: Record<string, unknown>): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args });
    const answer = result.structuredContent as Answer;
    const [{ text }] = result.content as [{ text: string }];
    expect(JSON.parse(text)).toEqual(answer);
    expect(result.isError ?? false).toBe('error' in answer);
    if (!this.options.lenient) assertSelfContained(answer);
    return answer;
  }

  start(request: string, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('start_session', { request, intent: 'IMPLEMENT', ...more });
  }

  submit(data: unknown, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('submit_phase', { data, ...more });
  }

  status(args: Record<string, unknown> = {}): Promise<Answer> {
    return this.call('get_session_status', args);
  }
}
