// npm run demo: a whole session in a real git repository, with the built server and the hooks as hooks.json declares them.
//   npm run demo -- --keep     leaves the folder
// Exits 1 when anything does not go as it should.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureInstalled, root } from './setup.mjs';

ensureInstalled();
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
const { commandHooks, runCommandHook, runToolHook, toolHooks } = await import('./hook-host.mjs');

const keep = process.argv.includes('--keep');
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, green, red, cyan] = ['1', '2', '32', '31', '36'].map(paint);

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-demo-')));
const repo = path.join(folder, 'shop');
const home = path.join(folder, 'home');
const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LANG: 'C.UTF-8' };
const git = (...args) => execFileSync('git', args, { cwd: repo, env, encoding: 'utf8' }).trimEnd();
const file = (name) => path.join(repo, name);

function makeRepository() {
  fs.mkdirSync(home);
  fs.mkdirSync(path.join(repo, 'src'), { recursive: true });
  fs.writeFileSync(file('README.md'), '# shop\n\nPrices are in cents.\n');
  fs.writeFileSync(file('src/price.js'), 'export const total = (prices) => prices.reduce((sum, price) => sum + price);\n');
  fs.writeFileSync(
    file('src/price.test.js'),
    "import assert from 'node:assert/strict';\nimport { total } from './price.js';\n\nassert.equal(total([1, 2]), 3);\nassert.equal(total([]), 0);\nconsole.log('ok');\n",
  );
  fs.writeFileSync(file('package.json'), '{ "type": "module" }\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Demo');
  git('config', 'user.email', 'demo@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'Start the shop');
  fs.writeFileSync(file('notes.txt'), 'my own notes, not committed\n'); // the user's: must come out untouched
}

function wrap(text, indent) {
  const width = Math.min(process.stdout.columns || 100, 110) - indent.length;
  const lines = text.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${width}}(?:\\s|$)|\\S+`, 'g')) ?? ['']);
  return lines.map((line) => indent + line.trimEnd()).join('\n');
}

const short = (value) => {
  const text = JSON.stringify(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
};

let failures = 0;
function expect(ok, what) {
  console.log(`  ${ok ? green('✓') : red('✗')} ${what}`);
  if (!ok) failures += 1;
}

async function call(client, name, args, wanted = {}) {
  const { structuredContent: answer } = await client.callTool({ name, arguments: args });
  console.log(`\n${cyan(name)} ${dim(short(name === 'submit_phase' ? args.data : args))}`);
  const where = answer.error
    ? red(answer.error)
    : answer.step === null
      ? bold(answer.phase)
      : `${bold(answer.phase)}, step ${answer.step}${answer.substep ? ` (${answer.substep})` : ''}`;
  console.log(`  → ${where}`);
  console.log(dim(wrap(answer.message ?? answer.instruction, '    ')));
  for (const { pointer, message } of answer.problems ?? []) console.log(dim(wrap(`${pointer}: ${message}`, '      ')));
  for (const warning of answer.warnings) console.log(dim(wrap(`! ${warning}`, '    ')));
  if (wanted.error !== answer.error) expect(false, `expected ${wanted.error ?? 'no error'}, got ${answer.error ?? 'none'}`);
  return answer;
}

/** An Edit as the host would handle it: every hook is asked, and it happens only if none refuses. */
async function tryEdit(client, name, from, to) {
  const payload = {
    hook_event_name: 'PreToolUse',
    session_id: 'demo',
    cwd: repo,
    tool_name: 'Edit',
    tool_input: { file_path: file(name), old_string: from, new_string: to },
  };
  const layers = { bash: null, server: null };
  for (const hook of commandHooks('PreToolUse', 'Edit')) {
    const { code, stderr } = runCommandHook(hook, payload, env);
    if (code === 2) layers.bash = stderr.trim();
  }
  for (const hook of toolHooks('PreToolUse', 'Edit')) layers.server = await runToolHook(hook, payload, client);
  const allowed = !layers.bash && !layers.server;
  if (allowed) fs.writeFileSync(file(name), fs.readFileSync(file(name), 'utf8').replace(from, to));
  console.log(`\n${cyan('Edit')} ${dim(name)}`);
  return { ...layers, allowed };
}

/** A tool that ran, as the host reports it to the hooks: this is what claims are held against later. */
async function ran(client, tool, input, failure = null) {
  const event = failure === null ? 'PostToolUse' : 'PostToolUseFailure';
  const payload = {
    hook_event_name: event,
    session_id: 'demo',
    cwd: repo,
    tool_name: tool,
    tool_input: input,
    tool_response: {},
    error: failure,
  };
  for (const hook of toolHooks(event, tool)) await runToolHook(hook, payload, client);
  console.log(`\n${cyan(tool)} ${dim(short(input))}`);
}

const look = (client, name) => ran(client, 'Read', { file_path: file(name) });

const check = () => {
  try {
    return { code: 0, out: execFileSync(process.execPath, ['src/price.test.js'], { cwd: repo, encoding: 'utf8', stdio: 'pipe' }).trim() };
  } catch (error) {
    return {
      code: error.status ?? 1,
      out:
        error.stderr
          .trim()
          .split('\n')
          .find((line) => line.includes('Error')) ?? '',
    };
  }
};

async function session(client) {
  const submit = (data, wanted) => call(client, 'submit_phase', { data }, wanted);
  await call(client, 'start_session', { request: 'An empty basket must cost 0 instead of crashing', intent: 'MODIFY' });

  const early = await tryEdit(client, 'src/price.js', 'sum + price', 'sum + price, 0');
  expect(Boolean(early.bash), 'refused by the bash hook alone');
  console.log(dim(wrap(early.bash ?? '', '    ')));
  expect(Boolean(early.server), "refused by the server's guard alone");

  await look(client, 'README.md');
  await submit({ documents_reviewed: ['README.md'] });
  await submit({
    action_type: 'fix',
    target_symbols: ['total'],
    scope: 'src/price.js',
    constraints: ['prices are in cents'],
    quotes: { target: 'An empty basket' },
  });
  // A small request: what 4b and 4c would ask is answered along with 4a.
  await submit({
    request_understanding: {
      task_type: 'fix',
      primary_goal: 'an empty basket costs 0',
      expected_deliverables: ['src/price.js'],
      constraints: ['prices are in cents'],
      scope: { in_scope: ['total'], out_of_scope: ['other prices'] },
      understanding_confidence: 0.95,
      ambiguities: [],
    },
    information_needs: { skip_collection: true, skip_reason: 'no_ambiguity' },
  });
  const explored = {
    explored_files: ['src/price.js', 'src/price.test.js'],
    findings: ['reduce has no initial value, so an empty list throws'],
  };
  await look(client, 'src/price.js');
  await submit(explored, { error: 'payload_mismatch' });
  await look(client, 'src/price.test.js');
  await submit(explored);
  await submit({
    needs_more_information: false,
    reason: 'one function, one test, both read',
    q2: { has_unverified_hypotheses: false, reason: 'the test shows the crash' },
    q3: { needs_impact_analysis: false, reason: 'only the test calls it' },
  });
  await submit({ explored_files: ['src/price.js'] }, { error: 'payload_mismatch' });
  await submit({ tasks: [{ id: 't1', description: 'Give reduce the initial value 0', status: 'pending', files: ['src/price.js'] }] });

  const open = await tryEdit(client, 'src/price.js', 'sum + price', 'sum + price, 0');
  expect(open.allowed, 'allowed: the plan is accepted, the task branch exists');
  await submit({ task_id: 't1', summary: 'reduce starts from 0' });
  await submit({});
  await submit({ passed: true, details: 'all tests pass' }, { error: 'payload_mismatch' });
  const tested = check();
  await ran(client, 'Bash', { command: 'node src/price.test.js' }, tested.code === 0 ? null : `Exit code ${tested.code}`);
  expect(tested.code === 0, `the test runs: ${tested.out}`);
  const late = await tryEdit(client, 'src/price.js', 'total', 'sum');
  expect(Boolean(late.bash && late.server), 'refused by both layers: what was verified is what will be merged');
  await submit({ passed: true, details: `node src/price.test.js: exit ${tested.code}` });
  await submit({ reviewed_files: ['src/price.js'], commit_message: 'Let an empty basket cost 0' });
  await submit({ quality_score: 95, issues: [] });
  return submit({});
}

async function main() {
  makeRepository();
  console.log(`${bold('Readygate demo')} in ${repo}`);
  console.log('An agent tries to edit too early, to name a file it never opened, and to say that tests passed which it never ran.');
  const server = {
    command: process.execPath,
    args: [path.join(root, 'plugin/server.cjs')],
    cwd: repo,
    env: { ...env, CLAUDE_PROJECT_DIR: repo },
  };
  // Its hooks are believed only from the host, which this one stands for.
  const client = new Client({ name: 'claude-code', version: '1.0.0' });
  await client.connect(new StdioClientTransport(server));
  try {
    const end = await session(client);
    console.log(`\n${bold('What is left')}`);
    expect(end.phase === 'SESSION_COMPLETE' && end.outcome === 'completed', `the session is complete: ${end.outcome}`);
    expect(git('branch', '--format=%(refname:short)') === 'main', 'the task branch was merged and deleted');
    expect(git('status', '--porcelain') === '?? notes.txt', "the user's own notes.txt is as it was, everything else is committed");
    console.log(`\n${dim('$ git log --graph --stat --format="%h %s"')}`);
    console.log(git('log', '--graph', '--stat', '--format=%h %s'));
  } finally {
    await client.close();
  }
}

try {
  await main();
} catch (error) {
  failures += 1;
  console.error(red(`the demo failed: ${error.message}`));
}
if (keep) console.log(`\nKept: ${repo}`);
else fs.rmSync(folder, { recursive: true, force: true });
console.log(failures === 0 ? green('\nAll as it should be.') : red(`\n${failures} things were not as they should be.`));
process.exitCode = failures === 0 ? 0 : 1;
