/** Running gh and glab: argument arrays, never a shell; no prompts, no colours, a time limit. */
import { execa } from 'execa';
import { withoutUserInfo } from '../messages/addresses.ts';

const LIMIT_MS = 15_000;

/** How long a program that has ended may be waited for because something it left behind holds its output open. */
const LEFT_BEHIND_MS = 300;
const MAX_BYTES = 4 * 1024 * 1024;

export type Ran = { ok: true; stdout: string } | { ok: false; detail: string; missing: boolean };

/** Why a program failed, in one line, without the user and password of an address. */
const lastLine = (text: string): string => withoutUserInfo(text).trim().split('\n').at(-1)?.trim().slice(0, 200) ?? '';

/** Runs a program. Never throws. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, input = '' }: { cwd: string; input?: string },
): Promise<Ran> {
  const child = execa(program, args, {
    cwd,
    input,
    env: { GH_PROMPT_DISABLED: '1', NO_PROMPT: '1', NO_COLOR: '1', GH_NO_UPDATE_NOTIFIER: '1' },
    reject: false,
    timeout: LIMIT_MS,
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
  const why = ran.timedOut
    ? `no answer in ${LIMIT_MS / 1000} s`
    : lastLine(ran.stderr || ran.stdout || (ran.shortMessage ?? '')) || 'failed';
  return { ok: false, detail: `${program}: ${why}`, missing };
}
