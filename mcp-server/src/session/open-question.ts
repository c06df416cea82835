/**
 * A question to the person that a running server has open, for whoever looks from another process: a file beside the session,
 * as long as the question is there. What the state itself tells (an approval, an escalation) needs none.
 */
import fs from 'node:fs';
import path from 'node:path';
import { sessionFolder } from '../state/layout.ts';
import { readPlain } from '../state/plain-file.ts';

export const QUESTION = 'question.json';

const fileOf = (root: string, session: string): string => path.join(sessionFolder(root, session), QUESTION);

function orNothing(work: () => void): void {
  try {
    work();
  } catch {
    // That a question is open is worth knowing, and no reason for it to fail.
  }
}

/** Asks, and lets it be known meanwhile. @throws what `ask` throws */
export async function openly<Result>(root: string, session: string, ask: () => Promise<Result>): Promise<Result> {
  const file = fileOf(root, session);
  orNothing(() => fs.writeFileSync(file, JSON.stringify({ pid: process.pid })));
  try {
    return await ask();
  } finally {
    orNothing(() => fs.rmSync(file, { force: true }));
  }
}

/** Whether a question is open now; one that a server left behind when it ended is not. */
export function isAsked(root: string, session: string): boolean {
  try {
    const { pid } = JSON.parse(readPlain(fileOf(root, session), 200)?.bytes.toString('utf8') ?? '{}') as { pid?: unknown };
    return typeof pid === 'number' && process.kill(pid, 0);
  } catch {
    return false;
  }
}
