// Pre-planning as the real client walks it: a failed item, a retry, an assumption, one that nobody may make, through to the plan.
import assert from 'node:assert/strict';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { bash, flowAnswers, PAYLOADS, read, start, submit } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const need = (id, category, description, purpose) => ({
  id,
  category,
  description,
  purpose,
  collection_method: { tool: 'Grep', parameters: { pattern: id } },
  fallback_strategy: 'read what is near',
  can_assume: true,
});

const result = (info_id, more) => ({ collection_results: [{ info_id, tool_calls_used: 1, ...more }] });

clientTest('facts, assumptions and gaps reach the plan apart from each other', async (t) => {
  const workspace = makeWorkspace(t);
  const { file } = workspace;
  const request = 'greet with a comma and tell the mail service';
  const { request_understanding } = PAYLOADS.understood;
  const information_needs = {
    required_information: [
      need('greeting', 'codebase', 'where the greeting is made', 'to change it there'),
      need('naming', 'context', 'how new files are named', 'to name one alike'),
      need('mail', 'external', 'the API key of the mail service', 'to tell it of the greeting'),
    ],
    collection_order: ['greeting', 'naming', 'mail'],
    skip_collection: false,
  };
  const script = [
    [start(request)],
    [read(file('README.md'))],
    [submit(PAYLOADS.documents)],
    [submit(PAYLOADS.frame)],
    [submit({ request_understanding })],
    [submit({ information_needs })],
    // A fact needs something that it points at, which must have been opened.
    [submit(result('greeting', { status: 'collected', collected_data: { summary: 'greet returns it', pointer: 'greet.mjs:1' } }))],
    [read(file('greet.mjs'))],
    [submit(result('greeting', { status: 'collected', collected_data: { summary: 'greet returns it', pointer: 'greet.mjs:1' } }))],
    [bash('ls docs || true')],
    [submit(result('naming', { status: 'failed', failure_reason: 'no document says it' }))],
    [
      submit(
        result('naming', {
          status: 'assumed',
          assumption: { assumed_value: 'kebab-case', reasoning: 'the two files there are', confidence: 0.6 },
        }),
      ),
    ],
    [
      submit(
        result('mail', {
          status: 'assumed',
          assumption: { assumed_value: 'QWERTY-4711', reasoning: 'it is the usual one', confidence: 0.9 },
        }),
      ),
    ],
    [read(file('check.mjs'))],
    [submit(PAYLOADS.exploration)],
    [submit(PAYLOADS.nothingNeeded)],
    ['Now I plan.'],
    ['Really.'],
  ];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN] });
  assert.equal(run.code, 0, run.stderr);
  const answers = flowAnswers(run);
  const places = answers.map(({ error, phase, substep }) => [error, phase, substep].filter(Boolean).join(' '));
  assert.deepEqual(places, [
    'DOCUMENT_RESEARCH',
    'QUERY_FRAME',
    'REQUEST_UNDERSTANDING 4a',
    'INFORMATION_PLANNING 4b',
    'INFORMATION_COLLECTION 4c',
    'payload_mismatch INFORMATION_COLLECTION 4c',
    'INFORMATION_COLLECTION 4c',
    'INFORMATION_COLLECTION 4c',
    'INFORMATION_COLLECTION 4c',
    'EXPLORATION',
    'Q1',
    'READY plan',
  ]);
  assert.match(answers[7].warnings.join('\n'), /naming was not found: retry 1 of 2/);
  assert.match(answers[9].warnings.join('\n'), /mail may never be assumed \(credentials\)/);

  const plan = answers.at(-1).instruction;
  const [known, assumed, unknown] = ['\nKnown:\n', '\nAssumed', '\nUnknown:\n'].map((heading) => plan.indexOf(heading));
  assert.ok(known >= 0 && known < assumed && assumed < unknown, plan);
  assert.match(plan.slice(known, assumed), /- greeting: greet returns it \(greet\.mjs:1\)/);
  assert.match(plan.slice(assumed, unknown), /- naming = kebab-case \(confidence 60 %\): the two files there are/);
  assert.match(plan.slice(unknown), /- mail: the API key of the mail service\. Impact: to tell it of the greeting/);

  const kept = JSON.parse(workspace.read(`.readygate/sessions/${answers.at(-1).session_id}/pre_planning.json`)).pre_planning_result;
  assert.equal(kept.total_tool_calls, 4);
  assert.equal(kept.collection_success_rate, 1 / 3);
  for (const text of [JSON.stringify(answers), JSON.stringify(workspace.state()), JSON.stringify(kept)])
    assert.ok(!text.includes('QWERTY'));
});
