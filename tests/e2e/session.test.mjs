// Whole sessions, from the user's prompt to the end, as the client and the repository see them.
import assert from 'node:assert/strict';
import { toldIn } from './mock-api.mjs';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { bash, FLOW, flowAnswers, greetEdit, PAYLOADS, read, start, submit, walked } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const TOKENS_FOR_TOOLS = 1500;
const CHARS_PER_TOKEN = 4;

/** A default session: nothing skipped by a flag, only by the answers. */
const defaultSession = (request, { file }) => [
  [start(request)],
  [read(file('README.md'))],
  [submit(PAYLOADS.documents)],
  [submit(PAYLOADS.frame)],
  [submit(PAYLOADS.understood)],
  [read(file('greet.mjs')), read(file('check.mjs'))],
  [submit(PAYLOADS.exploration)],
  [submit(PAYLOADS.nothingNeeded)],
  [submit(PAYLOADS.tasks)],
  [greetEdit(file('greet.mjs'))],
  [submit(PAYLOADS.report)],
  [submit(PAYLOADS.finish)],
  [bash('node check.mjs')],
  [submit(PAYLOADS.verified)],
  [bash('git diff')],
  [submit(PAYLOADS.review)],
  [bash('git diff main...HEAD')],
  [submit(PAYLOADS.quality)],
  [submit(PAYLOADS.merge)],
  ['The greeting has its comma.'],
];

clientTest("a default session goes from the prompt to the merge and leaves what is the user's alone", async (t) => {
  const workspace = makeWorkspace(t);
  workspace.write('todo.txt', 'milk\neggs\n');
  const request = 'greet with a comma & an exclamation mark';
  const script = defaultSession(request, workspace);
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });

  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.result, 'The greeting has its comma.');
  assert.deepEqual(
    run.mock.results().filter(({ isError }) => isError),
    [],
  );
  assert.deepEqual(walked(run), [
    'DOCUMENT_RESEARCH 3',
    'QUERY_FRAME 4',
    'REQUEST_UNDERSTANDING 4',
    'EXPLORATION 5',
    'Q1 6',
    'READY 12',
    'READY 13',
    'READY 14',
    'POST_IMPL_VERIFY 15',
    'PRE_COMMIT 17',
    'QUALITY_REVIEW 18',
    'MERGE 19',
    'SESSION_COMPLETE',
  ]);
  const last = flowAnswers(run).at(-1);
  assert.equal(last.outcome, 'completed');

  const { git } = workspace;
  const branch = `readygate/${last.session_id}`;
  assert.match(git('log', '-1', '--format=%s'), new RegExp(`^Merge ${branch}`));
  assert.equal(git('log', '-1', '--format=%P').split(' ').length, 2, 'a merge commit');
  assert.equal(git('log', '-1', '--format=%s', 'HEAD^2'), 'Greet with a comma');
  assert.equal(git('log', '-1', '--format=%(trailers:key=Readygate-Session,valueonly)', 'HEAD^2'), last.session_id);
  assert.equal(git('show', '--name-only', '--format=', 'HEAD^2'), 'greet.mjs');
  assert.equal(git('branch', '--format=%(refname:short)'), 'main');
  assert.equal(workspace.read('todo.txt'), 'milk\neggs\n');
  assert.equal(git('status', '--porcelain'), ' M todo.txt', "the user's change is the only one left");
  assert.equal(workspace.state(), null);
  assert.equal(workspace.archived(last.session_id).outcome, 'completed');
});

clientTest('the skill reaches the model with the request in it, and its tools cost little', async (t) => {
  const workspace = makeWorkspace(t);
  const request = '--fast say "hello" to $USER & co';
  const run = await runClient(workspace, { script: [['ok']], prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });
  const [first] = run.mock.ofKind('main');

  const told = toldIn(first);
  assert.match(told, /Start a Readygate session/);
  assert.ok(told.includes(`<request>\n   ${request}\n   </request>`), told);
  assert.ok(!told.includes('$ARGUMENTS'));

  const tools = first.body.tools.filter(({ name }) => name.includes('readygate'));
  assert.deepEqual(tools.map(({ name }) => name.replace(FLOW, '')).sort(), [
    'get_session_status',
    'save_artifact',
    'start_session',
    'submit_phase',
  ]);
  const sizes = tools.map((tool) => JSON.stringify(tool).length);
  const chars = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`tool definitions: ${chars} characters, about ${Math.round(chars / CHARS_PER_TOKEN)} tokens (${sizes.join(' + ')})`);
  assert.ok(chars / CHARS_PER_TOKEN < TOKENS_FOR_TOOLS, `${chars} characters`);
});

clientTest('an investigation ends investigated, without a branch and without a change', async (t) => {
  const workspace = makeWorkspace(t);
  const request = 'why does check.mjs fail?';
  const { file, git } = workspace;
  const before = git('rev-parse', 'HEAD');
  const script = [
    [start(request, 'QUESTION')],
    [read(file('README.md'))],
    [submit(PAYLOADS.documents)],
    [submit({ ...PAYLOADS.frame, action_type: 'explain' })],
    [submit(PAYLOADS.understood)],
    [read(file('greet.mjs')), read(file('check.mjs'))],
    [submit(PAYLOADS.exploration)],
    [submit(PAYLOADS.nothingNeeded)],
    ['greet says "Hello Ada", without comma and exclamation mark.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });

  const last = flowAnswers(run).at(-1);
  assert.equal(last.phase, 'SESSION_COMPLETE');
  assert.equal(last.outcome, 'investigated');
  assert.equal(git('branch', '--format=%(refname:short)'), 'main');
  assert.equal(git('rev-parse', 'HEAD'), before);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(workspace.state(), null);
});

clientTest('a quick session leaves its changes uncommitted and lists them', async (t) => {
  const workspace = makeWorkspace(t);
  const request = '--quick greet with a comma';
  const { file, git } = workspace;
  const script = [
    [start(request)],
    [read(file('README.md'))],
    [submit(PAYLOADS.documents)],
    [submit(PAYLOADS.frame)],
    [read(file('greet.mjs'))],
    [submit(PAYLOADS.tasks)],
    [greetEdit(file('greet.mjs'))],
    [submit(PAYLOADS.report)],
    [submit(PAYLOADS.finish)],
    [bash('node check.mjs')],
    [submit(PAYLOADS.verified)],
    ['Done, not committed.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });

  const last = flowAnswers(run).at(-1);
  assert.equal(last.phase, 'SESSION_COMPLETE');
  assert.equal(last.outcome, 'completed');
  assert.match(last.instruction, /uncommitted: greet\.mjs/);
  assert.equal(git('status', '--porcelain'), ' M greet.mjs');
  assert.equal(git('branch', '--format=%(refname:short)'), 'main');
  assert.equal(git('rev-list', '--count', 'HEAD'), '1');
});
