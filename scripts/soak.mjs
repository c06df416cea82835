// npm run soak [-- --write]: the crash, race, stop-and-continue, fuzz and differential tests at ten times their length.
// Prints what was tried and what survived; --write keeps that in docs/reliability.md.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureInstalled, root, run } from './setup.mjs';

ensureInstalled();

/** Every test that reports points by `tried` (tests/vitest/soak.ts). */
function files() {
  const folder = path.join(root, 'tests/vitest');
  const names = fs.readdirSync(folder, { recursive: true }).map(String);
  return names.filter((name) => name.endsWith('.test.ts') && /\btried\(/.test(fs.readFileSync(path.join(folder, name), 'utf8')));
}

const report = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate soak-')), 'report.jsonl');
fs.writeFileSync(report, '');
const begun = Date.now();
const code = run(path.join(root, 'node_modules/.bin/vitest'), ['run', ...files().map((name) => `tests/vitest/${name}`)], {
  env: { ...process.env, READYGATE_SOAK: '1', READYGATE_SOAK_REPORT: report },
});
const minutes = ((Date.now() - begun) / 60_000).toFixed(1);

const sums = new Map();
for (const line of fs.readFileSync(report, 'utf8').split('\n').filter(Boolean)) {
  const { what, points, survived } = JSON.parse(line);
  const sum = sums.get(what) ?? { points: 0, survived: 0 };
  sums.set(what, { points: sum.points + points, survived: sum.survived + survived });
}
const number = (value) => value.toLocaleString('en-US');
const rows = [...sums].map(([what, { points, survived }]) => [what, number(points), number(survived)]).sort(([a], [b]) => (a < b ? -1 : 1));
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const table = [['what', 'tried', 'survived'], ['---', '--:', '--:'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const verdict = code === 0 ? 'All of it held.' : 'SOMETHING FAILED; see the output of the run.';
console.log(`\n${table}\n\n${verdict} ${minutes} minutes.`);

if (process.argv.includes('--write') && code === 0) {
  const text = `# Reliability

<!-- Written by \`npm run soak -- --write\`; do not edit. -->

The crash, race, stop-and-continue, fuzz and differential tests at ten times their normal length: Readygate ${version},
Node ${process.version}, ${os.platform()}, ${os.cpus().length} cores, ${minutes} minutes.

${table}

${verdict} Generated cases take a new seed each time; the run prints it, and \`READYGATE_SEED\` repeats it.
`;
  fs.writeFileSync(path.join(root, 'docs/reliability.md'), text);
  console.log('docs/reliability.md written');
}
process.exitCode = code;
