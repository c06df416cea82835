// Sessions outlive what carries them: the server's process, and the client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { flowAnswers, PAYLOADS, read, start, status, submit, walked } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = 'greet with a comma';
const PROMPT = `/readygate:code ${REQUEST}`;

/** The plugin's server that this client started, found by descent, so that no other one is meant. */
function serverOf(client) {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args }));
  const below = (pid) => processes.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  const servers = below(client).filter(({ args }) => args.includes('plugin/server.cjs'));
  assert.equal(servers.length, 1, JSON.stringify(servers));
  return servers[0].pid;
}

clientTest('a killed server is started again and the session goes on at the same step', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const killed = [];
  const kill = ({ clientPid }) => {
    const pid = serverOf(clientPid);
    process.kill(pid, 'SIGKILL');
    killed.push(pid);
    // A call in the same moment meets the client's closed connection, which is the host's to report.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  };
  const script = [
    [start(REQUEST)],
    [read(file('README.md'))],
    [submit(PAYLOADS.documents)],
    (client) => {
      kill(client);
      return [status()];
    },
    [submit(PAYLOADS.frame)],
    [submit(PAYLOADS.understood)],
    [read(file('greet.mjs')), read(file('check.mjs'))],
    (client) => {
      kill(client);
      return [submit(PAYLOADS.exploration)];
    },
    ['Going on.'],
  ];
  const run = await runClient(workspace, { script, prompt: PROMPT, plugins: [PLUGIN] });

  assert.deepEqual(walked(run), [
    'DOCUMENT_RESEARCH 3',
    'QUERY_FRAME 4',
    'QUERY_FRAME 4',
    'REQUEST_UNDERSTANDING 4',
    'EXPLORATION 5',
    'Q1 6',
  ]);
  assert.equal(new Set(killed).size, 2, 'two different processes');
});

clientTest('a second client is told that a session is active, and how to go on; then it goes on', async (t) => {
  const workspace = makeWorkspace(t);
  const first = await runClient(workspace, {
    script: [[start(REQUEST)], [read(workspace.file('README.md'))], [submit(PAYLOADS.documents)], ['Later.']],
    prompt: PROMPT,
    plugins: [PLUGIN],
  });
  const [{ session_id }] = flowAnswers(first);

  const script = [[start('another thing')], [status()], [submit(PAYLOADS.frame)], ['Going on.']];
  const second = await runClient(workspace, { script, prompt: '/readygate:code another thing', plugins: [PLUGIN] });
  const [refused, ...went] = flowAnswers(second);

  assert.equal(refused.isError, true);
  assert.equal(refused.error, 'session_active');
  assert.equal(refused.session_id, session_id);
  for (const way of [/get_session_status/, /--clean/, /work tree/]) assert.match(refused.message, way);
  assert.deepEqual(
    went.map(({ session_id: id, phase, isError }) => [id, phase, isError]),
    [
      [session_id, 'QUERY_FRAME', false],
      [session_id, 'REQUEST_UNDERSTANDING', false],
    ],
  );
  assert.notEqual(workspace.state().owner, null);
});
