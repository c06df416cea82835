// Preloaded into a server (node --require): ends it with SIGKILL at the n-th point of its work on a project. A point lies
// before and behind every call that writes, and before and behind the start of every git. The product knows nothing of it.
//   CRASH_ROOT  the project; calls that name other places do not count
//   CRASH_AT    the point; 0 for none
//   CRASH_LOG   takes a line for every point; and at the end the git processes that were still running, as {"running":[…]}
const childProcess = require('node:child_process');
const fs = require('node:fs');

const { CRASH_ROOT: root, CRASH_AT, CRASH_LOG: log } = process.env;
const at = Number(CRASH_AT);
const append = fs.appendFileSync;
const running = new Set();
let count = 0;

function point(what) {
  count += 1;
  append(log, `${JSON.stringify({ point: count, what })}\n`);
  if (count !== at) return;
  append(log, `${JSON.stringify({ running: [...running] })}\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** The name of a place in the project, or of an open file that lies there; null for any other. */
const files = new Map();
function placeOf(args) {
  const [first, second] = args;
  if (typeof first === 'number') return files.get(first) ?? null;
  const named = [first, second].find((arg) => typeof arg === 'string' && arg.startsWith(root));
  return named === undefined ? null : named.slice(root.length + 1);
}

function wrap(object, name) {
  const real = object[name];
  object[name] = function crashing(...args) {
    const place = placeOf(args);
    if (place === null || place === '') return real.apply(this, args);
    point(`before ${name} ${place}`);
    const result = real.apply(this, args);
    const behind = (value) => {
      point(`behind ${name} ${place}`);
      return value;
    };
    return typeof result?.then === 'function' ? result.then(behind) : behind(result);
  };
}

const WRITES = [
  'mkdir',
  'rmdir',
  'rm',
  'unlink',
  'rename',
  'writeFile',
  'appendFile',
  'copyFile',
  'cp',
  'symlink',
  'utimes',
  'chmod',
  'link',
];
for (const name of WRITES) {
  wrap(fs, `${name}Sync`);
  wrap(fs.promises, name);
}
wrap(fs, 'fsyncSync');
const openSync = fs.openSync;
fs.openSync = (...args) => {
  const place = placeOf(args);
  const writes = place !== null && args[1] !== undefined && args[1] !== 'r' && typeof args[1] !== 'number';
  if (writes) point(`before openSync ${place}`);
  const handle = openSync.apply(fs, args);
  if (place !== null) files.set(handle, place);
  else files.delete(handle);
  if (writes) point(`behind openSync ${place}`);
  return handle;
};

const spawn = childProcess.spawn;
childProcess.spawn = (program, ...rest) => {
  if (program !== 'git') return spawn(program, ...rest);
  const [args] = rest;
  const what = args
    .filter((arg) => !arg.startsWith('-') && !arg.includes('='))
    .slice(0, 2)
    .join(' ');
  point(`before git ${what}`);
  const child = spawn(program, ...rest);
  running.add(child.pid);
  child.once('exit', () => {
    running.delete(child.pid);
    point(`behind git ${what}`);
  });
  point(`during git ${what}`);
  return child;
};
