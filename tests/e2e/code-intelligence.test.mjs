// An exploration with every tool of code intelligence, by its real name; what they show is evidence, what they do not is none.
import assert from 'node:assert/strict';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { FLOW, PAYLOADS, start, submit } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const intel = (name, input) => ({ tool: `${FLOW}${name}`, input });

clientTest('each tool answers through the real client, and what it showed may be claimed as explored', async (t) => {
  const workspace = makeWorkspace(t);
  const claim = (...files) => submit({ explored_files: files, findings: ['greet is defined in greet.mjs'] });
  const calls = [
    ['sync_index', {}, /In step: 5 of 5 files/],
    ['find_definitions', { symbol: 'greet' }, /greet\.mjs/],
    ['find_references', { symbol: 'greet' }, /check\.mjs/],
    ['get_symbols', { path: 'greet.mjs' }, /greet/],
    ['semantic_search', { query: 'how is somebody greeted', terms: ['greet', 'Hello'] }, /greet\.mjs/],
    ['analyze_impact', { targets: ['greet.mjs'] }, /check\.mjs/],
    ['search_files', { query: 'notes' }, /notes\.ipynb/],
    ['review_changes', {}, /0 files changed/],
    ['search_text', { patterns: ['milk'], path: 'todo.txt' }, /todo\.txt/],
  ];
  const script = [
    [start('--no-doc --no-pre-planning greet with a comma')],
    [submit(PAYLOADS.frame)],
    [intel(...calls[0])],
    [claim('greet.mjs')],
    ...calls.slice(1).map((call) => [intel(...call)]),
    [claim('greet.mjs', 'check.mjs', 'notes.ipynb', 'todo.txt')],
    ['Next.'],
  ];
  const run = await runClient(workspace, {
    script,
    prompt: '/readygate:code --no-doc --no-pre-planning greet with a comma',
    plugins: [PLUGIN],
  });
  const results = run.mock.results();
  for (const [name, , expected] of calls) {
    const result = results.find(({ tool }) => tool === `${FLOW}${name}`);
    assert.ok(result, `${name} was called`);
    assert.equal(result.isError, false, `${name}: ${result.text}`);
    assert.match(result.text, expected, name);
    assert.ok(Buffer.byteLength(result.text) < 4096, `${name} is short`);
  }
  const claims = results.filter(({ tool }) => tool === `${FLOW}submit_phase`).map(({ text }) => JSON.parse(text));
  assert.equal(claims[1].guard, 'RG12', 'an index that is in step has shown nothing');
  assert.equal(claims[2].phase, 'Q1', JSON.stringify(claims[2].problems));
  assert.equal(workspace.git('status', '--porcelain'), '');
});
