// What it costs that a state survives: a submission with everything written down, against the two fsyncs that no way leads around.
// Run: node bench/state.mjs [server.cjs]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleave, median, percentile } from './measure.mjs';
import { sessionAtImplement } from './session.mjs';

const ROUNDS = 150;

/** Writes the bytes of the present state durably, and nothing else: file, fsync, rename, fsync of the folder. */
function writeBarely(folder) {
  const bytes = fs.readFileSync(path.join(folder, '.readygate/state.json'));
  const [fresh, file] = [path.join(folder, 'fresh'), path.join(folder, 'file')];
  const handle = fs.openSync(fresh, 'w');
  fs.writeFileSync(handle, bytes);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  fs.renameSync(fresh, file);
  const parent = fs.openSync(folder, 'r');
  fs.fsyncSync(parent);
  fs.closeSync(parent);
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * Rows for the table: {name, value, goal, unit}.
 * @param {string} server the built server
 */
export async function stateBench(server = fileURLToPath(new URL('../plugin/server.cjs', import.meta.url))) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const { client, call } = await sessionAtImplement(folder, ROUNDS + 1, server);
    const report = (round) => timed(() => call('submit_phase', { data: { task_id: `t${round}`, summary: 'done' } }));
    const times = await interleave({ bare: () => timed(() => writeBarely(folder)), report }, ROUNDS);
    await client.close();
    return [
      { name: 'submit_phase with fsync, p95', value: percentile(times.report, 95), goal: 10, unit: 'ms' },
      { name: '  the two fsyncs alone, p95', value: percentile(times.bare, 95), goal: null, unit: 'ms' },
      { name: 'submit_phase with fsync ÷ the two fsyncs alone', value: median(times.report) / median(times.bare), goal: null, unit: '×' },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { name, value, goal, unit } of await stateBench(process.argv[2])) {
    console.log(`${name.padEnd(50)} ${value.toFixed(2).padStart(7)} ${unit}  ${goal === null ? '' : `goal ${goal}`}`);
  }
}
