// SessionStart: what the model knows of a session when its context begins anew.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { toldIn } from './mock-api.mjs';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, PROGRAM_FOLDERS, runClient } from './run-client.mjs';
import { flowAnswers, PAYLOADS, start, submit } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = '--no-doc greet with a comma';
const PROMPT = `/readygate:code ${REQUEST}`;
const begun = () => [[start(REQUEST)], [submit(PAYLOADS.frame)], ['Next I explore.']];

const hookAnswers = (run) => run.events.filter(({ subtype, hook_event }) => subtype === 'hook_response' && hook_event === 'SessionStart');

/** That a request tells where the session stands and what to do, beyond what the conversation itself still holds. */
function assertInstructed(request, { session_id, phase, instruction }) {
  const told = toldIn(request);
  const missing = [session_id, phase, 'submit_phase', instruction].filter((part) => !told.includes(part));
  assert.deepEqual(missing, [], 'parts that the model was not told');
}

clientTest('after /compact the current instruction is back in the context', async (t) => {
  const workspace = makeWorkspace(t);
  const script = [...begun(), ['Going on.']];
  const run = await runClient(workspace, { script, prompt: [PROMPT, '/compact', 'go on'], plugins: [PLUGIN] });

  const last = run.mock.ofKind('main').at(-1);
  assert.equal(run.mock.ofKind('compact').length, 1);
  assert.ok(toldIn(last).includes('scripted summary'), 'the conversation was compacted');
  assertInstructed(last, flowAnswers(run).at(-1));
});

clientTest('a client that starts or resumes beside an active session is told its instruction', async (t) => {
  const workspace = makeWorkspace(t);
  const first = await runClient(workspace, { script: begun(), prompt: PROMPT, plugins: [PLUGIN] });
  const answer = flowAnswers(first).at(-1);

  const fresh = await runClient(workspace, { script: [['ok']], prompt: 'hello', plugins: [PLUGIN] });
  assertInstructed(fresh.mock.ofKind('main')[0], answer);

  const resumed = await runClient(workspace, { script: [['ok']], prompt: 'hello', plugins: [PLUGIN], args: ['--continue'] });
  assert.deepEqual(
    hookAnswers(resumed).map(({ hook_name }) => hook_name),
    ['SessionStart:resume'],
  );
  const said = hookAnswers(resumed)[0].stdout;
  assert.ok(said.includes(answer.session_id) && said.includes(answer.phase), said);
});

clientTest('nothing is said when no session is active and nothing is missing', async (t) => {
  const workspace = makeWorkspace(t);
  const run = await runClient(workspace, { script: [['ok']], prompt: 'hello', plugins: [PLUGIN] });
  const answers = hookAnswers(run);
  assert.notEqual(answers.length, 0);
  for (const { stdout, stderr, exit_code } of answers) assert.deepEqual([stdout, stderr, exit_code], ['', '', 0]);
  assert.equal(workspace.exists('.readygate'), false);
});

/** A folder that offers every program that the client finds otherwise, but one. */
function pathWithout(program, folder) {
  const offered = PROGRAM_FOLDERS.toReversed().flatMap((from) => fs.readdirSync(from).map((name) => [name, path.join(from, name)]));
  const programs = new Map(offered);
  programs.delete(program);
  fs.mkdirSync(folder);
  for (const [name, file] of programs) fs.symlinkSync(file, path.join(folder, name));
  return folder;
}

clientTest('a missing jq is named at the start', async (t) => {
  const workspace = makeWorkspace(t);
  const env = { PATH: pathWithout('jq', path.join(workspace.root, 'bin')) };
  const run = await runClient(workspace, { script: [['ok']], prompt: 'hello', plugins: [PLUGIN], env });
  assert.equal(run.code, 0, run.stderr);
  const said = hookAnswers(run).map(({ stdout }) => stdout);
  assert.match(said.join('\n'), /\bjq\b/);
});
