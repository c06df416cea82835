import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../../mcp-server/src/evidence/entry.ts';
import { appendLedger, readLedger } from '../../../mcp-server/src/evidence/ledger.ts';
import { onTool } from '../../../mcp-server/src/evidence/on-tool.ts';
import { maskSecrets } from '../../../mcp-server/src/evidence/secrets.ts';
import { emptyFolder, Sandbox } from '../git/sandbox.ts';
import '../seed.ts';
import { times, tried } from '../soak.ts';
import { Project, SESSION } from './project.ts';

const entry = (fields: Record<string, unknown>) => entryOf({ event: 'PostToolUse', cwd: '/work', ...fields }, 5000);

describe('an entry', () => {
  it('tells of a file that was read, but not what it holds', () => {
    const fields = { tool_name: 'Read', file_path: '/srv/a.txt', duration_ms: '46', tool_response: 'secret content', agent_id: 'a94b' };
    expect(entry(fields)).toEqual({
      at: 5000,
      ms: 46,
      tool: 'Read',
      path: '/srv/a.txt',
      exit: null,
      ok: true,
      background: false,
      agent: 'a94b',
      cwd: '/work',
      edits: false,
    });
  });

  it.each([
    ['a command that succeeded', { command: 'npm test' }, { exit: 0, ok: true, background: false, check: 'shown' }],
    [
      'a command that failed',
      { command: 'npm test', event: 'PostToolUseFailure', error: 'Exit code 3\nmuch output' },
      { exit: 3, ok: false, check: 'shown' },
    ],
    [
      'a command that could not be found',
      { command: 'nosuch', event: 'PostToolUseFailure', error: 'Exit code 127\n/bin/bash: …' },
      { exit: 127, ok: false },
    ],
    ['a search without a match', { command: 'grep zzz a', exit_note: 'No matches found' }, { exit: 1, ok: true, check: 'none' }],
    ['a command in the background', { command: 'npm test', run_in_background: 'true', task: 'b1bf' }, { exit: null, background: true }],
    ['a command moved to the background at its time limit', { command: 'npm test', task: 'b6nv' }, { exit: null, background: true }],
    [
      'an interrupted command',
      { command: 'npm test', event: 'PostToolUseFailure', error: 'Interrupted', interrupted: 'true' },
      { exit: null, ok: false },
    ],
    ['an interrupted command that is told as a success', { command: 'npm test', interrupted: 'true' }, { exit: null, ok: false }],
  ])('%s', (_what, fields, told) => {
    expect(entry({ tool_name: 'Bash', ...fields })).toMatchObject(told);
  });

  it.each(['Edit', 'Write', 'MultiEdit'])('%s edits its file', (tool_name) => {
    expect(entry({ tool_name, file_path: '/srv/a.txt' })).toMatchObject({ edits: true, path: '/srv/a.txt' });
  });

  it('NotebookEdit edits its notebook', () => {
    expect(entry({ tool_name: 'NotebookEdit', notebook_path: '/srv/n.ipynb' })).toMatchObject({ edits: true, path: '/srv/n.ipynb' });
  });

  it('keeps the paths and the pattern of a search, and reads lists and file addresses', () => {
    expect(entry({ tool_name: 'Grep', pattern: 'one', path: '/srv/src', glob: '*.ts' })).toMatchObject({
      path: '/srv/src',
      pattern: 'one',
      glob: '*.ts',
    });
    expect(entry({ tool_name: 'mcp__files__read_many', paths: '["a.txt","b.txt",3]' })).toMatchObject({ paths: ['a.txt', 'b.txt'] });
    expect(entry({ tool_name: 'mcp__lsp__open', uri: 'file:///srv/a%20b.txt' })).toMatchObject({ path: '/srv/a b.txt' });
  });

  it.each(['', 'mcp__plugin_readygate_gate__submit_phase', 'mcp__plugin_readygate_gate__guard'])('%j is no evidence', (tool_name) => {
    expect(entry({ tool_name })).toBeNull();
  });

  it('is written of the start of a session, which tells that hooks are active', () => {
    expect(entry({ tool_name: 'mcp__plugin_readygate_gate__start_session' })).toMatchObject({ ok: true, edits: false });
  });

  it('cuts a long command, and still judges it by its end', () => {
    const long = entry({ tool_name: 'Bash', command: `npm test -- ${'x'.repeat(20_000)} || true` });
    expect(long?.command?.length).toBeLessThan(8100);
    expect(long?.check).toBe('hidden');
  });

  it('never throws, whatever the hook sends', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('event', 'tool_name', 'command', 'paths', 'uri', 'error', 'duration_ms', 'cwd', 'task'),
          fc.anything(),
        ),
        (fields) => void entryOf(fields, 1),
      ),
    );
  });
});

describe('secrets in commands', () => {
  it.each([
    ['export OPENAI_KEY=sk-abcdefghijklmnop1234', 'sk-abcdefghijklmnop1234'],
    ['curl -H "Authorization: Bearer abcdef1234567890"', 'abcdef1234567890'],
    ['git clone https://me:hunter22@example.com/r.git', 'hunter22'],
    ['psql postgres://app:p4ss%40word@db/x', 'p4ss%40word'],
    ['DB_PASSWORD=hunter22 npm test', 'hunter22'],
    ['login --password hunter22', 'hunter22'],
    ['login --api-key=hunter22', 'hunter22'],
    [`curl -d '{"api_key": "hunter22"}' x`, 'hunter22'],
    ['GITHUB_TOKEN="hunter 22" gh pr list', 'hunter 22'],
    ['echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123', 'eyJzdWIiOiIxMjM0In0'],
    ['echo ghp_abcdefghijklmnopqrst', 'ghp_abcdefghijklmnopqrst'],
    ["cat > k <<'E'\n-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----\nE", 'MIIEabc'],
  ])('%s', (command, secret) => {
    expect(maskSecrets(command)).not.toContain(secret);
    expect(maskSecrets(command)).toContain('***');
  });

  it.each([
    'npm test -- --grep "password reset"',
    'cat src/token.ts',
    'TOKEN=$CI_TOKEN npm test',
    'git log --author=me',
    'https://example.com:8080/a',
    'python -m secrets',
  ])('leaves %s', (command) => {
    expect(maskSecrets(command)).toBe(command);
  });
});

describe('the ledger', () => {
  it('holds a line for each call, in order', () => {
    const project = new Project();
    project.read('src/a.ts');
    project.bash('npm test', 1);
    project.edit('src/a.ts');
    expect(project.ledger().map(({ tool, exit }) => [tool, exit])).toEqual([
      ['Read', null],
      ['Bash', 1],
      ['Edit', null],
    ]);
  });

  it('loses nothing when several servers append at once', async () => {
    const project = new Project();
    const script = `
      const { appendLedger } = await import(process.env.LEDGER);
      for (let n = 0; n < 200; n++) appendLedger(process.env.ROOT, '${SESSION}', { at: n, ms: 1, tool: process.env.NAME, command: 'x'.repeat(3000), exit: 0, ok: true, background: false, agent: null, cwd: '/', edits: false, check: 'none' });`;
    const bundled = join(emptyFolder(), 'ledger.mjs');
    const source = fileURLToPath(new URL('../../../mcp-server/src/evidence/ledger.ts', import.meta.url));
    execFileSync(fileURLToPath(new URL('../../../node_modules/.bin/esbuild', import.meta.url)), [
      source,
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--outfile=${bundled}`,
      '--log-level=error',
    ]);
    const writers = ['one', 'two', 'three', 'four'].map(
      (name) =>
        new Promise((resolve) => {
          const env = { ...process.env, LEDGER: bundled, ROOT: project.root, NAME: name };
          spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'inherit' }).once('exit', resolve);
        }),
    );
    expect(await Promise.all(writers)).toEqual([0, 0, 0, 0]);
    const entries = project.ledger();
    expect(entries).toHaveLength(800);
    for (const name of ['one', 'two', 'three', 'four'])
      expect(entries.filter(({ tool }) => tool === name).map(({ at }) => at)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('survives a line that was cut off at any byte', () => {
    const project = new Project();
    const file = project.at(`.readygate/sessions/${SESSION}/ledger.jsonl`);
    project.read('src/a.ts');
    project.read('README.md');
    const whole = readFileSync(file);
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      project.bash('npm test');
      expect(project.ledger().at(-1)).toMatchObject({ tool: 'Bash' });
    }
  });

  it('reads every whole line, whatever stands between', () => {
    const project = new Project();
    const file = project.at(`.readygate/sessions/${SESSION}/ledger.jsonl`);
    const junk = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{"at":1}', '{"at":1,"tool":"Read"', 'null', '[]', '\u0000\u0000'));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(null), junk), { maxLength: 20 }), (lines) => {
        writeFileSync(file, '');
        let whole = 0;
        for (const line of lines) {
          if (line === null) {
            project.read('src/a.ts');
            whole += 1;
          } else appendFileSync(file, line);
        }
        expect(project.ledger().filter(({ path }) => path === project.at('src/a.ts'))).toHaveLength(whole);
      }),
      { numRuns: times(300) },
    );
    tried('damaged ledgers', times(300));
  });

  it('is empty when there is none, and for bytes that are no text', () => {
    const project = new Project();
    expect(project.ledger()).toEqual([]);
    writeFileSync(project.at(`.readygate/sessions/${SESSION}/ledger.jsonl`), Buffer.from([0xff, 0xfe, 0, 10, 0xc3]));
    expect(project.ledger()).toEqual([]);
  });

  it('follows no link out of its folder', () => {
    const project = new Project();
    const outside = join(emptyFolder(), 'victim');
    writeFileSync(outside, 'mine\n');
    symlinkSync(outside, project.at(`.readygate/sessions/${SESSION}/ledger.jsonl`));
    expect(project.hook({ tool_name: 'Read', file_path: project.at('src/a.ts') })).toBe(false);
    expect(readFileSync(outside, 'utf8')).toBe('mine\n');
    expect(readLedger(project.root, SESSION)).toEqual([]);
  });
});

describe('which session a call belongs to', () => {
  const edge = (projectDir: string, roots: string[] = []) => ({ projectDir, now: () => new Date(1), roots });

  it('is that of the work tree the file lies in, then of the folder, then of the project', () => {
    const [main, other] = [new Project(), new Project()];
    onTool(edge(main.root), { event: 'PostToolUse', tool_name: 'Read', file_path: other.at('src/a.ts'), cwd: main.root });
    onTool(edge(main.root), { event: 'PostToolUse', tool_name: 'Bash', command: 'npm test', cwd: other.at('src') });
    onTool(edge(main.root), { event: 'PostToolUse', tool_name: 'Bash', command: 'npm test', cwd: emptyFolder() });
    expect(other.ledger().map(({ tool }) => tool)).toEqual(['Read', 'Bash']);
    expect(main.ledger().map(({ tool }) => tool)).toEqual(['Bash']);
  });

  it('is a linked work tree that only this server knows of', () => {
    const [main, linked] = [new Sandbox(emptyFolder()), new Project()];
    onTool(edge(main.root, [linked.root]), { event: 'PostToolUse', tool_name: 'Bash', command: 'npm test', cwd: main.root });
    expect(linked.ledger()).toHaveLength(1);
  });

  it.each([
    ['no session', ''],
    ['a damaged one', 'not a gate line'],
    ['an id that leads out', '{"gate":"closed","phase":"EXPLORATION","step":5,"session":"../../x","rev":3,'],
  ])('with %s nothing is written, and nothing is thrown', (_what, text) => {
    const root = emptyFolder();
    mkdirSync(join(root, '.git'));
    if (text) {
      mkdirSync(join(root, '.readygate'));
      writeFileSync(join(root, '.readygate/state.json'), text);
    }
    expect(onTool(edge(root), { event: 'PostToolUse', tool_name: 'Bash', command: 'npm test', cwd: root })).toBe(false);
  });

  it('a session without its folder costs the line, not the call', () => {
    const project = new Project();
    project.box.remove(`.readygate/sessions/${SESSION}`);
    expect(project.hook({ tool_name: 'Read', file_path: project.at('src/a.ts') })).toBe(false);
    expect(() => appendLedger(project.root, SESSION, entry({ tool_name: 'Read' }) as never)).toThrow(/ENOENT/);
  });
});
