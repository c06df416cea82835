// npm run bench [-- --write]: every budget with its goal, in one run. Exits 0 whatever the numbers are: this machine decides
// nothing. --write keeps the table in docs/performance.md.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureInstalled, root } from '../scripts/setup.mjs';

ensureInstalled();

/** In this order. Each gives rows {name, value, goal, unit}; one that cannot run here gives none, and says so. */
const PARTS = [
  async () => (await (await import('./hook.mjs')).hookBench()).map(({ name, ratio, goal }) => ({ name, value: ratio, goal, unit: '×' })),
  async () => (await import('./guard.mjs')).guardBench(),
  async () => (await import('./server.mjs')).serverBench(),
  async () => (await import('./growth.mjs')).growthBench(),
  async () => (await import('./state.mjs')).stateBench(),
  async () => (await import('./evidence.mjs')).evidenceBench(),
  async () => (await import('./intel.mjs')).intelBench(),
  async () => (await import('./memory.mjs')).memoryBench(),
  async () => (await import('./client.mjs')).clientBench(),
];

const verdictOf = ({ value, goal }) => (goal === null ? '' : value <= goal ? 'met' : 'MISSED');
const machine = () => `Node ${process.version}, ${os.platform()}, ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}`;

function print(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const row of rows) {
    const goal = row.goal === null ? '' : `goal ${String(row.goal).padStart(4)}`;
    console.log(
      `${row.name.padEnd(width)}  ${row.value.toFixed(2).padStart(7)} ${row.unit.padEnd(2)}  ${goal}  ${verdictOf(row)}`.trimEnd(),
    );
  }
}

function write(rows, where) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const lines = rows.map(
    (row) =>
      `| ${row.name.trim()} | ${row.value.toFixed(2)} ${row.unit} | ${row.goal === null ? '' : `${row.goal} ${row.unit}`} | ${verdictOf(row)} |`,
  );
  const text = `# Performance

<!-- Written by \`npm run bench -- --write\`; do not edit. -->

Readygate ${version}; ${where}. Samples of what is compared are taken in turn, so that a busy moment hits all alike; × are
ratios of processor time or of medians, which say more than milliseconds on another machine.

| what | value | goal | |
| --- | --: | --: | --- |
${lines.join('\n')}
`;
  fs.writeFileSync(path.join(root, 'docs/performance.md'), text);
  console.log('\ndocs/performance.md written');
}

const where = machine();
console.log(`${where}\n`);
const rows = [];
for (const rowsOf of PARTS) {
  const part = await rowsOf();
  print(part);
  rows.push(...part);
}
if (process.argv.includes('--write')) write(rows, where);
