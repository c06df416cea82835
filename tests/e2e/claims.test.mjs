// What the model claims, against what the client's hooks saw: each false claim is refused, the honest one is taken.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { bash, edit, flowAnswers, greetEdit, PAYLOADS, read, start, submit } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = 'greet with a comma';

const outcome = ({ error, guard, phase, step }) => [error, guard, phase, step].filter(Boolean).join(' ');

clientTest('a document and a file that nobody opened are refused, and taken once they were opened', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const script = [
    [start(REQUEST)],
    [submit(PAYLOADS.documents)],
    [bash('cat README.md')],
    [submit(PAYLOADS.documents)],
    [submit(PAYLOADS.frame)],
    [submit(PAYLOADS.understood)],
    [read(file('greet.mjs'))],
    [submit(PAYLOADS.exploration)],
    [bash('cat check.mjs')],
    [submit(PAYLOADS.exploration)],
    ['Next.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${REQUEST}`, plugins: [PLUGIN] });
  const answers = flowAnswers(run);
  assert.deepEqual(answers.map(outcome), [
    'DOCUMENT_RESEARCH 3',
    'payload_mismatch RG12 DOCUMENT_RESEARCH 3',
    'QUERY_FRAME 4',
    'REQUEST_UNDERSTANDING 4',
    'EXPLORATION 5',
    'payload_mismatch RG12 EXPLORATION 5',
    'Q1 6',
  ]);
  assert.match(JSON.stringify(answers[5].problems), /explored_files\/1.*check\.mjs/);
  const journal = fs.readFileSync(file(`.readygate/sessions/${answers[0].session_id}/journal.jsonl`), 'utf8');
  const blocked = journal
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'block');
  assert.deepEqual(
    blocked.map(({ guard, phase }) => [guard, phase]),
    [
      ['RG12', 'DOCUMENT_RESEARCH'],
      ['RG12', 'EXPLORATION'],
    ],
  );
});

clientTest('"passed" without a check, before a later edit, or with a hidden exit code is refused; an honest one is taken', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const request = '--fast --no-doc greet with a comma';
  const script = [
    [start(request)],
    [submit(PAYLOADS.frame)],
    [read(file('greet.mjs'))],
    [submit(PAYLOADS.tasks)],
    [bash('node check.mjs || true')],
    [greetEdit(file('greet.mjs'))],
    [submit(PAYLOADS.report)],
    [submit(PAYLOADS.finish)],
    [submit(PAYLOADS.verified)],
    [bash('node check.mjs | tail -n 1')],
    [submit(PAYLOADS.verified)],
    [bash('node check.mjs')],
    [submit(PAYLOADS.verified)],
    ['Next.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });
  assert.deepEqual(flowAnswers(run).slice(-3).map(outcome), [
    'payload_mismatch RG12 POST_IMPL_VERIFY 15',
    'payload_mismatch RG12 POST_IMPL_VERIFY 15',
    'PRE_COMMIT 17',
  ]);
});

clientTest('a check that ran before the last edit proves nothing', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const request = '--fast --no-doc greet with a comma';
  const script = [
    [start(request)],
    [submit(PAYLOADS.frame)],
    [read(file('greet.mjs'))],
    [submit(PAYLOADS.tasks)],
    [greetEdit(file('greet.mjs'))],
    [bash('node check.mjs')],
    [edit(file('greet.mjs'), 'Hello', 'Howdy')],
    [submit(PAYLOADS.report)],
    [submit(PAYLOADS.finish)],
    [submit(PAYLOADS.verified)],
    ['Caught.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });
  assert.equal(outcome(flowAnswers(run).at(-1)), 'payload_mismatch RG12 POST_IMPL_VERIFY 15');
});

clientTest('what a script changed before READY is found at the next submission, and undone with a copy kept', async (t) => {
  const workspace = makeWorkspace(t);
  workspace.write('generate.sh', '#!/bin/bash\necho sneaky >>greet.mjs\necho new >sneaky.txt\n');
  fs.chmodSync(workspace.file('generate.sh'), 0o755);
  workspace.git('add', '-A');
  workspace.git('commit', '-q', '-m', 'add a generator');
  const before = workspace.read('greet.mjs');
  const request = '--fast --no-doc greet with a comma';
  const script = [
    [start(request)],
    [bash('./generate.sh')],
    [submit(PAYLOADS.frame)],
    [submit({ resolve_changes: 'undo' })],
    [submit(PAYLOADS.frame)],
    ['Next.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });
  const answers = flowAnswers(run);
  assert.deepEqual(answers.map(outcome), ['QUERY_FRAME 4', 'guard_blocked RG13 QUERY_FRAME 4', 'QUERY_FRAME 4', 'READY 12']);
  assert.match(answers[1].message, /greet\.mjs/);
  assert.equal(workspace.read('greet.mjs'), before);
  assert.equal(workspace.exists('sneaky.txt'), false);
  const session = workspace.file(`.readygate/sessions/${answers[0].session_id}`);
  const kept = fs.readdirSync(session, { recursive: true }).map(String);
  assert.ok(
    kept.some((name) => name.endsWith('sneaky.txt')),
    kept.join(', '),
  );
});
