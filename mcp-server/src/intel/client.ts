/** The server's side of the index's thread: started at the first use, started again should it ever end. */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { IntelAnswer, IntelCall, IntelMessage } from './protocol.ts';

/** The thread ended before it answered. */
class IntelGone extends Error {}

interface Waiting {
  resolve: (answer: IntelAnswer) => void;
  reject: (error: Error) => void;
  tell: (done: number, total: number) => void;
}

const MEMORY_MB = 256;

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let next = 1;

function lost(gone: Worker, why: string): void {
  if (worker !== gone) return;
  worker = null;
  const left = [...waiting.values()];
  waiting.clear();
  for (const { reject } of left) reject(new IntelGone(`the thread of the code index ended: ${why}`));
}

function start(): Worker {
  const made = new Worker(path.join(__dirname, 'intel.cjs'), { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB }, stdout: true });
  made.on('message', (message: IntelMessage) => {
    const call = waiting.get(message.id);
    if ('done' in message) call?.tell(message.done, message.total);
    else {
      waiting.delete(message.id);
      call?.resolve(message);
    }
  });
  made.on('error', (error) => lost(made, error.message));
  made.on('exit', (code) => lost(made, `code ${code}`));
  // An index that is being built must not keep the server from leaving.
  made.unref();
  return made;
}

/**
 * Sends one call to the thread.
 * @param tell is told how far a long call came
 * @throws IntelGone
 */
export function askIntel(call: Omit<IntelCall, 'id'>, tell: Waiting['tell'] = () => {}): Promise<IntelAnswer> {
  worker ??= start();
  const thread = worker;
  const id = next++;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, tell });
    thread.postMessage({ ...call, id } satisfies IntelCall);
  });
}

/** Ends the thread once it has kept what it knows. */
export async function endIntel(): Promise<void> {
  const thread = worker;
  if (!thread) return;
  await askIntel({ root: '', language: 'en', tool: 'close', args: {} });
  await thread.terminate();
}
