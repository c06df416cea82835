/** A folder with a state of its own, and other processes that work on it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
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

/** Another process that does `what` to the state of `root`. */
export function work(what: 'increment' | 'write' | 'hold', root: string, count = 0): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [built(), what, root, String(count)], { stdio: 'pipe' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
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
