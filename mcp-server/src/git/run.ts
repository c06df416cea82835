import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';
import { type FailureReason, GitFailed, tailOf } from './failure.ts';

export { GitFailed } from './failure.ts';

export interface GitResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface GitOptions {
  /** Written to the command's standard input; without it standard input is empty. */
  input?: string | Uint8Array;
  /** Added to the environment, after ours. */
  env?: Record<string, string>;
  /** Exit codes that are an answer, not a failure. Default: 0 alone. */
  okCodes?: number[];
  /** The command runs hooks of the user's: find out which one refused. */
  hooks?: boolean;
}

const MINUTE = 60_000;
/** A user's commit hook may run a whole test suite. */
const TIMEOUT = 10 * MINUTE;
const OUTPUT_GRACE = 1000;
/** Milliseconds between looks whether another git has let its lock go. */
export const LOCK_WAITS = [100, 200, 400, 800];

/** Variables that tie git to one repository: they would lead it away from the folder we name. */
const LOCAL_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
  'GIT_DEFAULT_HASH',
  'GIT_EXTERNAL_DIFF',
  'GIT_DIFF_OPTS',
  'GIT_REFLOG_ACTION',
];

const ENCODING = ['-c', 'i18n.commitEncoding=utf-8'];
/** For output that we read; hooks of the user's would inherit these, so they are left out where hooks run. */
const READABLE = ['-c', 'core.quotepath=false', '-c', 'i18n.logOutputEncoding=utf-8', '-c', 'color.ui=false'];

/**
 * Runs git in `root` with an argument array and returns its output as text.
 *
 * Messages are English, no pager, no editor, no prompt. A lock that another git holds is
 * waited for shortly. Throws GitFailed for any exit code not in `okCodes`, and when git is missing or stopped.
 */
export async function git(root: string, args: string[], opts: GitOptions = {}): Promise<GitResult> {
  const { stdout, stderr, exitCode } = await attempt(root, args, opts);
  return { stdout: Buffer.from(stdout).toString('utf8'), stderr, exitCode };
}

/** Like `git`, for output that is not text (the content of a blob). */
export async function gitBytes(root: string, args: string[], opts: GitOptions = {}): Promise<Uint8Array> {
  return (await attempt(root, args, opts)).stdout;
}

/**
 * Git's output without its last line end, for commands that answer with one line; null when git says that there is no such
 * thing. `no` are the exit codes by which this command says so: any other is a repository that git refuses or cannot read.
 * @throws GitFailed
 */
export async function gitLine(root: string, args: string[], no: readonly number[]): Promise<string | null> {
  const { stdout, exitCode } = await git(root, args, { okCodes: [0, ...no] });
  return exitCode === 0 ? stdout.replace(/\r?\n$/, '') : null;
}

/** Splits NUL-separated output into its records. */
export function records(stdout: string): string[] {
  const parts = stdout.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}

interface RawResult {
  stdout: Uint8Array;
  stderr: string;
  exitCode: number;
}

async function attempt(root: string, args: string[], opts: GitOptions): Promise<RawResult> {
  for (const wait of LOCK_WAITS) {
    try {
      return await runOnce(root, args, opts);
    } catch (error) {
      // Git takes the index's lock first of all. Behind any other lock it may have done half of its work.
      if (!(error instanceof GitFailed) || error.reason !== 'lock' || !/index\.lock'/.test(error.stderrTail)) throw error;
      await pause(wait);
    }
  }
  return runOnce(root, args, opts);
}

async function runOnce(root: string, args: string[], opts: GitOptions): Promise<RawResult> {
  const trace = opts.hooks ? join(tmpdir(), `readygate-trace-${process.pid}-${randomBytes(6).toString('hex')}`) : null;
  try {
    const running = execa('git', ['--no-pager', ...ENCODING, ...(opts.hooks ? [] : READABLE), ...args], {
      cwd: root,
      env: environment({ ...(trace ? { GIT_TRACE2_EVENT: trace } : { GIT_OPTIONAL_LOCKS: '0' }), ...opts.env }),
      extendEnv: false,
      encoding: 'buffer',
      reject: false,
      stripFinalNewline: false,
      maxBuffer: 2 ** 29,
      timeout: TIMEOUT,
      ...(opts.input === undefined ? { stdin: 'ignore' as const } : { input: opts.input }),
    });
    if (opts.hooks) letGoAfterExit(running);
    const result = await running;
    const stderr = Buffer.from(result.stderr).toString('utf8');
    if (result.exitCode !== undefined && !result.timedOut && !result.isMaxBuffer && (opts.okCodes ?? [0]).includes(result.exitCode)) {
      return { stdout: result.stdout, stderr, exitCode: result.exitCode };
    }
    const output = stderr.trim() === '' ? Buffer.from(result.stdout).toString('utf8') : stderr;
    const hook = trace ? await refusingHook(trace) : null;
    throw failure(
      root,
      args,
      result.exitCode ?? null,
      output,
      hook,
      result.timedOut ? 'stopped after ten minutes' : result.originalMessage,
    );
  } finally {
    if (trace) await rm(trace, { force: true });
  }
}

/** A program that a hook left running holds git's output open; git itself is done when it has ended. */
function letGoAfterExit(running: { once(event: 'exit', then: () => void): unknown; stdout: Readable; stderr: Readable }): void {
  running.once('exit', () => {
    setTimeout(() => {
      running.stdout.destroy();
      running.stderr.destroy();
    }, OUTPUT_GRACE).unref();
  });
}

function failure(
  root: string,
  args: string[],
  exitCode: number | null,
  output: string,
  hook: string | null,
  trouble: string | undefined,
): GitFailed {
  const missing = exitCode === null && /ENOENT/.test(trouble ?? '') && existsSync(root);
  const reason = missing ? 'missing' : reasonOf(output, hook);
  const tail = tailOf(output) || (trouble ?? '');
  return new GitFailed(explain(reason, args, exitCode, tail, hook), {
    command: ['git', ...args],
    exitCode,
    stderrTail: tail,
    reason,
    hook,
  });
}

function reasonOf(output: string, hook: string | null): FailureReason {
  if (hook) return 'hook';
  if (/identity unknown|empty ident name|Please tell me who you are|unable to auto-detect email|no (email|name) was given/.test(output)) {
    return 'identity';
  }
  return /Unable to create '[^']*\.lock': File exists/.test(output) ? 'lock' : 'other';
}

function explain(reason: FailureReason, args: string[], exitCode: number | null, tail: string, hook: string | null): string {
  switch (reason) {
    case 'missing':
      return 'The git program was not found. Install git, or use --quick.';
    case 'identity':
      return 'Git does not know who you are. Set it with: git config --global user.name "Your Name" and git config --global user.email "you@example.com"';
    case 'hook':
      return `The ${hook} hook of this repository refused (exit code ${exitCode}): ${tail}`;
    case 'lock':
      return `Another git process holds a lock in this repository. If none is running, remove the lock file named here: ${tail}`;
    default:
      return `git ${args[0] ?? ''} failed (exit code ${exitCode ?? 'none'}): ${tail}`;
  }
}

/**
 * The environment for a program that works in the user's repository: theirs, without what ties git to another
 * repository, and with nothing that waits for a person.
 */
export function environment(extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !LOCAL_VARIABLES.includes(name)) env[name] = value;
  }
  // Only messages turn English: LC_ALL=C would also take the character set from the user's hooks.
  if (env.LC_ALL) env.LANG = env.LC_ALL;
  delete env.LC_ALL;
  return {
    ...env,
    LC_MESSAGES: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_PAGER: 'cat',
    ...extra,
  };
}

interface TraceEvent {
  event?: string;
  sid?: string;
  child_id?: number;
  hook_name?: string;
  code?: number;
}

/** Git's own trace says which hook it ran last and how that one ended; its messages do not. */
async function refusingHook(trace: string): Promise<string | null> {
  const text = await readFile(trace, 'utf8').catch(() => '');
  const names = new Map<number, string>();
  let refused: string | null = null;
  for (const line of text.split('\n')) {
    const event = parseEvent(line);
    // A session id with a slash belongs to a git that a hook started.
    if (!event || event.child_id === undefined || event.sid?.includes('/')) continue;
    if (event.event === 'child_start' && event.hook_name) names.set(event.child_id, event.hook_name);
    if (event.event === 'child_exit' && event.code !== 0) refused = names.get(event.child_id) ?? refused;
  }
  return refused;
}

function parseEvent(line: string): TraceEvent | null {
  if (line.trim() === '') return null;
  try {
    return JSON.parse(line) as TraceEvent;
  } catch {
    return null;
  }
}
