// Fingerprint of 10,000 unchanged files against git status; what a line of the evidence ledger costs.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../scripts/setup.mjs';
import { interleave, median, percentile } from './measure.mjs';

const FILES = 10_000;
const SESSION = '20260101-000000-abcdef';

/** The sources under measurement as one module, beside nothing else. */
async function bundle(folder) {
  const source = path.join(root, 'mcp-server/src');
  const contents = `
    export { changedSince, takeFingerprint } from '${source}/fingerprint/fingerprint.ts';
    export { inspect } from '${source}/git/repository.ts';
    export { onTool } from '${source}/evidence/on-tool.ts';`;
  const outfile = path.join(folder, 'bench.mjs');
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ stdin: { contents, resolveDir: root }, outfile, bundle: true, platform: 'node', format: 'esm', banner, logLevel: 'error' });
  return import(pathToFileURL(outfile).href);
}

function makeRepository(folder) {
  const env = { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'pipe', env });
  for (let index = 0; index < FILES; index++) {
    const file = path.join(folder, `d${index % 100}`, `f${index}.txt`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `content ${index}\n`);
  }
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'bench');
  git('config', 'user.email', 'bench@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  git('status'); // fills in the index what the commit's own second left open
}

/** git status as the fingerprint asks it, started as we start it, so that the ratio is our own work. */
function gitStatus(folder) {
  return new Promise((resolve) => {
    const begun = performance.now();
    const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all'];
    const child = spawn('git', args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    });
    child.stdout.resume();
    child.once('close', () => resolve(performance.now() - begun));
  });
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** A state file whose gate line names the session. */
function startSession(folder) {
  fs.mkdirSync(path.join(folder, '.readygate/sessions', SESSION), { recursive: true });
  fs.appendFileSync(path.join(folder, '.git/info/exclude'), '.readygate/\n');
  fs.writeFileSync(
    path.join(folder, '.readygate/state.json'),
    `{"gate":"open","phase":"READY","step":13,"session":"${SESSION}","rev":3,\n"schema":1}\n`,
  );
}

/** Rows for the table: {name, value, goal, unit}. */
export async function evidenceBench() {
  const outer = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  const folder = path.join(outer, 'repo');
  fs.mkdirSync(folder);
  try {
    makeRepository(folder);
    const { changedSince, takeFingerprint, inspect, onTool } = await bundle(outer);
    startSession(folder);
    const repo = await inspect(folder);
    const fingerprint = await takeFingerprint(repo, folder);
    const compare = async () => {
      if ((await changedSince(repo, folder, fingerprint)).length > 0) throw new Error('nothing changed, and yet something did');
    };
    const times = await interleave(
      { status: () => gitStatus(folder), compare: () => timed(compare), take: () => timed(() => takeFingerprint(repo, folder)) },
      25,
    );
    const edge = { projectDir: folder, now: () => new Date() };
    const fields = {
      event: 'PostToolUse',
      tool_name: 'Bash',
      command: 'npm test -- --reporter=dot 2>&1 | tail -20',
      cwd: folder,
      duration_ms: '1200',
    };
    const lines = await interleave({ append: () => timed(() => onTool(edge, fields)) }, 2000);
    return [
      {
        name: 'fingerprint of 10,000 unchanged files ÷ git status',
        value: median(times.compare) / median(times.status),
        goal: 1.3,
        unit: '×',
      },
      { name: '  the same in milliseconds', value: median(times.compare), goal: 50, unit: 'ms' },
      { name: '  taking it ÷ git status', value: median(times.take) / median(times.status), goal: null, unit: '×' },
      { name: 'a line of the evidence ledger, p95', value: percentile(lines.append, 95), goal: 1, unit: 'ms' },
    ];
  } finally {
    fs.rmSync(outer, { recursive: true, force: true });
  }
}
