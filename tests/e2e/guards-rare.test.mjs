// Guards that most sessions never meet: Monitor, edits outside any session (RG00), edits outside the plan (RG08).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { edit, PAYLOADS, read, start, submit, write } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = '--fast --no-doc greet with a comma';
const denied = (run, guard) => run.mock.results('main').filter(({ isError, text }) => isError && text.includes(guard));
const heard = (run, guard) => JSON.stringify(run.mock.ofKind('main').at(-1).body.messages).includes(guard);

function configure(workspace, text) {
  fs.mkdirSync(workspace.file('.readygate'), { recursive: true });
  workspace.write('.readygate/config.yml', text);
}

const monitor = (command) => ({
  tool: 'Monitor',
  input: { command, description: 'scripted', timeout_ms: 5000, persistent: false },
});

clientTest('Monitor runs commands, so before READY one that writes is denied', async (t) => {
  const workspace = makeWorkspace(t);
  const script = [[start(REQUEST)], [monitor('echo changed > greet.mjs')], ['No.'], ['No.']];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${REQUEST}`, plugins: [PLUGIN] });
  const offered = run.mock.ofKind('main')[0].body.tools.map(({ name }) => name);
  t.diagnostic(`the client offers Monitor: ${offered.includes('Monitor')}, PowerShell: ${offered.includes('PowerShell')}`);
  assert.equal(denied(run, 'RG04').length, 1, JSON.stringify(run.mock.results('main')));
  assert.match(workspace.read('greet.mjs'), /export const greet/);
});

clientTest('enforce: always denies edits outside any session, until the user lifts it', async (t) => {
  const workspace = makeWorkspace(t);
  configure(workspace, 'enforce: always\n');
  const script = [[write(workspace.file('new.txt'), 'one')], ['No.'], [write(workspace.file('new.txt'), 'two')], ['Done.']];
  const run = await runClient(workspace, {
    script,
    prompt: ['write new.txt', '/readygate:override only a note'],
    plugins: [PLUGIN],
  });
  assert.equal(denied(run, 'RG00').length, 1, JSON.stringify(run.mock.results('main')));
  assert.equal(workspace.read('new.txt'), 'two');
});

/** todo.txt was read before the session began, and no task names it. */
const outOfPlan = (workspace) => [
  [read(workspace.file('todo.txt'))],
  [start(REQUEST)],
  [submit(PAYLOADS.frame)],
  [submit(PAYLOADS.tasks)],
  [edit(workspace.file('todo.txt'), 'milk', 'bread')],
  ['Done.'],
  ['Done.'],
];

clientTest('an edit that no task names goes on with a warning', async (t) => {
  const workspace = makeWorkspace(t);
  const run = await runClient(workspace, { script: outOfPlan(workspace), prompt: `/readygate:code ${REQUEST}`, plugins: [PLUGIN] });
  assert.equal(heard(run, 'RG08'), true, JSON.stringify(run.mock.results('main')));
  assert.equal(workspace.read('todo.txt'), 'bread\n');
});

clientTest('guard.out_of_plan: deny refuses it', async (t) => {
  const workspace = makeWorkspace(t);
  configure(workspace, 'guard:\n  out_of_plan: deny\n');
  const run = await runClient(workspace, { script: outOfPlan(workspace), prompt: `/readygate:code ${REQUEST}`, plugins: [PLUGIN] });
  assert.equal(denied(run, 'RG08').length, 1, JSON.stringify(run.mock.results('main')));
  assert.equal(workspace.read('todo.txt'), 'milk\n');
});
