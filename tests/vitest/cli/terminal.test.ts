/** What the terminal shows: colours, bars, completion. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionScript } from '../../../mcp-server/src/cli/completion.ts';
import { coloursFor, withoutControls } from '../../../mcp-server/src/cli/paint.ts';
import { barLine, startProgress } from '../../../mcp-server/src/cli/progress.ts';
import { wrap } from '../../../mcp-server/src/cli/wrap.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { readygate } from './program.ts';

describe('colours', () => {
  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR in a terminal', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
    ['FORCE_COLOR in a pipe', {}, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR over NO_COLOR', {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['FORCE_COLOR=0 in a terminal', { isTTY: true }, { FORCE_COLOR: '0' }, false],
  ])('%s', (_name, stream, env, colours) => {
    expect(coloursFor(stream, env)).toBe(colours);
  });
});

test('what is printed obeys nobody but the line ends, tabs and colours in it', () => {
  expect(withoutControls('a\x1b]52;c;eA==\x07b\x1b[2Kc\rd\x9b31m\n\t\x1b[31me\x1b[0m')).toBe('a]52;c;eA==b[2Kcd31m\n\t\x1b[31me\x1b[0m');
});

describe('a progress bar', () => {
  const drawn: string[] = [];
  const stream = (isTTY: boolean) => ({ isTTY, columns: 60, write: (text: string) => drawn.push(text) });

  test('draws only in a terminal, not more often than can be seen, and always its end', () => {
    drawn.length = 0;
    let now = 0;
    const bar = startProgress(stream(true), 'index', 100, () => now);
    for (let done = 1; done <= 100; done++) {
      now += 8;
      bar.update(done);
    }
    bar.end();
    bar.update(1);
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.length).toBeLessThan(15);
    expect(drawn.at(-2)).toContain('100% 100/100');
    expect(drawn.at(-1)).toBe('\r\x1b[2K');
    drawn.length = 0;
    const silent = startProgress(stream(false), 'index', 1);
    silent.update(1);
    silent.end();
    expect(drawn).toEqual([]);
  });

  test.each([
    [0, 0],
    [5, 0],
    [-1, 10],
    [20, 10],
    [3, 10],
  ])('%i of %i is a line that fits, also with wide characters', (done, total) => {
    const line = barLine('索引を作成しています', done, total, '長い名前のファイル'.repeat(10), 50);
    const cells = [...line].reduce((sum, char) => sum + (/[\u3000-\u9fff\uff00-\uff60]/.test(char) ? 2 : 1), 0);
    expect(cells).toBeLessThan(50);
    expect(line).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('text in a terminal', () => {
  test.each([
    ['short', 'short'],
    ['one two three', 'one two\nthree'],
    ['  one two three', '  one two\n  three'],
    ['unbreakable-word next', 'unbreakable-word\nnext'],
    ['日本語の長い文です', '日本語の\n長い文で\nす'],
    ['a\n\nb', 'a\n\nb'],
  ])('%j is broken as %j', (text, broken) => {
    expect(wrap(text, 9)).toBe(broken);
  });
});

describe('completion', () => {
  const commands = [
    { name: 'status', summary: 'a', argument: 'session' as const },
    { name: 'attest', summary: "it's: b", argument: 'revision' as const, options: ['--seal'] },
    { name: 'report', summary: 'r', argument: 'session' as const, options: ['--out'], values: { '--out': 'file' as const } },
    { name: 'dashboard', summary: 'd', options: ['--port'], values: { '--port': 'number' as const } },
    { name: 'explain', summary: 'e', argument: 'file' as const },
    { name: 'completion', summary: 'c' },
  ];
  const script = (shell: 'bash' | 'zsh' | 'fish') => completionScript(shell, commands, (key) => key);

  test('in bash completes commands, a command’s options, and shells', () => {
    const complete = (line: string) => {
      const words = line.split(' ');
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const run = `${script('bash')}\nCOMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}\n_readygate\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-u', '-c', run], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(complete('readygate st')).toEqual(['status']);
    expect(complete('readygate attest --s')).toEqual(['--seal']);
    expect(complete('readygate completion z')).toEqual(['zsh']);
    expect(complete('readygate help a')).toEqual(['attest']);
    // Nothing of ours: then bash completes the name of a file, as complete -o default says.
    for (const line of ['report --out ', 'report --out r', 'report --out =', 'report --out = r', 'explain Edit ', 'explain Edit r'])
      expect(complete(`readygate ${line}`), line).toEqual(['']);
    expect(complete('readygate dashboard --port ')).toEqual(['']);
    expect(complete('readygate report --o')).toEqual(['--out']);
    expect(complete('readygate explain --h')).toEqual(['--help']);
    expect(script('bash')).toContain('complete -o default -F');
  });

  test('runs nothing that a branch or a folder of sessions is called', () => {
    const folder = emptyFolder('names');
    const git = (...args: string[]) => expect(spawnSync('git', args, { cwd: folder }).status).toBe(0);
    const evil = ['$(touch$', 'ran)'].join('{IFS}');
    git('init', '-q', '-b', 'main');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'a');
    git('branch', evil);
    for (const name of [evil, '20260101-000000-abcdef']) fs.mkdirSync(path.join(folder, '.readygate/sessions', name), { recursive: true });
    const complete = (command: string) => {
      const run = `${script('bash')}\nCOMP_WORDS=(readygate ${command} '') COMP_CWORD=2\n_readygate\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('/bin/bash', ['--norc', '-c', run], { encoding: 'utf8', cwd: folder }).stdout.trim().split('\n');
    };
    expect(complete('attest')).toEqual(['--seal', '--json', '--help', 'main']);
    expect(complete('status')).toEqual(['--json', '--help', '20260101-000000-abcdef']);
    expect(fs.existsSync(path.join(folder, 'ran'))).toBe(false);
  });

  test('in zsh and fish offers files behind each option that takes one, and where a file is judged', () => {
    const zsh = script('zsh');
    for (const row of [
      'report:--out) _files; return',
      "report:--out=*) compset -P '*='; _files; return",
      'explain:[^-]*|explain:) _files; return',
    ])
      expect(zsh).toContain(row);
    const fish = script('fish').split('\n');
    expect(fish.filter((row) => / (-F|-x)\b/.test(row))).toEqual([
      "complete -c readygate -n '__fish_seen_subcommand_from report' -r -F -l out",
      "complete -c readygate -n '__fish_seen_subcommand_from dashboard' -x -l port",
      "complete -c readygate -n '__fish_seen_subcommand_from explain' -F",
    ]);
  });

  test('every option that the usage shows with a value says of what kind it is', () => {
    const folder = emptyFolder();
    const { commands: names } = JSON.parse(readygate(folder, ['help', '--json']).out) as { commands: string[] };
    const fish = readygate(folder, ['completion', 'fish']).out;
    const shown = names.flatMap((name) => {
      const { usage } = JSON.parse(readygate(folder, ['help', name, '--json']).out) as { usage: string };
      return [...usage.matchAll(/--([a-z-]+) [a-z0-9]/g)].map((match) => [name, match[1]] as const);
    });
    expect(shown).toContainEqual(['report', 'out']);
    for (const [name, option] of shown) expect(fish).toMatch(new RegExp(`from ${name}' (?:-r -F|-x) -l ${option}\\n`));
  });

  test.each(['zsh', 'fish'] as const)('for %s names every command and option', (shell) => {
    const text = script(shell);
    for (const word of ['status', 'attest', 'completion', 'seal']) expect(text).toContain(word);
    expect(text).not.toContain("it's");
  });
});
