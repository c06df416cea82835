// When verification fails and fails, the person decides: asked by the server where the client can, else through the model.
import assert from 'node:assert/strict';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { bash, flowAnswers, PAYLOADS, read, start, submit } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const REQUEST = '--quick --no-doc greet with a comma';
const PROMPT = `/readygate:code ${REQUEST}`;
const FAILURES = 6;

const plan = (round) => ({ tasks: [{ id: `t${round}`, description: `Attempt ${round}`, status: 'pending', files: ['greet.mjs'] }] });

/** One attempt that fails; the calls of a turn are carried out in order. */
const failingRound = (round) => [
  [submit(plan(round)), submit({ task_id: `t${round}`, summary: 'tried' }), submit(PAYLOADS.finish)],
  [bash('node check.mjs')],
  [submit({ passed: false, details: 'node check.mjs: exit 1, Hello Ada' })],
];

const upToEscalation = ({ file }) => [
  [start(REQUEST)],
  [submit(PAYLOADS.frame)],
  [read(file('greet.mjs'))],
  ...Array.from({ length: FAILURES }, (_, index) => failingRound(index + 1)).flat(),
];

clientTest('the person is asked when verification keeps failing, and the answer retry leads back to planning', async (t) => {
  const workspace = makeWorkspace(t);
  const asked = [];
  const answer = (request) => {
    asked.push(request);
    return { action: 'accept', content: { decision: 'retry' } };
  };
  const script = [...upToEscalation(workspace), ['Planning anew.']];
  const run = await runClient(workspace, { script, prompt: [PROMPT], plugins: [PLUGIN], answer });

  assert.deepEqual(
    asked.map(({ subtype }) => subtype),
    ['elicitation'],
  );
  assert.match(asked[0].message, /Hello Ada/, 'the question says what failed');
  assert.doesNotMatch(asked[0].message, /your ask-the-user tool|user_decision/, 'the question is for a person, not for the model');
  assert.deepEqual(asked[0].requested_schema.properties.decision.enum, ['retry', 'accept', 'abort']);
  const last = flowAnswers(run).at(-1);
  assert.deepEqual([last.phase, last.step, last.isError], ['READY', 12, false]);
  assert.deepEqual(last.warnings, []);
  assert.equal(workspace.state().counters.verify_failures, 0);
});

clientTest('where the person cannot be asked, the model relays the decision and a warning says so', async (t) => {
  const workspace = makeWorkspace(t);
  const script = [...upToEscalation(workspace), [submit({ user_decision: 'accept', note: 'the user said so' })], ['Accepted.']];
  const run = await runClient(workspace, { script, prompt: PROMPT, plugins: [PLUGIN] });

  const [escalated, last] = flowAnswers(run).slice(-2);
  assert.deepEqual([escalated.phase, escalated.step, escalated.escalation, escalated.isError], ['VERIFY_INTERVENTION', 16, true, false]);
  assert.match(escalated.instruction, /retry.*accept.*abort/s);
  assert.deepEqual([last.phase, last.outcome, last.isError], ['SESSION_COMPLETE', 'accepted_unverified', false]);
  assert.match(last.warnings.join('\n'), /relayed by the model/);
  assert.match(last.warnings.join('\n'), /although verification failed/);
});

clientTest('a person who declines the question has not handed the decision to the model', async (t) => {
  const workspace = makeWorkspace(t);
  const script = [...upToEscalation(workspace), [submit({ user_decision: 'accept', note: 'it will do' })], ['Waiting.']];
  const answer = () => ({ action: 'decline' });
  const run = await runClient(workspace, { script, prompt: [PROMPT], plugins: [PLUGIN], answer });

  const last = flowAnswers(run).at(-1);
  assert.deepEqual([last.phase, last.step], ['VERIFY_INTERVENTION', 16]);
  assert.equal(workspace.state()?.phase, 'VERIFY_INTERVENTION');
});
