// The plugin as a user gets it: validated, installed from a marketplace.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { copyPlugin } from './plugin-copies.mjs';
import { clientTest, runClient, runCommand } from './run-client.mjs';
import { greetEdit, read, start, walked } from './turns.mjs';
import { makeWorkspace } from './workspace.mjs';

clientTest("the plugin passes the client's strict validation", (t) => {
  const workspace = makeWorkspace(t);
  const { code, output } = runCommand(['plugin', 'validate', '--strict', copyPlugin(path.join(workspace.root, 'plugin'))], workspace);
  assert.equal(code, 0, output);
});

/** Everything the client keeps of an installed plugin. */
function installedFiles({ home }) {
  const cache = path.join(home, '.claude/plugins/cache');
  return fs.existsSync(cache) ? fs.readdirSync(cache, { recursive: true }) : [];
}

clientTest('installed from a local marketplace, the plugin starts sessions and gates edits', async (t) => {
  const workspace = makeWorkspace(t);
  const marketplace = copyPlugin(path.join(workspace.root, 'marketplace'));
  for (const argv of [
    ['marketplace', 'add', marketplace],
    ['install', 'readygate@readygate'],
  ]) {
    const { code, output } = runCommand(['plugin', ...argv], workspace);
    assert.equal(code, 0, output);
  }
  const file = workspace.file('greet.mjs');
  const request = 'greet with a comma';
  const script = [[start(request)], [read(file)], [greetEdit(file)], ['I may not edit yet.']];
  const run = await runClient(workspace, { script, prompt: `/readygate:code ${request}` });

  assert.deepEqual(walked(run), ['DOCUMENT_RESEARCH 3']);
  const denied = run.mock.results().at(-1);
  assert.ok(denied.isError, denied.text);
  assert.match(denied.text, /RG01/);

  // The client runs npm ci where it finds a lock file; the plugin is complete without, so that would only cost the user.
  const packages = installedFiles(workspace).filter((file) => path.basename(file) === 'node_modules');
  assert.deepEqual(packages, [], 'installing fetched packages');
});
