// Whether a server that runs for long stays as it was: its memory and its answers' time over 10,000 submissions.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median } from './measure.mjs';
import { sessionAtImplement } from './session.mjs';

const SUBMISSIONS = 10_000;
const WINDOW = 1000;

/** Resident memory of a process in MB. */
const residentOf = (pid) => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Rows for the table: {name, value, goal, unit}. */
export async function memoryBench() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-bench-')));
  try {
    const { client, call } = await sessionAtImplement(folder, 10);
    const list = (round) => Array.from({ length: 10 }, (_, index) => ({ id: `t${index}`, description: `${round}`, status: 'pending' }));
    const times = [];
    const resident = [];
    for (let round = 1; round <= SUBMISSIONS; round++) {
      const begun = performance.now();
      await call('submit_phase', { data: { tasks: list(round) } });
      times.push(performance.now() - begun);
      if (round % 100 === 0) resident.push(residentOf(client.transport.pid));
    }
    // What is there between two collections goes up and down.
    const samples = WINDOW / 100;
    const [early, late] = [median(resident.slice(0, samples)), median(resident.slice(-samples))];
    await client.close();
    return [
      { name: 'server after 10,000 submissions, memory', value: late, goal: null, unit: 'MB' },
      { name: '  memory ÷ that in the first 1,000', value: late / early, goal: 1.2, unit: '×' },
      {
        name: '  last 1,000 answers ÷ first 1,000',
        value: median(times.slice(-WINDOW)) / median(times.slice(0, WINDOW)),
        goal: 1.2,
        unit: '×',
      },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
