// Runs the real client in print mode against the scripted model. Nothing of the machine's own configuration or credentials
// reaches it: an environment of the names below, a fresh HOME, a dummy key.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { test } from 'node:test';
import { clientPath } from '../../scripts/e2e-setup.mjs';
import { startMock } from './mock-api.mjs';

const client = clientPath();
const NO_CLIENT = 'the client is not installed: npm run e2e:setup fetches it, or E2E_CLAUDE_BIN names one';

/** A test that needs the client. */
export const clientTest = (name, body) => test(name, { skip: client ? false : NO_CLIENT, timeout: 180_000 }, body);

export const PROGRAM_FOLDERS = [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];

function clientEnv({ home, tmp }, baseUrl, more) {
  return {
    PATH: PROGRAM_FOLDERS.join(':'),
    HOME: home,
    TMPDIR: tmp,
    CLAUDE_CODE_TMPDIR: tmp, // else task files and sockets go to /tmp
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: baseUrl,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1', // lets root skip permissions
    ...more,
  };
}

/** Runs a subcommand that asks no model, e.g. ['plugin', 'validate', folder]. */
export function runCommand(argv, workspace) {
  const { status, stdout, stderr, error } = spawnSync(client, argv, {
    cwd: workspace.repo,
    env: clientEnv(workspace, 'http://127.0.0.1:9', {}),
    encoding: 'utf8',
    timeout: 120_000,
    input: '',
  });
  return { code: status, output: error ? error.message : `${stdout}${stderr}` };
}

/** What the person says when the client asks its host. */
function declineAll(request) {
  if (request.subtype === 'elicitation') return { action: 'decline' };
  return request.subtype === 'can_use_tool' ? { behavior: 'deny', message: 'the person said no' } : null;
}

/** Talks stream-json: prompts one after another, each when the last is done, and the person's answers in between. */
function converse(child, prompts, answer) {
  const pending = [...prompts];
  const write = (value) => child.stdin.write(`${JSON.stringify(value)}\n`);
  const next = () => {
    const content = pending.shift();
    if (content === undefined) child.stdin.end();
    else write({ type: 'user', message: { role: 'user', content } });
  };
  next();
  return (event) => {
    if (event.type === 'result') next();
    if (event.type !== 'control_request') return;
    const { request_id, request } = event;
    const response = answer(request);
    const body = response ? { subtype: 'success', request_id, response } : { subtype: 'error', request_id, error: 'no answer' };
    write({ type: 'control_response', response: body });
  };
}

async function ended(child, timeoutMs) {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  try {
    const [code] = await once(child, 'close');
    if (late) throw new Error(`the client did not end within ${timeoutMs} ms`);
    return code;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One run of the client. A list of prompts makes the harness its host, which `answer` then speaks for: only so can it be asked,
 * and only so can /compact be sent after a first turn.
 */
export async function runClient(
  workspace,
  { script, prompt, plugins = [], env = {}, args = [], permissions = ['--dangerously-skip-permissions'], answer = declineAll },
) {
  const mock = await startMock(script);
  const prompts = Array.isArray(prompt) ? prompt : null;
  const argv = ['-p', '--output-format', 'stream-json', '--verbose', '--include-hook-events', ...permissions];
  if (prompts) argv.push('--input-format', 'stream-json');
  for (const folder of plugins) argv.push('--plugin-dir', folder);
  const child = spawn(client, [...argv, ...args], {
    cwd: workspace.repo,
    env: clientEnv(workspace, mock.url, env),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that a hanging run can be ended as a whole
  });
  mock.clientPid = child.pid;
  child.stdin.on('error', () => {}); // the client may end before it has read everything
  const events = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const end = ended(child, 120_000);
  const listen = prompts ? converse(child, prompts, answer) : () => {};
  if (!prompts) child.stdin.end(prompt);
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line);
    events.push(event);
    listen(event);
  });
  try {
    const code = await end;
    return { code, stderr, events, mock, result: events.findLast(({ type }) => type === 'result')?.result };
  } finally {
    await mock.close();
    if (process.env.E2E_KEEP) fs.writeFileSync(path.join(workspace.root, `requests-${child.pid}.json`), JSON.stringify(mock.requests));
  }
}
