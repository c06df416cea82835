// Pipeline sessions with real subagents: the orchestrator knows nothing but the server's answers.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pipelineScript, review, save, sections } from './pipeline-script.mjs';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { edit, FLOW, flowAnswers, status, write } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

const ARTIFACTS = [
  'analysis.md',
  'comprehensive-review.md',
  'design.md',
  'documents.md',
  'impl-T1.md',
  'impl-T2.md',
  'request.md',
  'review-T1.md',
  'review-T2.md',
  'review-design.md',
  'review-tasks.md',
  'summary.md',
  'tasks.md',
  'verification.md',
];

const markdownIn = (folder) =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort();
const folderOf = (workspace, session) => path.join(workspace.repo, '.readygate/sessions', session);
const saves = (run, artifact) => run.mock.results(`agent:Your artifact: ${artifact}`).filter(({ tool }) => tool === `${FLOW}save_artifact`);

clientTest('a pipeline run goes to the merge through real subagents, and the orchestrator sees neither code nor diff', async (t) => {
  const workspace = makeWorkspace(t);
  const request = 'greet with a comma';
  const { file } = workspace;
  const badEdit = edit(file('greet.mjs'), 'Hello', 'Bye');
  const more = {
    // The host refuses this file to a subagent; the tool takes it.
    'analysis.md': [
      [
        { tool: 'Read', input: { file_path: file('greet.mjs') } },
        { tool: 'Read', input: { file_path: file('check.mjs') } },
      ],
      [write(file('.readygate/analysis.md'), 'x'), write(path.join(workspace.tmp, 'analysis.md'), 'x')],
      [save('analysis.md', '## Relevant files\n- greet.mjs\n')],
      [save('analysis.md', sections('Relevant files', 'Interfaces and types', 'Data flow', 'Existing tests'))],
      ['analysis.md: 2'],
    ],
    // Another agent's artifact, and a role without Edit.
    'review-T1.md': [[badEdit], [save('impl-T1.md', 'x')], [save('review-T1.md', review('PASS'))], ['T1: PASS']],
    // Ends without its artifact, and is told once.
    'design.md': [
      ['I am done.'],
      [save('design.md', sections('Approach', 'Alternatives rejected', 'Interfaces', 'Test strategy'))],
      ['design.md: comma'],
    ],
  };
  const script = pipelineScript(request, workspace, { more });
  const run = await runClient(workspace, { script, prompt: `/readygate:pipeline ${request}`, plugins: [PLUGIN] });

  const answers = flowAnswers(run);
  const last = answers.at(-1);
  assert.deepEqual(
    answers.filter(({ isError }) => isError).map(({ message, problems }) => [message, problems]),
    [],
  );
  assert.equal(last.outcome, 'completed', JSON.stringify(last));
  const folder = folderOf(workspace, last.session_id);
  assert.deepEqual(markdownIn(folder), ARTIFACTS);
  assert.equal(workspace.git('branch', '--format=%(refname:short)'), 'main');
  assert.match(workspace.read('greet.mjs'), /Hello, /);
  assert.match(workspace.read('README.md'), /comma/);

  const batch = answers.find(({ batch }) => batch !== undefined);
  assert.deepEqual(
    batch.batch.map(({ artifact }) => artifact),
    ['impl-T1.md', 'impl-T2.md'],
  );

  const writes = run.mock.results('agent:Your artifact: analysis.md').filter(({ tool }) => tool === 'Write');
  assert.deepEqual(
    writes.map(({ isError }) => isError),
    [true, true],
  );
  assert.deepEqual(
    saves(run, 'analysis.md').map(({ isError }) => isError),
    [true, false],
  );
  assert.match(saves(run, 'analysis.md')[0].text, /## Data flow/);

  const [edited] = run.mock.results('agent:Your artifact: review-T1.md').filter(({ tool }) => tool === 'Edit');
  assert.equal(edited.isError, true);
  const [foreign] = saves(run, 'review-T1.md');
  assert.match(foreign.text, /impl-reviewer/);
  assert.equal(foreign.isError, true);

  const told = run.mock.ofKind('agent:Your artifact: design.md');
  assert.match(JSON.stringify(told.at(-2).body.messages), /have not handed in design\.md/);

  // The server knows which agents are at work.
  const begun = run.events.filter(({ hook_event, subtype }) => hook_event === 'SubagentStart' && subtype === 'hook_response');
  assert.equal(begun.length >= ARTIFACTS.length - 2, true, `${begun.length} agents were told of`);
  assert.deepEqual([...new Set(begun.map(({ outcome }) => outcome))], ['success']);

  const journal = fs
    .readFileSync(path.join(folder, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const handedIn = journal.filter(({ event }) => event === 'artifact');
  assert.equal(handedIn.find(({ name }) => name === 'design.md').agent, 'readygate:architect');

  const received = run.mock.results().map(({ text }) => text);
  const bytes = received.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  t.diagnostic(`the orchestrator received ${received.length} tool results, ${bytes} bytes`);
  assert.doesNotMatch(received.join('\n'), /export const greet|diff --git/);
});

clientTest('an investigation ends with analysis.md and investigation.md, although nothing more had to be found out', async (t) => {
  const workspace = makeWorkspace(t);
  const request = 'why does check.mjs fail?';
  const script = pipelineScript(request, workspace, { intent: 'INVESTIGATE' });
  const run = await runClient(workspace, { script, prompt: `/readygate:investigate ${request}`, plugins: [PLUGIN] });

  const last = flowAnswers(run).at(-1);
  assert.equal(last.outcome, 'investigated', JSON.stringify(last));
  assert.deepEqual(markdownIn(folderOf(workspace, last.session_id)), [
    'analysis.md',
    'documents.md',
    'investigation.md',
    'request.md',
    'summary.md',
  ]);
  assert.equal(workspace.git('status', '--porcelain'), '');
});

clientTest('a plan waits until the user types /readygate:approve, and then goes to the merge', async (t) => {
  const workspace = makeWorkspace(t);
  const request = '--approve --fast --no-doc greet with a comma';
  const gates = [];
  const before = ({ waits_for }) => {
    if (waits_for) gates.push(workspace.state()?.gate);
  };
  const script = pipelineScript(request, workspace, { before });
  const run = await runClient(workspace, { script, prompt: [`/readygate:pipeline ${request}`, '/readygate:approve'], plugins: [PLUGIN] });

  const answers = flowAnswers(run);
  assert.equal(answers.at(-1).outcome, 'completed', JSON.stringify(answers.at(-1)));
  assert.deepEqual(gates, ['closed', 'open'], 'closed until the user typed it; open when the model looked again');
  const folder = folderOf(workspace, answers.at(-1).session_id);
  assert.match(fs.readFileSync(path.join(folder, 'summary.md'), 'utf8'), /12 READY: approve \(person\)/);
});

clientTest('a client that is killed while agents work is followed by another that goes on with what they handed in', async (t) => {
  const workspace = makeWorkspace(t);
  const request = '--fast --no-doc greet with a comma';
  const kill = ({ substep, agent }, { clientPid }) => {
    if (substep === 'tasks_review' && agent) process.kill(clientPid, 'SIGKILL');
  };
  const script = pipelineScript(request, workspace, { before: kill });
  const first = await runClient(workspace, { script, prompt: `/readygate:pipeline ${request}`, plugins: [PLUGIN] });
  assert.notEqual(first.code, 0);
  assert.equal(workspace.state().node, 'READY_TASKS_REVIEW');

  const again = pipelineScript(request, workspace, { first: status() });
  const second = await runClient(workspace, { script: again, prompt: '/readygate:pipeline', plugins: [PLUGIN] });
  const answers = flowAnswers(second);
  assert.deepEqual([answers[0].substep, answers[0].agent], ['tasks_review', 'task-reviewer']);
  assert.equal(answers.at(-1).outcome, 'completed', JSON.stringify(answers.at(-1)));
  assert.equal(second.mock.ofKind('agent:Your artifact: design.md').length, 0, 'nobody designs it twice');
});
