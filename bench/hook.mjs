// What the PreToolUse hook costs, as ratios of CPU time to something anyone knows: an empty bash script, or one jq.
// Run: node bench/hook.mjs [rounds]
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PLUGIN = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const CALLS_PER_SAMPLE = 20;

/** Runs "$@" with stdin from a file, many times, and prints the CPU seconds of these children alone. */
const SAMPLER = `
input=$1 calls=$2
shift 2
for ((i = 0; i < calls; i++)); do "$@" <"$input" >/dev/null 2>&1; done
times
`;

function cpuSeconds(line) {
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

function sample({ argv, input, cwd, env }) {
  const done = spawnSync('/bin/bash', ['-c', SAMPLER, 'sampler', input, String(CALLS_PER_SAMPLE), ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, CLAUDE_PLUGIN_ROOT: PLUGIN, LC_ALL: 'C.UTF-8', ...env },
    encoding: 'utf8',
  });
  const children = done.stdout.trim().split('\n').at(-1);
  return cpuSeconds(children) / CALLS_PER_SAMPLE;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function repository(root, name, gate) {
  const dir = path.join(root, name);
  fs.mkdirSync(path.join(dir, 'src'), { recursive: true });
  execFileSync('git', ['init', '-q', dir]);
  if (gate === undefined) return dir;
  fs.mkdirSync(path.join(dir, '.readygate'));
  const [phase, step] = gate === 'open' ? ['READY', 13] : ['EXPLORATION', 5];
  const head = `{"gate":"${gate}","phase":"${phase}","step":${step},"session":"bench","rev":1,`;
  const rest = { schema: 1, owner: null, last_activity: Date.now(), language: 'en', instruction: '', call: 'submit_phase' };
  fs.writeFileSync(path.join(dir, '.readygate/state.json'), `${head}\n${JSON.stringify(rest).slice(1)}\n`);
  return dir;
}

function payload(root, name, cwd, bytes) {
  const call = {
    session_id: 'bench',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: `${cwd}/src/a.js`, old_string: 'a', new_string: '' },
  };
  call.tool_input.new_string = 'const answer = 42;\\n'.repeat(bytes).slice(0, Math.max(0, bytes - JSON.stringify(call).length));
  const file = path.join(root, `${name}.json`);
  fs.writeFileSync(file, JSON.stringify(call));
  return file;
}

function probes(root) {
  const hook = ['/bin/bash', path.join(PLUGIN, 'hooks/pre-tool.sh'), 'file'];
  const empty = path.join(root, 'empty.sh');
  fs.writeFileSync(empty, '#!/bin/bash\n');
  const oneJq = path.join(root, 'jq.sh');
  fs.writeFileSync(oneJq, '#!/bin/bash\njq -r .tool_name\n');
  const at = (name, gate, bytes) => {
    const cwd = repository(root, name, gate);
    return { cwd, env: { CLAUDE_PROJECT_DIR: cwd }, input: payload(root, name, cwd, bytes) };
  };
  const idle = at('idle', undefined, 1024);
  const closed = at('closed', 'closed', 1024);
  return {
    empty: { argv: ['/bin/bash', empty], ...idle },
    jq: { argv: ['/bin/bash', oneJq], ...closed },
    idle: { argv: hook, ...idle },
    open1k: { argv: hook, ...at('open1k', 'open', 1024) },
    open4k: { argv: hook, ...at('open4k', 'open', 4096) },
    open48k: { argv: hook, ...at('open48k', 'open', 49152) },
    denied: { argv: hook, ...closed },
  };
}

const ROWS = [
  ['hook, no session', 'idle', 'empty', 1.15],
  ['hook, gate open, Edit of 1 KB', 'open1k', 'empty', 1.5],
  ['hook, gate open, Edit of 4 KB', 'open4k', 'empty', 1.5],
  ['hook, gate open, Write of 48 KB', 'open48k', 'empty', null],
  ['hook, gate closed, Edit denied (to bash + one jq)', 'denied', 'jq', 1.1],
];

/**
 * Measures the hook. Every round samples every probe once, so that a noisy moment hits all of them; the ratio is the median over rounds.
 * @param {number} rounds
 * @returns {{name: string, ratio: number, goal: number | null}[]}
 */
export function hookBench(rounds = 25) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const all = probes(root);
    const seconds = Object.fromEntries(Object.keys(all).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, probe] of Object.entries(all)) seconds[name].push(sample(probe));
    }
    return ROWS.map(([name, probe, base, goal]) => ({
      name,
      ratio: median(seconds[probe].map((value, i) => value / seconds[base][i])),
      goal,
    }));
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, ratio, goal } of hookBench(Number(process.argv[2] ?? 25))) {
    const verdict = goal === null ? '' : ratio <= goal ? 'ok' : 'OVER';
    console.log(`${name.padEnd(52)} ${ratio.toFixed(2)}  goal ${goal === null ? '–' : goal.toFixed(2)}  ${verdict}`);
  }
}
