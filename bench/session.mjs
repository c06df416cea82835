// A session that stands at step 13: every report there is one submission without git work.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { root } from '../scripts/setup.mjs';

export const SERVER = path.join(root, 'plugin/server.cjs');

/** A repository of one file. */
export function makeRepository(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const git = (...args) =>
    execFileSync('git', args, { cwd: folder, stdio: 'pipe', env: { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' } });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.invalid');
  fs.writeFileSync(path.join(folder, 'a.txt'), 'a\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

/** A server that stands at step 13 with `tasks` pending tasks, in a repository of its own. */
export async function sessionAtImplement(folder, tasks, server = SERVER) {
  makeRepository(folder);
  return sessionIn(folder, tasks, server);
}

/** A server in a repository that is there, and a way to call its tools that throws on an error. */
export async function connect(folder, server = SERVER) {
  // What the host calls itself: calls of its hooks are then taken for such.
  const client = new Client({ name: 'claude-code', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [server],
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, CLAUDE_PROJECT_DIR: folder },
    }),
  );
  const call = async (name, args) => {
    const { structuredContent: answer } = await client.callTool({ name, arguments: args });
    if (answer.error) throw new Error(`${name}: ${answer.message} ${JSON.stringify(answer.problems ?? [])}`);
    return answer;
  };
  return { client, call, folder };
}

/** Takes the time of a report of task t<round>. Milliseconds. */
export const report =
  ({ call }) =>
  async (round) => {
    const begun = performance.now();
    await call('submit_phase', { data: { task_id: `t${round}`, summary: 'done' } });
    return performance.now() - begun;
  };

/** The same as sessionAtImplement, in a repository that is there. */
export async function sessionIn(folder, tasks, server = SERVER) {
  const { client, call } = await connect(folder, server);
  await call('start_session', { request: '--fast --no-doc bench', intent: 'MODIFY' });
  await call('submit_phase', { data: { action_type: 'x', target_symbols: [], scope: 'x', constraints: [] } });
  const list = Array.from({ length: tasks }, (_, index) => ({ id: `t${index}`, description: `task ${index}`, status: 'pending' }));
  await call('submit_phase', { data: { tasks: list } });
  return { client, call, folder };
}
