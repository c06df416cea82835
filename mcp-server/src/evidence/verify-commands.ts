/** `verify.commands` of the configuration: the server runs the user's own checks itself, and their result wins (STATE.md, Evidence ledger). */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Payload } from '../flow/types.ts';
import { environment } from '../git/run.ts';
import { sessionFolder } from '../state/layout.ts';
import { StorageFailed } from '../state/session-file.ts';

/** As the configuration has it. */
export type VerifyCommand = string | { command: string; timeout_seconds?: number };

export interface VerifyResult {
  command: string;
  /** null when it was killed, or could not be started. */
  exit: number | null;
  seconds: number;
  timed_out: boolean;
  /** The file that holds its output. */
  log: string;
  /** The output's end. */
  tail: string;
}

const DEFAULT_SECONDS = 600;
/** Between asking a command to stop and making it. */
const GRACE_MS = 2000;
/** Kept of an output: its beginning and its end. */
const HEAD_BYTES = 256 * 1024;
const END_BYTES = 256 * 1024;
const TAIL_CHARS = 1500;

/** An output in bounded memory: its beginning and its end. */
class Output {
  private head = Buffer.alloc(0);
  private end = Buffer.alloc(0);
  private left = 0;

  add(chunk: Buffer): void {
    const room = HEAD_BYTES - this.head.length;
    if (room > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, room)]);
    if (chunk.length <= room) return;
    const whole = Buffer.concat([this.end, chunk.subarray(Math.max(0, room))]);
    const over = Math.max(0, whole.length - END_BYTES);
    this.left += over;
    this.end = Buffer.from(whole.subarray(over));
  }

  text(): string {
    const gap = this.left > 0 ? `\n[… ${this.left} bytes left out …]\n` : '';
    return `${this.head.toString('utf8')}${gap}${this.end.toString('utf8')}`;
  }
}

/** Ends a command with everything it started. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is over already.
  }
}

interface Ended {
  exit: number | null;
  timedOut: boolean;
}

/** Waits for the shell itself, not for what it may have left in the background holding its output. */
function endOf(child: ChildProcess, output: Output, limitMs: number): Promise<Ended> {
  return new Promise((resolve) => {
    let timedOut = false;
    const stop = (): void => killGroup(child, 'SIGKILL');
    const kill = setTimeout(() => {
      timedOut = true;
      killGroup(child, 'SIGTERM');
      setTimeout(stop, GRACE_MS).unref();
    }, limitMs);
    process.once('exit', stop);
    const end = (exit: number | null): void => {
      clearTimeout(kill);
      process.removeListener('exit', stop);
      resolve({ exit: timedOut ? null : exit, timedOut });
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.add(chunk));
    child.once('error', (error) => {
      output.add(Buffer.from(`${error.message}\n`));
      end(null);
    });
    child.once('exit', (code) => {
      stop();
      // What was written before the end has still to be read. A daemon that left the group may hold the streams open.
      const letGo = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, GRACE_MS);
      child.once('close', () => {
        clearTimeout(letGo);
        end(code);
      });
    });
  });
}

/** The next free number: a second verification keeps the logs of the first. */
function nextNumber(folder: string): number {
  const taken = fs.readdirSync(folder).map((name) => Number.parseInt(name, 10) || 0);
  return Math.max(0, ...taken) + 1;
}

async function runOne(given: VerifyCommand, root: string, log: string): Promise<VerifyResult> {
  const { command, timeout_seconds = DEFAULT_SECONDS } = typeof given === 'string' ? { command: given } : given;
  const output = new Output();
  const begun = performance.now();
  const child = spawn('bash', ['-c', command], { cwd: root, env: environment(), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { exit, timedOut } = await endOf(child, output, timeout_seconds * 1000);
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const text = output.text();
  fs.writeFileSync(
    log,
    `$ ${command}\n${text}\n[exit ${exit ?? '-'}${timedOut ? `, stopped after ${timeout_seconds} s` : ''}, ${seconds} s]\n`,
  );
  return { command, exit, seconds, timed_out: timedOut, log, tail: text.trimEnd().slice(-TAIL_CHARS) };
}

/**
 * Runs the configured commands one after another in the work tree, each in `bash -c` with a time limit (600 s unless
 * said). All run, even after one failed, so that one round tells everything.
 * @throws StorageFailed when the session's folder cannot be written
 */
export async function runVerifyCommands(commands: readonly VerifyCommand[], root: string, session: string): Promise<VerifyResult[]> {
  const folder = path.join(sessionFolder(root, session), 'verify');
  const results: VerifyResult[] = [];
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (const command of commands) results.push(await runOne(command, root, path.join(folder, `${nextNumber(folder)}.log`)));
  } catch (error) {
    throw new StorageFailed(folder, error);
  }
  return results;
}

/** One line for each command, and the end of its output where it failed. */
function report(results: readonly VerifyResult[]): string {
  return results
    .map(({ command, exit, seconds, timed_out, log, tail }) => {
      const line = `${command}: ${timed_out ? 'stopped at its time limit' : `exit ${exit ?? '-'}`} (${seconds} s, ${log})`;
      return exit === 0 ? line : `${line}\n${tail}`;
    })
    .join('\n');
}

/**
 * The payload of step 15 as it counts. A command that failed turns `passed` into false: the claim was wrong. The other
 * way round the model's word stands: these commands see only what they look at, and nobody gains by owning up.
 * @param data a valid payload with `passed: true`
 */
export function settleVerification(data: Payload, results: readonly VerifyResult[]): { data: Payload; overruled: boolean } {
  const overruled = results.some(({ exit }) => exit !== 0);
  const details = `${report(results)}\n${String(data.details ?? '')}`.slice(0, 20_000);
  return { data: { ...data, details, ...(overruled ? { passed: false } : {}) }, overruled };
}
