/** The index's threads as the server starts them, without a server around them. */
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inject, onTestFinished } from 'vitest';
import type { ParsedFile } from '../../../mcp-server/src/intel/parse/parsed.ts';
import type { IntelAnswer, IntelCall, IntelMessage } from '../../../mcp-server/src/intel/protocol.ts';

const program = (name: string): string => join(dirname(inject('serverFile')), name);

/** Reads files in a parse worker. */
export function parseFiles(root: string, files: string[]): Promise<ParsedFile[]> {
  const worker = new Worker(program('intel-parse.cjs'));
  return new Promise<ParsedFile[]>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (reply: { files: ParsedFile[]; failed: { path: string; message: string }[] }) => {
      if (reply.failed.length > 0) reject(new Error(JSON.stringify(reply.failed)));
      else resolve(reply.files);
    });
    worker.postMessage({ id: 1, root, files });
  }).finally(() => worker.terminate());
}

export class Intel {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: IntelAnswer) => void>();
  #next = 1;
  root: string;

  constructor(root: string, env: Record<string, string> = {}) {
    this.root = root;
    this.#worker = new Worker(program('intel.cjs'), { env: { ...process.env, ...env }, stderr: true, stdout: true });
    this.#worker.on('message', (message: IntelMessage) => {
      if ('text' in message) this.#waiting.get(message.id)?.(message);
    });
  }

  /** Ends with the test that started it. */
  static start(root: string, env?: Record<string, string>): Intel {
    const intel = new Intel(root, env);
    onTestFinished(() => intel.end());
    return intel;
  }

  call(tool: IntelCall['tool'], args: Record<string, unknown> = {}, session: IntelCall['session'] = null): Promise<IntelAnswer> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ id, root: this.root, language: 'en', tool, args, session });
    });
  }

  /** Rows of an answer; fails where the tool says that something is wrong. */
  async rows<T = Record<string, unknown>>(tool: IntelCall['tool'], args: Record<string, unknown> = {}): Promise<T[]> {
    const answer = await this.call(tool, args);
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer.data.results as T[];
  }

  /** Everything read, however long it takes. */
  async settle(): Promise<Record<string, unknown>> {
    return (await this.call('index', { wait: true })).data;
  }

  /** Works on another tree from now on, in the same thread: starting one costs a second. */
  at(root: string): this {
    this.root = root;
    return this;
  }

  /** Keeps what is known and lets go of everything; the next call opens anew. */
  async close(): Promise<void> {
    await this.call('close');
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
