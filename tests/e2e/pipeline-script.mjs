// The model's part in a pipeline run: an orchestrator that knows nothing but the server's answers, and agents by their artifacts.
import { bash, edit, FLOW, PAYLOADS, read, start, status, submit } from './turns.mjs';

const agentCall = (type, prompt) => ({
  tool: 'Agent',
  input: { description: 'scripted', prompt, subagent_type: type, run_in_background: false },
});
export const save = (name, content) => ({ tool: `${FLOW}save_artifact`, input: { name, content } });

export const sections = (...titles) => titles.map((title) => `## ${title}\n- what was found (greet.mjs:1)\n`).join('\n');
export const review = (verdict, ...findings) =>
  `Verdict: ${verdict}\n\n## Findings\n${findings.length > 0 ? findings.map((text) => `- ${text}`).join('\n') : 'None. All was read.'}\n`;

const TASKS = [
  { id: 'T1', description: 'Greet with a comma', status: 'pending', files: ['greet.mjs'], depends_on: [] },
  { id: 'T2', description: 'Say so in the readme', status: 'pending', files: ['README.md'], depends_on: [] },
];

const TASKS_MD = `## Tasks

### T1: Greet with a comma
- files: greet.mjs
- depends_on: None
- criteria: AC-1

### T2: Say so in the readme
- files: README.md
- depends_on: None
- criteria: AC-2

## Acceptance criteria
- AC-1 (T1): it greets. Check: \`node check.mjs\`, exit code 0
- AC-2 (T2): the readme says so. Check: \`grep -q comma README.md\`, exit code 0
`;

const VERIFICATION = `## Acceptance criteria
- AC-1: PASS. \`node check.mjs\`, exit code 0
- AC-2: PASS. \`grep -q comma README.md\`, exit code 0

## Whole project
- \`node check.mjs\`, exit code 0

## Assumptions
None.
`;

const INVESTIGATION = sections(
  'Root cause',
  'Edge cases',
  'Risks',
  'External dependencies',
  'Prior art',
  'Ambiguities',
  'Impact of deletions and renames',
  'Hypotheses',
);

/** What each agent does, by its artifact. Whoever reads or runs something bears out what the orchestrator claims later. */
const agentTurns = ({ file }) => ({
  'documents.md': [
    [read(file('README.md'))],
    [save('documents.md', sections('Documents read', 'Rules that bind this work'))],
    ['documents.md: 1'],
  ],
  'analysis.md': [
    [read(file('greet.mjs')), read(file('check.mjs'))],
    [save('analysis.md', sections('Relevant files', 'Interfaces and types', 'Data flow', 'Existing tests'))],
    ['analysis.md: 2'],
  ],
  'investigation.md': [[save('investigation.md', INVESTIGATION)], ['investigation.md: none']],
  'design.md': [[save('design.md', sections('Approach', 'Alternatives rejected', 'Interfaces', 'Test strategy'))], ['design.md: comma']],
  'review-design.md': [[save('review-design.md', review('APPROVE'))], ['APPROVE, 0']],
  'tasks.md': [[save('tasks.md', TASKS_MD)], ['tasks.md: 2, 2']],
  'review-tasks.md': [[save('review-tasks.md', review('APPROVE', 'MINOR: a name'))], ['APPROVE, 0']],
  'impl-T1.md': [
    [read(file('greet.mjs'))],
    [edit(file('greet.mjs'), "'Hello ' + name", "'Hello, ' + name + '!'")],
    [save('impl-T1.md', sections('What changed', 'Deviations', 'How verified'))],
    ['T1: holds'],
  ],
  'impl-T2.md': [
    [read(file('README.md'))],
    [edit(file('README.md'), '# Greeter\n', '# Greeter\n\nGreets with a comma.\n')],
    [save('impl-T2.md', sections('What changed', 'Deviations', 'How verified'))],
    ['T2: holds'],
  ],
  'review-T1.md': [[save('review-T1.md', review('PASS'))], ['T1: PASS']],
  'review-T2.md': [[save('review-T2.md', review('PASS_WITH_NOTES', 'README.md:3: short'))], ['T2: PASS_WITH_NOTES']],
  'verification.md': [[bash('node check.mjs')], [bash('grep -q comma README.md')], [save('verification.md', VERIFICATION)], ['passed']],
  'comprehensive-review.md': [[save('comprehensive-review.md', 'Verdict: PASS\n\n## Issues\nNone.\n')], ['PASS, 0']],
});

const PAYLOAD_AT = {
  DOCUMENT_RESEARCH: () => PAYLOADS.documents,
  QUERY_FRAME: () => PAYLOADS.frame,
  'REQUEST_UNDERSTANDING.4a': () => PAYLOADS.understood,
  EXPLORATION: () => PAYLOADS.exploration,
  Q1: () => PAYLOADS.nothingNeeded,
  'READY.plan': () => ({ tasks: TASKS }),
  'READY.implement': ({ next_task }) => ({ task_id: next_task.id, summary: `did ${next_task.id}` }),
  'READY.finish': () => PAYLOADS.finish,
  POST_IMPL_VERIFY: () => PAYLOADS.verified,
  PRE_COMMIT: () => ({ reviewed_files: ['README.md', 'greet.mjs'], commit_message: 'Greet with a comma' }),
  QUALITY_REVIEW: () => PAYLOADS.quality,
  MERGE: () => PAYLOADS.merge,
};

function payloadFor(answer) {
  if (answer.expected_payload.artifact !== undefined) return { artifact: answer.artifact };
  const place = answer.substep ? `${answer.phase}.${answer.substep}` : answer.phase;
  const payload = PAYLOAD_AT[place];
  if (!payload) throw new Error(`nothing to say at ${place}: ${answer.message ?? ''}`);
  return payload(answer);
}

const promptFor = (answer, artifact, task) =>
  [
    `Request: ${answer.folder}/request.md`,
    `Session folder: ${answer.folder}`,
    `Your artifact: ${artifact}`,
    `Inputs that exist: ${(answer.inputs ?? []).join(', ')}`,
    ...(answer.base ? [`Base branch: ${answer.base}`] : []),
    ...(task ? [`Task: ${task}`] : []),
  ].join('\n');

/** The calls that start what an answer names. */
function spawnFor(answer) {
  const due = answer.batch ?? [{ agent: answer.agent, artifact: answer.artifact, task: answer.task }];
  return due.map(({ agent, artifact, task }) => agentCall(`readygate:${agent}`, promptFor(answer, artifact, task)));
}

/**
 * Turns of an orchestrator: it starts what the last answer names, then answers; it ends where the session does. Where the session waits
 * for the user it ends its turn, and asks for the status in the next. `before` sees each answer before it is acted upon.
 */
function orchestrator(first, before = () => {}) {
  let waited = false;
  const turn = (mock) => {
    const results = mock.results();
    const flow = results.filter(({ tool }) => tool?.startsWith(FLOW));
    const newest = results.at(-1);
    const answer = flow.length > 0 ? JSON.parse(flow.at(-1).text) : null;
    if (!answer) return [first];
    before(answer, mock);
    if (answer.phase === 'SESSION_COMPLETE') return ['Done.'];
    if (answer.waits_for === 'user' && !waited) {
      waited = true;
      return ['The plan waits for you.'];
    }
    if (answer.waits_for === 'user') return [status()];
    if (answer.agent && newest.tool?.startsWith(FLOW)) return spawnFor(answer);
    return [submit(payloadFor(answer))];
  };
  return Array.from({ length: 90 }, () => turn);
}

/** The script of a whole run. `more` replaces turns of agents by their artifact. */
export const pipelineScript = (request, workspace, { intent = 'MODIFY', more = {}, first, before } = {}) => {
  const turns = { ...agentTurns(workspace), ...more };
  const started = start(request, intent);
  return {
    main: orchestrator(first ?? { ...started, input: { ...started.input, pipeline: true } }, before),
    agents: Object.fromEntries(Object.entries(turns).map(([name, list]) => [`Your artifact: ${name}`, list])),
  };
};
