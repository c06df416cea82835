/** The status line: what the script prints, and what the command does to the user's settings. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { statuslineCommand } from '../../../mcp-server/src/cli/statusline.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, World } from '../session/world.ts';
import { readygate, terminal } from './program.ts';

const SCRIPT = path.resolve('hooks/statusline.sh');

function shown(
  folder: string,
  { env = {}, input, script = SCRIPT }: { env?: Record<string, string>; input?: string; script?: string } = {},
): string {
  const said = input ?? JSON.stringify({ session_id: 'c', cwd: folder, workspace: { current_dir: folder, project_dir: folder } });
  const { stdout, stderr, status } = spawnSync('/bin/bash', [script], {
    input: said,
    env: { PATH: '/nowhere', NO_COLOR: '1', ...env },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

function withState(lines: string[], name = 'status'): string {
  const root = emptyFolder(name);
  fs.mkdirSync(path.join(root, '.git'));
  fs.mkdirSync(path.join(root, '.readygate'));
  fs.writeFileSync(path.join(root, '.readygate/state.json'), `${lines.join('\n')}\n`);
  return root;
}

const gate = (more: Record<string, unknown> = {}) => {
  const line = JSON.stringify({ gate: 'closed', phase: 'EXPLORATION', step: 5, session: 's-1', rev: 3, ...more });
  return `${line.slice(0, -1)},`;
};
const progress = (more: Record<string, unknown> = {}) =>
  `"progress":${JSON.stringify({ done: 0, total: 0, warnings: 0, waits: 'model', ...more })},`;

describe('the status line', () => {
  test('shows where a real session is', async () => {
    const world = new World();
    await sessionAt(world, await world.host({ owner: 'c' }), 'READY.implement', 'add a greeting', {
      replies: {
        'READY.plan': {
          tasks: ['a', 'b'].map((id) => ({ id, description: id, status: 'pending' })),
        },
      },
    });
    expect(shown(world.root)).toBe('Readygate READY 13/19 · editing open · tasks 0/2 · warnings 1\n');
    expect(shown(path.join(world.root, 'deep/er'))).toContain('READY 13/19');
    expect(shown(world.root, { env: { LANG: 'ja_JP.UTF-8' } })).toBe('Readygate READY 13/19 · 編集可 · タスク 0/2 · 警告 1\n');
  });

  test.each([
    ['an ordinary phase', [gate(), progress()], 'Readygate EXPLORATION 5/19 · editing closed\n'],
    [
      'warnings and a decision that is due',
      [gate({ phase: 'VERIFY_INTERVENTION', step: 16 }), progress({ done: 1, total: 3, warnings: 2, waits: 'user' })],
      'Readygate VERIFY_INTERVENTION 16/19 · editing closed · tasks 1/3 · warnings 2 · waits for you\n',
    ],
    ['a state of an earlier version', [gate(), ' "schema": 1,'], 'Readygate EXPLORATION 5/19 · editing closed\n'],
    ['a session that has ended', [gate({ gate: 'open', phase: 'SESSION_COMPLETE', step: 19 }), progress()], ''],
    ['a damaged state', ['{"gate":"clos'], ''],
  ])('shows %s', (_name, lines, text) => {
    expect(shown(withState(lines))).toBe(text);
  });

  test('says nothing without a session, and whatever it is given', () => {
    const root = emptyFolder();
    for (const input of [
      '',
      '{',
      '[]',
      'null',
      '{"cwd":5}',
      '{"cwd":"relative"}',
      `{"cwd":"${root}"}`,
      '\0\0',
      `{"cwd":"/${'x'.repeat(100_000)}"}`,
    ])
      expect(shown(root, { input })).toBe('');
  });

  test('finds a folder whose name needs escaping, and goes by the configured language', () => {
    const root = withState([gate(), progress()], 'quo"te \\ 日本');
    expect(shown(root)).toContain('EXPLORATION');
    fs.writeFileSync(path.join(root, '.readygate/config.yml'), 'enforce: never\nlanguage: "ja"  # for us\n');
    expect(shown(root)).toContain('編集不可');
    expect(shown(root, { env: { NO_COLOR: '', TERM: 'xterm' } })).toContain('\x1b[33m編集不可\x1b[0m');
  });
});

/** A user's own folder of Claude Code, with these settings. */
function user(settings?: string): { config: string; file: string; env: Record<string, string>; text: () => string } {
  const config = emptyFolder('claude');
  const file = path.join(config, 'settings.json');
  if (settings !== undefined) fs.writeFileSync(file, settings);
  return { config, file, env: { CLAUDE_CONFIG_DIR: config }, text: () => fs.readFileSync(file, 'utf8') };
}

const line = (file: string) =>
  (JSON.parse(fs.readFileSync(file, 'utf8')) as { statusLine?: { type: string; command: string; padding?: number } }).statusLine;

/** Runs what the settings name, as the client does. */
function runLine(file: string, folder: string): string {
  const input = JSON.stringify({ cwd: folder });
  return spawnSync('/bin/sh', ['-c', line(file)?.command ?? 'false'], {
    input,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    encoding: 'utf8',
  }).stdout;
}

describe('readygate statusline', () => {
  const session = withState([gate(), progress()]);

  test('adds the line below the one that is there, and puts the settings back', () => {
    const before =
      '{\n\t"model": "opus",\n\t"statusLine": { "type": "command", "command": "echo \\"it\'s mine\\"; cat >/dev/null", "padding": 0 },\n\t"zeta": [1]\n}\n';
    const me = user(before);
    const elsewhere = emptyFolder();
    expect(readygate(elsewhere, ['statusline', '--install', '--yes'], me.env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('below the status line'),
    });
    expect(line(me.file)).toMatchObject({ type: 'command', padding: 0 });
    expect(runLine(me.file, session)).toBe("it's mine\nReadygate EXPLORATION 5/19 · editing closed\n");
    expect(runLine(me.file, elsewhere)).toBe("it's mine\n");
    expect(readygate(elsewhere, ['statusline'], me.env).out).toContain('is on');
    // Once more changes nothing, above all not what is put back.
    const once = me.text();
    expect(readygate(elsewhere, ['statusline', '--install', '--yes'], me.env).code).toBe(0);
    expect(me.text()).toBe(once);
    expect(readygate(elsewhere, ['statusline', '--remove', '--yes'], me.env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('is back'),
    });
    expect(JSON.parse(me.text())).toEqual(JSON.parse(before));
    expect(me.text()).toContain('\n\t"model"');
    expect(fs.readdirSync(me.config)).toEqual(['settings.json']);
  });

  test('adds it where there was none, takes it away without a trace, and leaves a line of the user’s own alone', () => {
    const me = user();
    const elsewhere = emptyFolder();
    expect(readygate(elsewhere, ['statusline', '--install', '--yes'], me.env).code).toBe(0);
    expect(runLine(me.file, session)).toBe('Readygate EXPLORATION 5/19 · editing closed\n');
    expect(readygate(elsewhere, ['statusline', '--remove', '--yes'], me.env).out).toContain('no status line before');
    expect(me.text()).toBe('{}\n');
    fs.writeFileSync(me.file, '{"statusLine":{"type":"command","command":"mine"}}');
    expect(readygate(elsewhere, ['statusline', '--remove', '--yes'], me.env).out).toContain("not Readygate's");
    expect(me.text()).toBe('{"statusLine":{"type":"command","command":"mine"}}');
  });

  test('does not bring back a line that the user took out by hand', () => {
    const me = user('{"statusLine":{"type":"command","command":"mine"}}');
    const run = (way: string) => expect(readygate(emptyFolder(), ['statusline', way, '--yes'], me.env).code).toBe(0);
    run('--install');
    fs.writeFileSync(me.file, '{}');
    run('--install');
    run('--remove');
    expect(me.text()).toBe('{}\n');
  });

  test('goes on working when the plugin’s folder has moved to a new version', () => {
    const me = user();
    readygate(emptyFolder(), ['statusline', '--install', '--yes'], me.env);
    const launcher = path.join(me.config, 'readygate/statusline.sh');
    const plugin = /^plugin='(.*)'$/m.exec(fs.readFileSync(launcher, 'utf8'))?.[1] ?? '';
    const versions = emptyFolder('versions');
    fs.symlinkSync(plugin, path.join(versions, '0.2.0'));
    fs.writeFileSync(launcher, fs.readFileSync(launcher, 'utf8').replace(plugin, path.join(versions, '0.1.0')));
    expect(runLine(me.file, session)).toContain('EXPLORATION');
  });

  test('follows a link to the settings, and keeps their mode', () => {
    const me = user();
    const real = path.join(emptyFolder('dotfiles'), 'settings.json');
    fs.writeFileSync(real, '{}', { mode: 0o640 });
    fs.chmodSync(real, 0o640);
    fs.symlinkSync(real, me.file);
    expect(readygate(emptyFolder(), ['statusline', '--install', '--yes'], me.env).code).toBe(0);
    expect(fs.lstatSync(me.file).isSymbolicLink()).toBe(true);
    expect(fs.statSync(real).mode & 0o777).toBe(0o640);
    expect(line(real)?.type).toBe('command');
  });

  test.each([
    ['cut off', '{"model":'],
    ['no object', '[1]'],
  ])('leaves settings that are %s as they are', (_name, text) => {
    const me = user(text);
    expect(readygate(emptyFolder(), ['statusline', '--install', '--yes'], me.env)).toMatchObject({
      code: 1,
      err: expect.stringContaining(me.file),
    });
    expect(me.text()).toBe(text);
  });

  test('leaves settings that are read-only as they are, and says what to do', () => {
    const me = user('{}');
    const run = (way: string) => readygate(emptyFolder(), ['statusline', way, '--yes'], me.env);
    fs.chmodSync(me.file, 0o444);
    expect(run('--install')).toMatchObject({ code: 1, err: expect.stringMatching(/settings\.json is read-only.*chmod u\+w/) });
    expect([me.text(), fs.readdirSync(me.config)]).toEqual(['{}', ['settings.json']]);
    fs.chmodSync(me.file, 0o644);
    expect(run('--install').code).toBe(0);
    fs.chmodSync(me.file, 0o444);
    const on = me.text();
    expect(run('--remove')).toMatchObject({ code: 1, err: expect.stringContaining('is read-only') });
    expect([me.text(), runLine(me.file, session)]).toEqual([on, 'Readygate EXPLORATION 5/19 · editing closed\n']);
  });

  test('asks the person, and does nothing without their word or from inside a session', async () => {
    const me = user('{}');
    const elsewhere = emptyFolder();
    expect(readygate(elsewhere, ['statusline', '--install'], me.env)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
    const no = terminal(elsewhere, ['n'], { env: me.env });
    expect(await statuslineCommand.run(['--install'], no.context)).toMatchObject({ code: 1, data: { error: 'declined' } });
    expect(no.asked).toHaveLength(1);
    const world = new World();
    await sessionAt(world, await world.host({ owner: 'c' }), 'EXPLORATION', 'add a greeting');
    expect(readygate(world.root, ['statusline', '--install', '--yes'], me.env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('RG06'),
    });
    expect(me.text()).toBe('{}');
    expect((await statuslineCommand.run(['--install', '--remove'], no.context)).code).toBe(64);
  });
});
