/** A folder with a state of its own, and other processes that work on it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { settle } from '../../../mcp-server/src/config/config.ts';
import { start } from '../../../mcp-server/src/flow/engine.ts';
import { isFlowError, parseRequest } from '../../../mcp-server/src/flow/flags.ts';
import { type SessionFile, serialize } from '../../../mcp-server/src/state/session-file.ts';
import { emptyFolder } from '../git/sandbox.ts';

/** The state of a session that has just begun. */
export function freshState(root: string, more: Partial<SessionFile> = {}): SessionFile {
  const parsed = parseRequest('add a greeting', 'IMPLEMENT');
  if (isFlowError(parsed)) throw new Error('the request does not parse');
  const session = '20260101-120000-abcdef';
  const input = {
    session,
    intent: 'IMPLEMENT' as const,
    request: 'add a greeting',
    parsed,
    pipeline: false,
    work_tree: root,
    git: null,
    user_prompt: null,
    config: settle({}).config,
  };
  return {
    ...start(input, {}).state,
    rev: 1,
    owner: null,
    last_activity: 1_700_000_000_000,
    created: 1_700_000_000_000,
    hooks_seen: null,
    language: 'en',
    instruction: 'Do this.',
    ...more,
  };
}

/** A root whose state.json holds that state. */
export function freshRoot(more: Partial<SessionFile> = {}): string {
  const root = emptyFolder('store');
  mkdirSync(join(root, '.readygate'));
  writeFileSync(join(root, '.readygate', 'state.json'), serialize(freshState(root, more)));
  return root;
}

export const fileOf = (root: string): string => join(root, '.readygate', 'state.json');

let program: string | null = null;

function built(): string {
  if (program !== null) return program;
  program = join(emptyFolder('program'), 'process.mjs');
  const entry = fileURLToPath(new URL('process.ts', import.meta.url));
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  buildSync({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm', banner, logLevel: 'error' });
  return program;
}

type What = 'increment' | 'write' | 'hold' | 'stopping' | 'enter';
export type Tongue = 'node' | 'bash';

const SCRIPT = fileURLToPath(new URL('writer.bash', import.meta.url));
const HOOKS_LIB = fileURLToPath(new URL('../../../hooks/lib', import.meta.url));

/** Another process that does `what` to the state of `root`, in either language. `more` is a count, or a point to stop at. */
export function work(what: What, root: string, more: number | string = 0, tongue: Tongue = 'node'): ChildProcessWithoutNullStreams {
  const [program, ...args] = tongue === 'node' ? [process.execPath, built()] : ['/bin/bash', SCRIPT, HOOKS_LIB];
  const child = spawn(program as string, [...args, what, root, String(more)], { stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

/** Resolves when a process has printed this line once more. */
export function prints(child: ChildProcessWithoutNullStreams, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const look = (chunk: Buffer): void => {
      text += chunk.toString();
      if (!text.split('\n').includes(line)) return;
      child.stdout.off('data', look);
      child.off('close', ended);
      resolve();
    };
    const ended = (): void => reject(new Error(`it ended without "${line}": ${text}`));
    child.stdout.on('data', look);
    child.once('close', ended);
  });
}

/** Makes a lock look as old as one that was left behind. */
export function age(folder: string, seconds = 11): void {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(folder, then, then);
}

/** The exit code of a process; its stderr in the error when it is not 0. */
export async function done(child: ChildProcessWithoutNullStreams): Promise<void> {
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
}
