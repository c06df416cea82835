// What the server's guard tool answers to a long command, over stdio as the host asks it, at a closed gate.
// Run: node bench/guard.mjs [rounds]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, median, percentile } from './measure.mjs';
import { SERVER, sessionAtImplement } from './session.mjs';

const BYTES = 10 * 1024;
/** What agents run all day; none of it writes into the work tree, so that nothing ends the reading early. */
const LINES = [
  'npm test -- --run "src/a file.test.js" 2>&1 | tail -40',
  'for f in src/*.js; do grep -nE \'a|b>c\' "$f" | sort -u > /tmp/found.txt; done',
  'if git diff --quiet HEAD -- src; then echo "no change: $(git rev-parse HEAD)"; fi',
  `cat <<'END' > /tmp/notes.md\nnotes with > and 'quotes'\nEND`,
  "find . -name '*.ts' -not -path './node_modules/*' -exec wc -l {} + | awk '$1 > 5 { print $2 }'",
];

/** The lines in turn, as far as the bytes go. */
function longCommand() {
  const lines = [];
  for (let n = 0; Buffer.byteLength([...lines, LINES[n % LINES.length]].join('\n')) <= BYTES; n++) lines.push(LINES[n % LINES.length]);
  return `${lines.join('\n')}\n`.padEnd(BYTES, '#');
}

/** CPU milliseconds of a process so far, in ticks of 10; undefined where there is no /proc. */
function cpuOf(pid) {
  if (!fs.existsSync(`/proc/${pid}/stat`)) return undefined;
  const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/**
 * Rows for the table: {name, value, goal, unit}.
 * @param {number} rounds calls of each kind
 * @param {string} server the built server
 */
export async function guardBench(rounds = 400, server = SERVER) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const { client, call } = await sessionAtImplement(folder, 1, server);
    // Work done and the list sent off: from here on the gate is closed.
    fs.writeFileSync(path.join(folder, 'a.txt'), 'b\n');
    await call('submit_phase', { data: { task_id: 't0', summary: 'done' } });
    const { step } = await call('submit_phase', { data: {} });
    if (step < 15) throw new Error(`guard: the gate is still open at step ${step}`);
    // As hooks.json has it: objects arrive as JSON text.
    const ask = async (command) => {
      const input = { tool_name: 'Bash', tool_input: JSON.stringify({ command }), cwd: folder, session_id: 'bench', agent_id: '' };
      const begun = performance.now();
      const { content } = await client.callTool({ name: 'guard', arguments: input });
      const taken = performance.now() - begun;
      return { taken, denied: JSON.parse(content[0].text).hookSpecificOutput?.permissionDecision === 'deny' };
    };
    const long = longCommand();
    const kinds = { short: ['ls', false], long: [long, false], write: [`${long}\nrm a.txt`, true] };
    const samplers = Object.entries(kinds).map(([name, [command, refused]]) => [
      name,
      async () => {
        const { taken, denied } = await ask(command);
        if (denied !== refused) throw new Error(`guard: ${name} was ${denied ? '' : 'not '}denied`);
        return taken;
      },
    ]);
    const times = await interleave(Object.fromEntries(samplers), rounds);
    // Wall time counts the neighbours, too: what the server itself does for one call is its CPU time.
    const before = cpuOf(client.transport.pid);
    if (before !== undefined) for (let round = 0; round < rounds; round++) await ask(long);
    const own = before === undefined ? [] : [(cpuOf(client.transport.pid) - before) / rounds];
    await client.close();
    return [
      { name: 'guard tool, 10 KB command that passes, p95', value: percentile(times.long, 95), goal: 5, unit: 'ms' },
      { name: 'guard tool, 10 KB command that is denied, p95', value: percentile(times.write, 95), goal: 5, unit: 'ms' },
      { name: '  guard tool, a command of two letters, p95', value: percentile(times.short, 95), goal: null, unit: 'ms' },
      { name: '  10 KB ÷ two letters, medians', value: median(times.long) / median(times.short), goal: null, unit: '×' },
      ...own.map((value) => ({ name: '  10 KB, CPU time of the server per call', value, goal: null, unit: 'ms' })),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, value, goal, unit } of await guardBench(Number(process.argv[2] ?? 400))) {
    console.log(`${name.padEnd(50)} ${value.toFixed(2).padStart(7)} ${unit}  ${goal === null ? '' : `goal ${goal}`}`);
  }
}
