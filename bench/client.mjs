// What the plugin costs in the real client: the same scripted conversation without it, with it and no session, and with it
// at an open gate. Two lengths tell the cost of a tool call from that of a start.
import fs from 'node:fs';
import path from 'node:path';
import { clientPath } from '../scripts/e2e-setup.mjs';
import { PLUGIN } from '../tests/e2e/plugin-copies.mjs';
import { runClient } from '../tests/e2e/run-client.mjs';
import { bash, edit, read } from '../tests/e2e/turns.mjs';
import { makeWorkspace } from '../tests/e2e/workspace.mjs';
import { interleave, median } from './measure.mjs';
import { SERVER, sessionIn } from './session.mjs';

const SHORT = 3;
const LONG = 63;
const ROUNDS = 5;

/** Reads, edits and commands in turn. */
function conversation(file, calls) {
  const turns = Array.from({ length: calls }, (_, index) => {
    if (index % 3 === 0) return [read(file('greet.mjs'))];
    if (index % 3 === 1) return [bash(`ls README.md && echo ${index}`)];
    const [from, to] = index % 2 === 0 ? ['Hello', 'Hullo'] : ['Hullo', 'Hello'];
    return [edit(file('greet.mjs'), from, to)];
  });
  return [...turns, ['done']];
}

/** Milliseconds of one conversation with so many tool calls. */
async function timed(calls, { plugins, session }) {
  const left = [];
  const workspace = makeWorkspace({ after: (work) => left.push(work), diagnostic() {} });
  try {
    if (session) await (await sessionIn(workspace.repo, 3, SERVER)).client.close();
    const begun = performance.now();
    const { code, mock } = await runClient(workspace, { script: conversation(workspace.file, calls), prompt: 'go', plugins });
    const taken = performance.now() - begun;
    const failed = mock.results().filter(({ isError }) => isError);
    if (code !== 0 || failed.length > 0) throw new Error(`the client ended with ${code}; ${failed[0]?.text ?? ''}`);
    return taken;
  } finally {
    for (const work of left) work();
  }
}

/** Rows for the table: {name, value, goal, unit}; none, and a notice, where the client is not installed. */
export async function clientBench() {
  if (!clientPath() || !fs.existsSync(path.join(PLUGIN, 'plugin/server.cjs'))) {
    console.log('the real client is not installed (npm run e2e:setup fetches it): its rows are left out\n');
    return [];
  }
  const kinds = {
    none: { plugins: [], session: false },
    idle: { plugins: [PLUGIN], session: false },
    open: { plugins: [PLUGIN], session: true },
  };
  const samplers = Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => [
      [`${name}/short`, () => timed(SHORT, kind)],
      [`${name}/long`, () => timed(LONG, kind)],
    ]),
  );
  const times = await interleave(samplers, ROUNDS);
  const perCall = (name) => (median(times[`${name}/long`]) - median(times[`${name}/short`])) / (LONG - SHORT);
  const bare = perCall('none');
  return [
    { name: 'real client, a tool call without the plugin', value: bare, goal: null, unit: 'ms' },
    { name: '  more with the plugin, no session', value: perCall('idle') - bare, goal: null, unit: 'ms' },
    { name: '  more with the plugin, gate open', value: perCall('open') - bare, goal: null, unit: 'ms' },
    {
      name: '  start of the client, more with the plugin',
      value: median(times['idle/short']) - median(times['none/short']),
      goal: null,
      unit: 'ms',
    },
  ];
}
