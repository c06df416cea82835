/** The readygate command in tests: the built program as the Bash tool runs it, or one command with a person who answers. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { inject } from 'vitest';
import type { CliContext } from '../../../mcp-server/src/cli/command.ts';
import { paintFor } from '../../../mcp-server/src/cli/paint.ts';
import { startProgress } from '../../../mcp-server/src/cli/progress.ts';
import { hostEnvironment } from '../server/host.ts';

export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the built program without a terminal. */
export function readygate(cwd: string, args: string[], env: Record<string, string> = {}): Ran {
  const cli = path.join(path.dirname(inject('serverFile')), 'cli.cjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd,
    env: { ...hostEnvironment({ project: cwd }), ...env },
    encoding: 'utf8',
    input: '',
    // A command that waits for ever would hold up the whole run: nothing else ends a synchronous child.
    timeout: 120_000,
  });
  return { code: status, out: stdout, err: stderr };
}

/** A terminal in which a person answers one question after the other; what was asked is kept. */
export function terminal(cwd: string, answers: string[], more: Partial<CliContext> = {}): { context: CliContext; asked: string[] } {
  const asked: string[] = [];
  const context: CliContext = {
    cwd,
    env: {},
    language: 'en',
    interactive: true,
    json: true,
    columns: null,
    paint: paintFor({}, {}),
    progress: (label, total) => startProgress({ write: () => {} }, label, total),
    now: () => new Date(),
    ask: async (question) => {
      asked.push(question);
      return answers.shift() ?? '';
    },
    ...more,
  };
  return { context, asked };
}
