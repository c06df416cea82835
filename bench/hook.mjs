// What the PreToolUse hook costs, as ratios of CPU time to something anyone knows: an empty bash script, or one jq.
// Run: node bench/hook.mjs [rounds]
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sessionAtImplement } from './session.mjs';

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

/** What a server writes behind the gate line of a session. */
async function writtenState(root) {
  const { client, folder } = await sessionAtImplement(path.join(root, 'session'), 3);
  await client.close();
  const text = fs.readFileSync(path.join(folder, '.readygate/state.json'), 'utf8');
  return text.slice(text.indexOf('\n'));
}

function repository(root, name, gate, written) {
  const dir = path.join(root, name);
  fs.mkdirSync(path.join(dir, 'src'), { recursive: true });
  execFileSync('git', ['init', '-q', dir]);
  if (gate === undefined) return dir;
  fs.mkdirSync(path.join(dir, '.readygate'));
  const [phase, step] = gate === 'open' ? ['READY', 13] : ['EXPLORATION', 5];
  const head = `{"gate":"${gate}","phase":"${phase}","step":${step},"session":"bench","rev":1,`;
  fs.writeFileSync(path.join(dir, '.readygate/state.json'), head + written);
  return dir;
}

/** An Edit of so many bytes, or the Bash command. */
function callOf(cwd, what, file) {
  const call = {
    session_id: 'bench',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: what, description: 'bench' },
  };
  if (typeof what === 'string') return call;
  call.tool_name = 'Edit';
  call.tool_input = { file_path: `${cwd}/${file}`, old_string: 'a', new_string: '' };
  call.tool_input.new_string = 'const answer = 42;\\n'.repeat(what).slice(0, Math.max(0, what - JSON.stringify(call).length));
  return call;
}

function payload(root, name, cwd, what, edited = 'src/a.js') {
  const file = path.join(root, `${name}.json`);
  fs.writeFileSync(file, JSON.stringify(callOf(cwd, what, edited)));
  return file;
}

/** Sessions of the past, as they lie beside the active one. */
function addPastSessions(cwd, count) {
  for (let n = 0; n < count; n++) {
    const dir = path.join(cwd, '.readygate/sessions', `past-${n}`);
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(path.join(dir, 'journal.jsonl'), '{}\n'.repeat(50));
  }
}

function probes(root, written) {
  const hook = ['/bin/bash', path.join(PLUGIN, 'hooks/pre-tool.sh'), 'file'];
  const shell = [...hook.slice(0, 2), 'shell'];
  const empty = path.join(root, 'empty.sh');
  fs.writeFileSync(empty, '#!/bin/bash\n');
  const oneJq = path.join(root, 'jq.sh');
  fs.writeFileSync(oneJq, '#!/bin/bash\njq -r .tool_name\n');
  const jqAndAwk = path.join(root, 'jq-awk.sh');
  fs.writeFileSync(
    jqAndAwk,
    `#!/bin/bash\njq -r .tool_input.command | awk ${AWK_PROGRAM.map((part) => `-f ${PLUGIN}/hooks/lib/${part}.awk`).join(' ')} ${AWK_TABLES.map((name) => `${PLUGIN}/hooks/lib/${name}.tsv`).join(' ')} -\n`,
  );
  const at = (name, gate, what) => {
    const cwd = repository(root, name, gate, written);
    return { cwd, env: { CLAUDE_PROJECT_DIR: cwd }, input: payload(root, name, cwd, what) };
  };
  const old = at('old', 'closed', 1024);
  addPastSessions(old.cwd, 1000);
  const line = at('statusline', 'open', 1024);
  fs.writeFileSync(
    line.input,
    JSON.stringify({ session_id: 'bench', cwd: line.cwd, workspace: { current_dir: line.cwd, project_dir: line.cwd } }),
  );
  const idle = at('idle', undefined, 1024);
  const closed = at('closed', 'closed', 1024);
  return {
    empty: { argv: ['/bin/bash', empty], ...idle },
    jq: { argv: ['/bin/bash', oneJq], ...closed },
    statusline: { argv: ['/bin/bash', path.join(PLUGIN, 'hooks/statusline.sh')], ...line },
    idle: { argv: hook, ...idle },
    open1k: { argv: hook, ...at('open1k', 'open', 1024) },
    open4k: { argv: hook, ...at('open4k', 'open', 4096) },
    open48k: { argv: hook, ...at('open48k', 'open', 49152) },
    denied: { argv: hook, ...closed },
    escaped: { argv: hook, ...closed, input: payload(root, 'escaped', closed.cwd, 1024, 'src/\u0001.js') },
    old: { argv: hook, ...old },
    plain: { argv: shell, ...at('plain', 'open', 'npm test -- --run src/a.test.js 2>&1 | tail -40') },
    jqAndAwk: { argv: ['/bin/bash', jqAndAwk], ...at('both', 'closed', 'cd src && sed -i s/a/b/ a.js') },
    shellDenied: { argv: shell, ...at('shellDenied', 'closed', 'cd src && sed -i s/a/b/ a.js') },
    shellRead: { argv: shell, ...at('shellRead', 'closed', 'npm test -- --run src/a.test.js 2>&1 | tail -40') },
  };
}

const AWK_TABLES = ['shell-effects-files', 'shell-effects-projects', 'shell-effects-git', 'shell-wrappers'];
const AWK_PROGRAM = ['shell', 'shell-grammar', 'shell-words', 'shell-commands', 'shell-effects', 'shell-programs'];

const ROWS = [
  ['hook, no session', 'idle', 'empty', 1.15],
  ['hook, gate open, Edit of 1 KB', 'open1k', 'empty', 1.5],
  ['hook, gate open, Edit of 4 KB', 'open4k', 'empty', 1.5],
  ['hook, gate open, Write of 48 KB', 'open48k', 'empty', null],
  ['status line in a session', 'statusline', 'empty', 3],
  ['hook, gate closed, Edit denied (to bash + one jq)', 'denied', 'jq', 1.1],
  ['the same beside 1,000 past sessions ÷ beside none', 'old', 'denied', 1.05],
  ['hook, gate open, Bash with a plain command', 'plain', 'empty', 1.5],
  ['hook, gate closed, Bash denied (to bash + one jq + one awk)', 'shellDenied', 'jqAndAwk', 1.1],
  ['hook, gate closed, Bash that reads (to the same)', 'shellRead', 'jqAndAwk', 1.1],
  ['hook, gate closed, Edit denied (to empty bash)', 'denied', 'empty', null],
  ['hook, gate closed, Edit denied where jq must read the call (to bash + one jq)', 'escaped', 'jq', 1.1],
];

/**
 * Measures the hook. Every round samples every probe once, so that a noisy moment hits all of them; the ratio is the median over rounds.
 * @param {number} rounds
 * @returns {Promise<{name: string, ratio: number, goal: number | null}[]>}
 */
export async function hookBench(rounds = 25) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const all = probes(root, await writtenState(root));
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
  for (const { name, ratio, goal } of await hookBench(Number(process.argv[2] ?? 25))) {
    const verdict = goal === null ? '' : ratio <= goal ? 'ok' : 'OVER';
    console.log(`${name.padEnd(78)} ${ratio.toFixed(2)}  goal ${goal === null ? '–' : goal.toFixed(2)}  ${verdict}`);
  }
}
