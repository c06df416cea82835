import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { messageKeys, template } from '../../../mcp-server/src/messages/messages.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, World, walk } from '../session/world.ts';
import { readygate } from './program.ts';

const json = (cwd: string, ...args: string[]): Record<string, unknown> => JSON.parse(readygate(cwd, [...args, '--json']).out);

async function exploring(): Promise<World> {
  const world = new World();
  await sessionAt(world, await world.host({ owner: 'claude-1' }), 'EXPLORATION', 'add a greeting');
  return world;
}

describe('readygate', () => {
  test('teaches its commands, and says what it does not know', () => {
    const { root } = new World();
    expect(readygate(root, []).out).toMatch(/status[\s\S]*explain[\s\S]*clean[\s\S]*doctor/);
    for (const help of [
      ['explain', '--help'],
      ['help', 'explain'],
    ])
      expect(readygate(root, help).out).toContain('readygate explain Edit <path>');
    expect(readygate(root, []).out).toMatch(/Exit codes: 0 .*, 1 .*, 64 .*, 69 /);
    expect(readygate(root, ['stat'])).toMatchObject({ code: 64, err: expect.stringContaining('Did you mean status?') });
    expect(readygate(root, ['frobnicate'])).toMatchObject({ code: 64, err: expect.stringContaining('no command frobnicate') });
    expect(json(root, 'frobnicate')).toMatchObject({ error: 'usage' });
    expect(readygate(root, ['--version']).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('answers words that a command does not take with its usage, and does nothing', async () => {
    const world = await exploring();
    const before = world.bytes();
    const { commands } = json(world.root, 'help') as { commands: string[] };
    const taken = commands.filter((name) => name !== 'explain');
    expect(taken.length).toBeGreaterThan(10);
    for (const [at, name] of taken.entries())
      for (const extra of at % 2 === 0 ? [['x', 'y', 'z']] : [['--frobnicate']]) {
        const refused = readygate(world.root, [name, ...extra, '--json']);
        expect([refused.code, refused.err], name).toEqual([64, '']);
        expect(JSON.parse(refused.out), name).toMatchObject({
          error: 'usage',
          message: expect.stringContaining(extra[0] ?? ''),
          usage: expect.stringContaining(`readygate ${name}`),
        });
      }
    for (const args of [
      ['clean', 'x'],
      ['doctor', 'x'],
      ['index', 'x'],
      ['index', '--rebuild=yes'],
      ['dashboard', '--port', 'x'],
    ])
      expect(readygate(world.root, args), args.join(' ')).toMatchObject({
        code: 64,
        out: '',
        err: expect.stringMatching(/\nUsage: readygate /),
      });
    for (const args of [
      ['help', 'status', 'x'],
      ['--version', 'x'],
    ])
      expect(readygate(world.root, args).code, args.join(' ')).toBe(64);
    expect(world.bytes()).toBe(before);
  });

  test('status without a session is no failure', () => {
    const { root } = new World();
    expect(readygate(root, ['status'])).toMatchObject({ code: 0, out: expect.stringMatching(/no session in .*\/readygate:code <task>/) });
    expect(readygate(root, ['status']).out).not.toContain('start_session');
  });

  test('status shows where the session is, also from a folder inside, and as JSON', async () => {
    const world = await exploring();
    const inside = path.join(world.root, 'deep');
    fs.mkdirSync(inside);
    const { code, out } = readygate(inside, ['status']);
    expect(code).toBe(0);
    expect(out).toContain('EXPLORATION, step 5 of 19; editing is closed');
    expect(out).toMatch(/Waits for {2}the agent\n[\s\S]*What the agent is told there:\n {2}Explore before you plan/);
    expect(json(world.root, 'status')).toMatchObject({ phase: 'EXPLORATION', gate: 'closed', session_id: world.state().session });
    expect(readygate(world.root, ['status', 'no-such-session']).code).toBe(1);
  });

  test('status of a plan that waits for approval says so, without its JSON', async () => {
    const world = new World();
    world.box.write('.readygate/config.yml', 'approval: plan\n');
    const long = `greet\nin ${'many '.repeat(30)}languages`;
    const tasks = ['one', 'two', 'three'].map((id) => ({ id, description: `${id}: ${long}`, status: 'pending', files: [`${id}.txt`] }));
    const host = await world.host({ owner: 'claude-1' });
    await sessionAt(world, host, 'READY.plan', '--fast --no-doc add a greeting');
    await host.submit({ tasks });
    const { out } = readygate(world.root, ['status']);
    expect(out).toContain('Waits for  your approval: /readygate:approve');
    expect(out).not.toContain('[{');
    expect(out).not.toContain('The present list');
    for (const id of ['one', 'two', 'three']) expect(out).toContain(`[ ] ${id}: ${id}: greet\n      in many`);
    expect(out.split('many languages')).toHaveLength(4);
    expect(out).toContain('files: three.txt');
  });

  test('status of a session that has ended shows no branch that is gone', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await walk(world, host, await host.start('--fast --no-doc add a greeting'));
    const { out } = readygate(world.root, ['status']);
    expect(out).toMatch(/Ended {6}completed[\s\S]*Branch {5}main\n[\s\S]*\/readygate:code <task>/);
    expect(out).not.toContain('readygate/2');
  });

  test('explain says what each layer would decide', async () => {
    const world = await exploring();
    const edit = json(world.root, 'explain', 'Edit', 'readme.md');
    expect(edit).toMatchObject({
      allowed: false,
      layers: [
        { layer: 'bash', decision: 'deny', guard: 'RG01' },
        { layer: 'server', decision: 'deny', guard: 'RG01' },
      ],
    });
    expect(json(world.root, 'explain', 'Write', path.join(path.dirname(world.root), 'elsewhere.txt'))).toMatchObject({ allowed: true });
    expect(readygate(world.root, ['explain', 'Edit', 'readme.md']).out).toContain('denied by RG01');
    const says = (guard?: string) => (guard === undefined ? { decision: 'pass' } : { decision: 'deny', guard });
    for (const [tool, input, bash, server] of [
      ['mcp__srv__write_file', '{"path":"a"}', 'RG05', 'RG05'],
      ['mcp__srv__run_command', '{"command":"touch a"}', undefined, 'RG04'],
      ['PowerShell', 'Set-Content a.txt x', undefined, 'RG04'],
    ] as const)
      expect(json(world.root, 'explain', tool, input)).toMatchObject({
        tool_name: tool,
        allowed: false,
        layers: [says(bash), says(server)],
      });
    expect(json(world.root, 'explain', 'Skill')).toMatchObject({ allowed: true, layers: [{ note: 'no guard looks at Skill' }, says()] });
    expect(readygate(world.root, ['explain', 'ls']).code).toBe(64);
    expect(readygate(world.root, ['explain', 'mcp__srv__write_file', '{"path"']).code).toBe(64);
    expect(readygate(world.root, ['explain']).code).toBe(64);
    expect(readygate(world.root, ['explain', 'Edit']).code).toBe(64);
  });

  test('explain says a refusal once where both layers agree, and what holds without a session', async () => {
    const world = await exploring();
    const { out } = readygate(world.root, ['explain', 'Edit', 'readme.md']);
    expect(out.match(/denied by RG01/g)).toHaveLength(1);
    expect(out).toContain('bash, server: denied');
    const enforced = new World();
    enforced.box.write('.readygate/config.yml', 'enforce: always\n');
    enforced.box.write('.readygate/enforce', '');
    const refused = readygate(enforced.root, ['explain', 'Edit', 'readme.md']).out;
    expect(refused).toMatch(/^No session is active here, and .* allows edits only within one \(enforce: always, .readygate\/config.yml\)/);
    expect(refused).toContain('denied by RG00');
    expect(refused).not.toContain('no edit and no command is refused');
    expect(readygate(new World().root, ['explain', 'Edit', 'readme.md']).out).toContain('no edit and no command is refused');
  });

  test('clean leaves a healthy session alone when nobody can be asked', async () => {
    const world = await exploring();
    const before = world.bytes();
    const refused = readygate(world.root, ['clean']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('/readygate:code --clean') });
    expect(world.bytes()).toBe(before);
  });

  test.each([
    ['cut off', '{"gate":"clos'],
    ['zeros', '\0'.repeat(500)],
  ])('clean works on a state that is %s, and keeps the file', async (_name, text) => {
    const world = await exploring();
    fs.writeFileSync(world.path('state.json'), text);
    const { code, out } = readygate(world.root, ['clean']);
    expect(code).toBe(0);
    const kept = fs.readdirSync(world.path()).filter((name) => name.startsWith('state.json.corrupt-'));
    expect(kept).toHaveLength(1);
    expect(out).toContain(kept[0]);
    expect(fs.readFileSync(world.path(kept[0] ?? ''), 'utf8')).toBe(text);
    expect(world.bytes()).toBeNull();
  });
});

test('no English text of the commands puts a number before a plural, since it may be one', () => {
  const counts = /\{(?:count|files|flawed|from|indexed|lines|seconds|sessions|symbols|total)\} (?:[a-z]+ )?[a-z]{2,}s\b/;
  const keys = messageKeys('en').filter((key) => /^(?:cli|report)\./.test(key));
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => counts.test(template(key, 'en')))).toEqual([]);
});

describe('readygate doctor', () => {
  const finding = (data: Record<string, unknown>, name: string) =>
    (data.findings as { name: string; state: string; detail: string; repair?: string }[]).find((one) => one.name === name);

  test('finds all well in a fresh repository, whatever the host has not told it', () => {
    const data = json(new World().root, 'doctor');
    for (const name of ['node', 'git', 'hook script', 'settings', 'session state', 'lock'])
      expect(finding(data, name), name).toMatchObject({ state: 'ok' });
  });

  test('sees hooks that never fired, and hooks that did', async () => {
    const silent = await exploring();
    expect(finding(json(silent.root, 'doctor'), 'hooks firing')).toMatchObject({
      state: 'warning',
      repair: expect.stringContaining('disableAllHooks'),
    });
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await host.client.callTool({ name: 'guard', arguments: { tool_name: 'Edit', tool_input: {} } });
    await host.start('add a greeting');
    expect(finding(json(world.root, 'doctor'), 'hooks firing')).toMatchObject({ state: 'ok' });
  });

  test('names the file that switches hooks or the plugin off', () => {
    const world = new World();
    const write = (value: unknown) => world.box.write('.claude/settings.json', JSON.stringify(value));
    write({ disableAllHooks: true });
    expect(finding(json(world.root, 'doctor'), 'settings')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('.claude/settings.json'),
    });
    write({ enabledPlugins: { 'readygate@readygate': false } });
    expect(finding(json(world.root, 'doctor'), 'settings')).toMatchObject({
      state: 'wrong',
      repair: 'claude plugin enable readygate@readygate',
    });
    expect(readygate(world.root, ['doctor']).code).toBe(1);
  });

  test('reads the settings where the host does: at the root of the work tree, or in the folder that it was started in', () => {
    const world = new World();
    const inside = path.join(world.root, 'deep/er');
    fs.mkdirSync(inside, { recursive: true });
    const config = emptyFolder('claude');
    const settings = (env: Record<string, string> = {}) => {
      const { out } = readygate(inside, ['doctor', '--json'], { CLAUDE_CONFIG_DIR: config, CLAUDE_PROJECT_DIR: '', ...env });
      return finding(JSON.parse(out) as Record<string, unknown>, 'settings');
    };
    const write = (file: string, value: unknown) => world.box.write(file, JSON.stringify(value));
    write('deep/er/.claude/settings.json', { disableAllHooks: true });
    expect(settings()).toMatchObject({ state: 'ok' });
    expect(settings({ CLAUDE_PROJECT_DIR: inside })).toMatchObject({ state: 'wrong' });
    write('.claude/settings.json', { enabledPlugins: { 'readygate@readygate': false } });
    expect(settings()).toMatchObject({ state: 'wrong', detail: expect.stringContaining(path.join(world.root, '.claude/settings.json')) });
    // The nearer file wins over the farther one.
    write('.claude/settings.local.json', { enabledPlugins: { 'readygate@readygate': true } });
    fs.writeFileSync(path.join(config, 'settings.json'), '{"enabledPlugins":{"readygate@readygate":false}}');
    expect(settings()).toMatchObject({ state: 'ok' });
    fs.writeFileSync(path.join(config, 'settings.json'), '{"disableAllHooks":true}');
    expect(settings()).toMatchObject({ state: 'wrong', detail: expect.stringContaining(config) });
  });

  test('names what is wrong in the configuration, with the repair', () => {
    const world = new World();
    expect(finding(json(world.root, 'doctor'), 'configuration')).toMatchObject({ state: 'ok' });
    for (const [text, said] of [
      ['enforce: [always', 'cannot be read'],
      ['evidence: of', 'must be one of strict, warn, off'],
      ['langauge: ja', 'did you mean language?'],
    ] as const) {
      world.box.write('.readygate/config.yml', `${text}\n`);
      expect(finding(json(world.root, 'doctor'), 'configuration'), text).toMatchObject({
        state: 'wrong',
        detail: expect.stringContaining(said),
        repair: expect.stringContaining('.readygate/config.yml'),
      });
    }
  });

  test('names a damaged state with its repair, and the repair works', () => {
    const world = new World();
    world.box.write('.readygate/state.json', 'nonsense');
    const found = finding(json(world.root, 'doctor'), 'session state');
    expect(found).toMatchObject({ state: 'wrong', repair: 'readygate clean' });
    expect(readygate(world.root, ['clean']).code).toBe(0);
    expect(finding(json(world.root, 'doctor'), 'session state')).toMatchObject({ state: 'ok' });
  });

  test('misses jq and git when they are not there', () => {
    const world = new World();
    const bare = path.join(world.root, 'bin');
    fs.mkdirSync(bare);
    const data = JSON.parse(readygate(world.root, ['doctor', '--json'], { PATH: bare }).out) as Record<string, unknown>;
    for (const name of ['git', 'jq'])
      expect(finding(data, name), name).toMatchObject({ state: 'wrong', repair: expect.stringContaining(`install ${name}`) });
    // bash 5 reads the usual call by itself, so an edit is refused all the same.
    const bash = Number(/version (\d+)/.exec(execFileSync('/bin/bash', ['--version'], { encoding: 'utf8' }))?.[1]);
    expect(finding(data, 'hook script')).toMatchObject({ state: bash >= 5 ? 'ok' : 'wrong' });
  });
});
