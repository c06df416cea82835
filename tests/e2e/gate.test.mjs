// The gate in the client: who denies what, and what the model is told.
import assert from 'node:assert/strict';
import path from 'node:path';
import { copyWithOneLayer, PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { bash, edit, editCell, flowAnswers, greetEdit, PAYLOADS, read, start, subagent, submit, write } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = 'greet with a comma';
const PROMPT = `/readygate:code ${REQUEST}`;

/** One of each editing tool, on files that were read, so that nothing but the gate stands in the way. */
const attempts = ({ file }) => [
  [read(file('greet.mjs')), read(file('notes.ipynb'))],
  [greetEdit(file('greet.mjs'))],
  [write(file('new.txt'), 'new\n')],
  [editCell(file('notes.ipynb'), '2+2')],
];

const EDITORS = ['Edit', 'Write', 'NotebookEdit'];

function assertAllDenied(run, workspace, kind = 'main') {
  for (const tool of EDITORS) {
    const result = run.mock.results(kind).findLast((candidate) => candidate.tool === tool);
    assert.ok(result, `${tool} was tried`);
    assert.ok(result.isError, `${tool}: ${result.text}`);
    for (const said of [/RG01/, /DOCUMENT_RESEARCH/, /step 3/, /submit_phase/, /\/readygate:override/])
      assert.match(result.text, said, tool);
  }
  assert.equal(workspace.git('status', '--porcelain'), '', 'no file changed');
}

for (const type of ['command', 'mcp_tool']) {
  clientTest(`before READY a hook of type ${type} alone denies Edit, Write and NotebookEdit and says why`, async (t) => {
    const workspace = makeWorkspace(t);
    const plugin = copyWithOneLayer(path.join(workspace.root, 'plugin'), type);
    const script = [[start(REQUEST)], ...attempts(workspace), ['I may not edit yet.']];
    const run = await runClient(workspace, { script, prompt: PROMPT, plugins: [plugin] });
    assertAllDenied(run, workspace);
  });
}

clientTest('before READY a subagent is denied Edit, Write and NotebookEdit too', async (t) => {
  const workspace = makeWorkspace(t);
  const script = {
    main: [[start(REQUEST)], [subagent('SUB-ONE: edit what you can')], ['It could not edit.']],
    agents: { 'SUB-ONE': [...attempts(workspace), ['I may not edit yet.']] },
  };
  const run = await runClient(workspace, { script, prompt: PROMPT, plugins: [PLUGIN] });
  assertAllDenied(run, workspace, 'agent:SUB-ONE');
});

clientTest('edits are denied while planning, allowed at step 13, denied again at step 15', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const request = `--fast ${REQUEST}`;
  const script = [
    [start(request)],
    [read(file('README.md'))],
    [submit(PAYLOADS.documents)],
    [submit(PAYLOADS.frame)],
    [read(file('greet.mjs'))],
    [greetEdit(file('greet.mjs'))],
    [submit(PAYLOADS.tasks)],
    [greetEdit(file('greet.mjs'))],
    [submit(PAYLOADS.report)],
    [submit(PAYLOADS.finish)],
    [bash('node check.mjs')],
    [edit(file('greet.mjs'), 'Hello', 'Howdy')],
    ['Editing is closed again.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });

  assert.equal(flowAnswers(run).at(-1).step, 15);
  const edits = run.mock.results().filter(({ tool }) => tool === 'Edit');
  assert.deepEqual(
    edits.map(({ isError }) => isError),
    [true, false, true],
  );
  assert.match(edits[0].text, /RG02.*READY.*send the task list first/s);
  assert.match(edits[2].text, /RG03.*POST_IMPL_VERIFY.*editing opens again at step 13/s);
  assert.match(workspace.read('greet.mjs'), /Hello, /);
});

clientTest('without a session nothing is denied', async (t) => {
  const workspace = makeWorkspace(t);
  const script = [...attempts(workspace), ['done']];
  const run = await runClient(workspace, { script, prompt: 'edit away', plugins: [PLUGIN] });
  assert.deepEqual(
    run.mock.results().filter(({ isError }) => isError),
    [],
  );
  assert.match(workspace.read('greet.mjs'), /Hello, /);
});
