/** Worker threads that do one kind of work, started when needed and ended when they have been idle for a while. */
import path from 'node:path';
import { Worker } from 'node:worker_threads';

const IDLE_MS = 20_000;

/** A worker ended before it answered: it crashed, or was ended because its time was over. */
export class WorkerGone extends Error {}

interface Waiting {
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
}

/** One thread; requests and replies carry the same `id`. */
class Thread {
  readonly #program: string;
  readonly #memoryMb: number;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;

  constructor(program: string, memoryMb: number) {
    this.#program = program;
    this.#memoryMb = memoryMb;
  }

  get load(): number {
    return this.#waiting.size;
  }

  #start(): Worker {
    const worker = new Worker(path.join(__dirname, this.#program), {
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMb },
      stdout: true,
    });
    worker.on('message', (reply: { id: number }) => {
      this.#waiting.get(reply.id)?.resolve(reply);
      this.#waiting.delete(reply.id);
      this.#rest();
    });
    worker.on('error', (error) => this.#lost(worker, error.message));
    worker.on('exit', (code) => this.#lost(worker, `it ended with ${code}`));
    return worker;
  }

  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new WorkerGone(why));
  }

  #rest(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = this.load > 0 ? null : setTimeout(() => this.end(), IDLE_MS);
    this.#idle?.unref();
  }

  ask(request: { id: number }): Promise<unknown> {
    if (this.#idle) clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      worker.postMessage(request);
    });
  }

  /** Ends the thread, whatever it is doing. */
  end(): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#lost(worker, 'it was ended');
    void worker.terminate();
  }
}

export class Threads {
  readonly #threads: Thread[];
  #next = 1;

  /** @param program a file beside this program */
  constructor(program: string, count: number, memoryMb: number) {
    this.#threads = Array.from({ length: count }, () => new Thread(program, memoryMb));
  }

  get count(): number {
    return this.#threads.length;
  }

  /** Requests that have no reply yet. */
  get load(): number {
    return this.#threads.reduce((sum, { load }) => sum + load, 0);
  }

  /**
   * Sends a request to the thread that has least to do, or to a certain one.
   * @throws WorkerGone
   */
  ask<Reply>(request: Record<string, unknown>, at?: number): Promise<Reply> {
    const thread =
      at === undefined ? this.#threads.reduce((least, each) => (each.load < least.load ? each : least)) : this.#threads[at % this.count];
    return (thread as Thread).ask({ ...request, id: this.#next++ }) as Promise<Reply>;
  }

  end(): void {
    for (const thread of this.#threads) thread.end();
  }
}
