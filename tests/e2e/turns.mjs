// What scripted turns are made of: tool calls of the client and of the plugin, and a session's payloads.

export const FLOW = 'mcp__plugin_readygate_gate__';

export const read = (file) => ({ tool: 'Read', input: { file_path: file } });
export const edit = (file, from, to) => ({ tool: 'Edit', input: { file_path: file, old_string: from, new_string: to } });
export const write = (file, content) => ({ tool: 'Write', input: { file_path: file, content } });
export const editCell = (file, source) => ({ tool: 'NotebookEdit', input: { notebook_path: file, cell_id: 'c1', new_source: source } });
export const bash = (command) => ({ tool: 'Bash', input: { command, description: 'scripted' } });
export const subagent = (prompt) => ({
  tool: 'Agent',
  input: { description: 'scripted', prompt, subagent_type: 'general-purpose', run_in_background: false },
});

export const start = (request, intent = 'MODIFY') => ({ tool: `${FLOW}start_session`, input: { request, intent } });
export const submit = (data) => ({ tool: `${FLOW}submit_phase`, input: { data } });
export const status = () => ({ tool: `${FLOW}get_session_status`, input: {} });

function parseAnswer({ tool, text, isError }) {
  try {
    return { ...JSON.parse(text), isError };
  } catch {
    throw new Error(`${tool} did not answer, the client did: ${text}`);
  }
}

/** The answers of the flow tools that a conversation's model read, in order. */
export const flowAnswers = (run, kind = 'main') =>
  run.mock
    .results(kind)
    .filter(({ tool }) => tool?.startsWith(FLOW))
    .map(parseAnswer);

/** Where each answer stood: 'PHASE step'. */
export const walked = (run, kind) => flowAnswers(run, kind).map(({ phase, step }) => (step === null ? phase : `${phase} ${step}`));

/** The payloads of an honest session about greet.mjs, by phase. */
export const PAYLOADS = {
  documents: { documents_reviewed: ['README.md'] },
  frame: { action_type: 'modify', target_symbols: ['greet'], scope: 'greet.mjs', constraints: [] },
  /** A small request: nothing has to be collected, and 4b is answered along with 4a. */
  understood: {
    request_understanding: {
      task_type: 'fix',
      primary_goal: 'a greeting with a comma and an exclamation mark',
      expected_deliverables: ['greet.mjs'],
      constraints: [],
      scope: { in_scope: ['greet.mjs'], out_of_scope: [] },
      understanding_confidence: 0.9,
      ambiguities: [],
    },
    information_needs: { skip_collection: true, skip_reason: 'simple_task' },
  },
  exploration: { explored_files: ['greet.mjs', 'check.mjs'], findings: ['greet returns "Hello Ada"; check.mjs wants "Hello, Ada!"'] },
  nothingNeeded: {
    needs_more_information: false,
    reason: 'one function and its check, both read',
    q2: { has_unverified_hypotheses: false, reason: 'both were read' },
    q3: { needs_impact_analysis: false, reason: 'nothing else imports greet' },
  },
  tasks: { tasks: [{ id: 't1', description: 'Greet with a comma and an exclamation mark', status: 'pending', files: ['greet.mjs'] }] },
  report: { task_id: 't1', summary: 'greet says "Hello, Ada!"' },
  finish: {},
  verified: { passed: true, details: 'node check.mjs: exit 0' },
  review: { reviewed_files: ['greet.mjs'], commit_message: 'Greet with a comma' },
  quality: { quality_score: 90, issues: [] },
  merge: {},
};

/** The edit that the task asks for. */
export const greetEdit = (file) => edit(file, "'Hello ' + name", "'Hello, ' + name + '!'");
