/** A server spoken to byte by byte, for what a well-behaved client never does. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { inject, onTestFinished } from 'vitest';
import { type HostOptions, hostEnvironment } from './host.ts';

export interface Message {
  jsonrpc: string;
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: Record<string, unknown> & { structuredContent?: Record<string, unknown> };
  error?: { code: number; message: string };
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export class RawServer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process is gone and its output read. */
  readonly exit: Promise<Exit>;
  stdout = '';
  stderr = '';
  #waiting: (() => void)[] = [];
  #next = 1;

  /** `through` runs the server under another program. */
  constructor(options: HostOptions, { file = inject('serverFile'), through = [] as string[] } = {}) {
    const [program = '', ...args] = [...through, process.execPath, file];
    this.child = spawn(program, args, { cwd: options.project, env: hostEnvironment(options), stdio: 'pipe' });
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.stdout += chunk;
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.child.stdin.on('error', () => {});
    this.exit = new Promise((resolve) =>
      this.child.on('close', (code, signal) => {
        resolve({ code, signal });
        for (const wake of this.#waiting.splice(0)) wake();
      }),
    );
    onTestFinished(() => {
      this.child.kill('SIGKILL');
    });
  }

  get gone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  write(text: string): void {
    this.child.stdin.write(text);
  }

  send(message: Record<string, unknown>): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request without waiting. @returns its id */
  request(method: string, params: unknown = {}): number {
    const id = this.#next++;
    this.send({ id, method, params });
    return id;
  }

  call(name: string, args: unknown): number {
    return this.request('tools/call', { name, arguments: args });
  }

  /** Every whole line of stdout, parsed; a line that is no JSON throws. */
  messages(): Message[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  }

  async answer(id: number): Promise<Message> {
    for (;;) {
      const found = this.messages().find((message) => message.id === id && message.method === undefined);
      if (found) return found;
      if (this.gone) throw new Error(`the server ended without an answer to ${id}: ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async ask(method: string, params: unknown = {}): Promise<Message> {
    return this.answer(this.request(method, params));
  }

  async initialize(): Promise<Message> {
    const answer = await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }
}
