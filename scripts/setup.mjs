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

/**
 * The lock file does not lie beside package.json: Claude Code installs the packages of a plugin whose root has one, for
 * every user, and a Readygate installation needs none. It is put there for as long as npm needs it.
 */
const LOCK = path.join(root, 'scripts/package-lock.json');
const LOCK_FOR_NPM = path.join(root, 'package-lock.json');

const time = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function withLockFile(work) {
  fs.copyFileSync(LOCK, LOCK_FOR_NPM);
  try {
    return work();
  } finally {
    fs.rmSync(LOCK_FOR_NPM, { force: true });
  }
}

/** npm ci, when node_modules is missing or older than the lock file. Exits the process when that fails. */
export function ensureInstalled() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 3)) {
    console.error(`Readygate needs Node.js 20.3 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (time(installed) >= time(LOCK)) return;
  console.log('Installing the development packages (npm ci) …');
  const code = withLockFile(() =>
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']),
  );
  if (code !== 0) {
    console.error('npm ci failed; see above. Nothing else was done.');
    process.exit(code);
  }
  // npm keeps the time of what it wrote; a lock file that a checkout dated later would install again and again.
  fs.utimesSync(installed, new Date(), new Date());
}

/** npm install of new packages, exact versions, with the lock file kept up to date: npm run add -- [-D] name@version */
function add(args) {
  const code = withLockFile(() => {
    const done = run('npm', ['install', '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', ...args]);
    if (done === 0) fs.copyFileSync(LOCK_FOR_NPM, LOCK);
    return done;
  });
  process.exitCode = code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'add') add(process.argv.slice(3));
  else ensureInstalled();
}
