/** plugin/intel-parse.cjs: a worker thread that reads files. It is given lists of paths and gives back what they hold. */
import { parentPort } from 'node:worker_threads';
import { parseFile } from './parse-file.ts';
import type { ParsedFile } from './parsed.ts';

export interface ParseRequest {
  id: number;
  root: string;
  files: string[];
}

export interface ParseReply {
  id: number;
  files: ParsedFile[];
  /** A defect of ours; the other files of the request are there all the same. */
  failed: { path: string; message: string }[];
}

async function answer({ id, root, files }: ParseRequest): Promise<ParseReply> {
  const reply: ParseReply = { id, files: [], failed: [] };
  for (const path of files) {
    try {
      reply.files.push(await parseFile(root, path));
    } catch (error) {
      reply.failed.push({ path, message: (error as Error).message });
    }
  }
  return reply;
}

let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: ParseRequest) => {
  last = last.then(async () => parentPort?.postMessage(await answer(request)));
});
