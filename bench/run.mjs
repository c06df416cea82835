// npm run bench: every budget with its goal, in one run. Exits 0 whatever the numbers are: this machine decides nothing.
import os from 'node:os';
import { ensureInstalled } from '../scripts/setup.mjs';

ensureInstalled();
const { hookBench } = await import('./hook.mjs');
const { serverBench } = await import('./server.mjs');
const { stateBench } = await import('./state.mjs');
const { evidenceBench } = await import('./evidence.mjs');
const { intelBench } = await import('./intel.mjs');

const hooks = (await hookBench()).map(({ name, ratio, goal }) => ({ name, value: ratio, goal, unit: '×' }));
const rows = [...hooks, ...(await serverBench()), ...(await stateBench()), ...(await evidenceBench()), ...(await intelBench())];
const width = Math.max(...rows.map(({ name }) => name.length));
console.log(`Node ${process.version}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}\n`);
for (const { name, value, goal, unit } of rows) {
  const verdict = goal === null ? '' : value <= goal ? 'met' : 'MISSED';
  console.log(
    `${name.padEnd(width)}  ${value.toFixed(2).padStart(7)} ${unit.padEnd(2)}  ${goal === null ? '' : `goal ${String(goal).padStart(4)}`}  ${verdict}`,
  );
}
