// Installs what the project's commands need, once: README's commands work in a fresh clone.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** Runs a program in the project's folder with its output shown. Returns the exit code. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32', ...options });
  if (error) console.error(`${program} could not be started: ${error.message}`);
  return status ?? 1;
}

const time = (file) => fs.statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** npm ci, when node_modules is missing or older than the lock file. Exits the process when that fails. */
export function ensureInstalled() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) {
    console.error(`Readygate needs Node.js 20 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  if (time('node_modules/.package-lock.json') >= time('package-lock.json')) return;
  console.log('Installing the development packages (npm ci) …');
  const code = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (code !== 0) {
    console.error('npm ci failed; see above. Nothing else was done.');
    process.exit(code);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureInstalled();
