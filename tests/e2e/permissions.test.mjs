// The client asks the user about tools of MCP servers; the plugin's own must not be asked about, or subagents fail silently.
import assert from 'node:assert/strict';
import { PLUGIN } from './plugin-copies.mjs';
import { clientTest, runClient } from './run-client.mjs';
import { PAYLOADS, read, start, status, subagent, submit, walked } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

clientTest("the plugin's own tools need no permission, in the main loop and in a subagent", async (t) => {
  const workspace = makeWorkspace(t);
  const request = 'greet with a comma';
  const script = {
    main: [
      [start(request)],
      [read(workspace.file('README.md'))],
      [submit(PAYLOADS.documents)],
      [subagent('SUB-ONE: state what is asked')],
      ['Framed.'],
    ],
    agents: { 'SUB-ONE': [[status()], [submit(PAYLOADS.frame)], ['Done.']] },
  };
  const permissions = ['--permission-mode', 'acceptEdits'];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}`, plugins: [PLUGIN], permissions });

  assert.deepEqual(walked(run), ['DOCUMENT_RESEARCH 3', 'QUERY_FRAME 4']);
  assert.deepEqual(walked(run, 'agent:SUB-ONE'), ['QUERY_FRAME 4', 'REQUEST_UNDERSTANDING 4']);
});
