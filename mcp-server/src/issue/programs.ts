/** Running gh and glab: argument arrays, never a shell; no prompts, no colours, a time limit. */
import { execa } from 'execa';
import { withoutUserInfo } from '../messages/addresses.ts';

const LIMIT_MS = 15_000;

/** How long a program that has ended may be waited for because something it left behind holds its output open. */
const LEFT_BEHIND_MS = 300;

/** What a program that was told to end has to do so. */
const KILL_AFTER_MS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

export type Ran = { ok: true; stdout: string } | { ok: false; detail: string; missing: boolean };

/** Why a program failed, in one line, without the user and password of an address. */
const lastLine = (text: string): string => withoutUserInfo(text).trim().split('\n').at(-1)?.trim().slice(0, 200) ?? '';

/** A limit that several calls share. */
export interface Deadline {
  signal: AbortSignal;
  ms: number;
}

export const noAnswer = (ms: number): string => `no answer in ${ms / 1000} s`;

/** Runs a program, for 15 s at most, or until the deadline that it shares with others. Never throws. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, input = '', deadline }: { cwd: string; input?: string; deadline?: Deadline },
): Promise<Ran> {
  const child = execa(program, args, {
    cwd,
    input,
    env: { GH_PROMPT_DISABLED: '1', NO_PROMPT: '1', NO_COLOR: '1', GH_NO_UPDATE_NOTIFIER: '1' },
    reject: false,
    timeout: LIMIT_MS,
    forceKillAfterDelay: KILL_AFTER_MS,
    ...(deadline ? { cancelSignal: deadline.signal } : {}),
    maxBuffer: MAX_BYTES,
    stripFinalNewline: true,
  });
  // The limit ends the program, not what it started: without this a submission would wait for that, too.
  child.once('exit', () => {
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, LEFT_BEHIND_MS).unref();
  });
  const ran = await child;
  if (ran.exitCode === 0 && !ran.failed) return { ok: true, stdout: ran.stdout };
  const missing = ran.code === 'ENOENT';
  if (missing) return { ok: false, detail: `${program}: not found`, missing };
  if (deadline && ran.isCanceled) return { ok: false, detail: `${program}: ${noAnswer(deadline.ms)}`, missing };
  const why = ran.timedOut ? noAnswer(LIMIT_MS) : lastLine(ran.stderr || ran.stdout || (ran.shortMessage ?? '')) || 'failed';
  return { ok: false, detail: `${program}: ${why}`, missing };
}
