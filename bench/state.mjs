// What it costs that a state survives: a submission with everything written down, against the two fsyncs that no way leads around.
// Run: node bench/state.mjs [server.cjs]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { interleave, median, percentile } from './measure.mjs';

const ROUNDS = 150;

function makeRepository(folder) {
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

/** A session at step 13 with many small tasks: every report is one submission without git. */
async function sessionAtImplement(server, folder) {
  makeRepository(folder);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const env = { PATH: process.env.PATH, HOME: folder, CLAUDE_PROJECT_DIR: folder };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], cwd: folder, env }));
  const call = async (name, args) => {
    const { structuredContent: answer } = await client.callTool({ name, arguments: args });
    if (answer.error) throw new Error(`${name}: ${answer.message}`);
  };
  await call('start_session', { request: '--fast --no-doc bench', intent: 'MODIFY' });
  await call('submit_phase', { data: { action_type: 'x', target_symbols: [], scope: 'x', constraints: [] } });
  const tasks = Array.from({ length: ROUNDS + 1 }, (_, index) => ({ id: `t${index}`, description: `task ${index}`, status: 'pending' }));
  await call('submit_phase', { data: { tasks } });
  return { client, call };
}

/** Writes the bytes of the present state durably, and nothing else: file, fsync, rename, fsync of the folder. */
function writeBarely(folder) {
  const bytes = fs.readFileSync(path.join(folder, '.readygate/state.json'));
  const [fresh, file] = [path.join(folder, 'fresh'), path.join(folder, 'file')];
  const handle = fs.openSync(fresh, 'w');
  fs.writeFileSync(handle, bytes);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  fs.renameSync(fresh, file);
  const parent = fs.openSync(folder, 'r');
  fs.fsyncSync(parent);
  fs.closeSync(parent);
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Rows for the table: {name, value, goal, unit}.
 * @param {string} server the built server
 */
export async function stateBench(server = fileURLToPath(new URL('../plugin/server.cjs', import.meta.url))) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const { client, call } = await sessionAtImplement(server, folder);
    const report = (round) => timed(() => call('submit_phase', { data: { task_id: `t${round}`, summary: 'done' } }));
    const times = await interleave({ bare: () => timed(() => writeBarely(folder)), report }, ROUNDS);
    await client.close();
    return [
      { name: 'submit_phase with fsync, p95', value: percentile(times.report, 95), goal: 10, unit: 'ms' },
      { name: '  the two fsyncs alone, p95', value: percentile(times.bare, 95), goal: null, unit: 'ms' },
      { name: 'submit_phase with fsync ÷ the two fsyncs alone', value: median(times.report) / median(times.bare), goal: null, unit: '×' },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, value, goal, unit } of await stateBench(process.argv[2])) {
    console.log(`${name.padEnd(50)} ${value.toFixed(2).padStart(7)} ${unit}  ${goal === null ? '' : `goal ${goal}`}`);
  }
}
