// [BASH32=/path/to/bash] npm test [-- --long]: checks, unit and property tests (vitest), hooks (bats), the real client (e2e, where it is installed).
// Installs what it needs; closes with a line "N passed, N failed".
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runChecks } from './check.mjs';
import { clientPath } from './e2e-setup.mjs';
import { ensureInstalled, root } from './setup.mjs';

ensureInstalled();
if (process.argv.includes('--long')) process.env.READYGATE_LONG = '1';

/** The tests make hundreds of repositories, and git waits for the disk at every step. Memory is faster, where there is plenty. */
function useMemory() {
  const folder = '/dev/shm';
  if (process.env.TMPDIR || process.platform !== 'linux') return;
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    if (bavail * bsize < 6 * 1024 ** 3 || os.freemem() < 8 * 1024 ** 3) return;
    process.env.TMPDIR = fs.mkdtempSync(`${folder}/readygate-`);
    process.on('exit', () => fs.rmSync(process.env.TMPDIR, { recursive: true, force: true }));
  } catch {
    // The usual folder does, too.
  }
}
useMemory();
fs.mkdirSync(path.join(root, '.cache'), { recursive: true });

const total = { passed: 0, failed: 0, skipped: 0 };
const add = ({ passed = 0, failed = 0, skipped = 0 }) => {
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
};
const title = (text) => console.log(`\n== ${text}`);

/** Counts of a TAP stream: bats and node's runner both write one. Only top-level lines count. */
function countTap(text) {
  const lines = text.split('\n');
  const skipped = lines.filter((line) => /^ok .*# SKIP/i.test(line)).length;
  return {
    passed: lines.filter((line) => /^ok /.test(line)).length - skipped,
    failed: lines.filter((line) => /^not ok /.test(line)).length,
    skipped,
  };
}

function stage(name, code, counts) {
  add(counts);
  // A runner that died before it could count has still failed.
  if (code !== 0 && counts.failed === 0) add({ failed: 1 });
  if (code !== 0) console.log(`${name} ended with exit code ${code}`);
}

/** Runs a program with its output shown, while others go on. */
function show(program, args, env = process.env) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env, shell: process.platform === 'win32' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (status) => resolve(status ?? 1));
  });
}

async function vitest() {
  title('vitest');
  const report = path.join(root, '.cache/vitest.json');
  fs.rmSync(report, { force: true });
  const code = await show(path.join(root, 'node_modules/.bin/vitest'), [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  const {
    numPassedTests = 0,
    numFailedTests = 0,
    numPendingTests = 0,
  } = fs.existsSync(report) ? JSON.parse(fs.readFileSync(report, 'utf8')) : {};
  stage('vitest', code, { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests });
}

/** Runs a program without waiting for it; its output is shown when it has ended. */
function begin(program, args, options = {}) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, text, errors: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, text, errors }));
  });
}

/** BASH32=/path: the hooks and their tests run in that bash, wherever a script asks for `bash`. */
function batsEnvironment() {
  const { BASH32, PATH } = process.env;
  if (!BASH32) return process.env;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bash-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  fs.symlinkSync(path.resolve(BASH32), path.join(folder, 'bash'));
  return { ...process.env, PATH: `${folder}${path.delimiter}${PATH}` };
}

const bats = () =>
  begin('bash', [path.join(root, 'node_modules/bats/bin/bats'), '--tap', '--recursive', 'tests/bats'], { env: batsEnvironment() });

function endBats({ code, text, errors }) {
  title('bats');
  process.stdout.write(text + errors);
  stage('bats', code, countTap(text));
}

async function e2e() {
  title('the real client');
  const client = clientPath();
  if (!client) {
    console.log('skipped: the client is not installed (npm run e2e:setup fetches it)');
    return;
  }
  const tap = path.join(root, '.cache/e2e.tap');
  const files = fs
    .readdirSync(path.join(root, 'tests/e2e'))
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `tests/e2e/${name}`);
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${tap}`,
  ];
  // Each scenario has a client and a home of its own, and waits for one process after the other.
  const args = ['--test', '--test-concurrency=2', ...reporters, ...files];
  const code = await show(process.execPath, args, { ...process.env, E2E_CLAUDE_BIN: client });
  stage('e2e', code, countTap(fs.existsSync(tap) ? fs.readFileSync(tap, 'utf8') : ''));
}

// The hooks' tests go on beside all else: they are one process after the other, and nothing waits for them in the end.
const hooks = bats();
title('checks');
add(runChecks());
await vitest();
await e2e();
endBats(await hooks);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;
