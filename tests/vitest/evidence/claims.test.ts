import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFolder } from '../git/sandbox.ts';
import { Project } from './project.ts';

const explored = (...explored_files: unknown[]) => ({ check: 'exploration', data: { explored_files, findings: ['x'] } }) as const;
const documents = (...documents_reviewed: unknown[]) => ({ check: 'documents', data: { documents_reviewed } }) as const;

/** A project in which something was done already, so that its hooks are known to work. */
function active(files?: Record<string, string>): Project {
  const project = new Project(files);
  project.bash('true');
  return project;
}

describe('explored_files', () => {
  it('refuses a file that nobody opened, and says what to open', async () => {
    const project = active();
    const { refusal } = await project.weigh(explored('src/a.ts'));
    expect(refusal).toMatchObject({
      error: 'payload_mismatch',
      guard: 'RG12',
      problems: [{ pointer: '/explored_files/0', message: { key: 'problem.evidence_unread', params: { path: project.at('src/a.ts') } } }],
    });
  });

  it('refuses a file that is not there', async () => {
    expect(await active().refused(explored('src/missing.ts'))).toEqual(['/explored_files/0 missing_file']);
  });

  it('names each false entry, and no honest one', async () => {
    const project = active();
    project.read('src/a.ts');
    expect(await project.refused(explored('src/a.ts', { file: 'README.md' }, { why: 'x' }, { path: 'nowhere/x' }))).toEqual([
      '/explored_files/1/file unread',
      '/explored_files/2 no_path',
      '/explored_files/3/path missing_file',
    ]);
  });

  const ways: [string, (project: Project) => void][] = [
    ['Read', (project) => project.read('src/a.ts')],
    ['Read in a subagent', (project) => void project.hook({ tool_name: 'Read', file_path: project.at('src/a.ts'), agent_id: 'a1' })],
    ['Grep over the project', (project) => void project.hook({ tool_name: 'Grep', pattern: 'one' })],
    ['Grep over a folder', (project) => void project.hook({ tool_name: 'Grep', pattern: 'one', path: project.at('src') })],
    ['Grep over such files', (project) => void project.hook({ tool_name: 'Grep', pattern: 'one', glob: '*.{ts,tsx}' })],
    ['Glob', (project) => void project.hook({ tool_name: 'Glob', pattern: 'src/**/*.ts' })],
    ['Glob in a folder', (project) => void project.hook({ tool_name: 'Glob', pattern: '*.ts', path: project.at('src') })],
    ['a search tool of a server', (project) => void project.hook({ tool_name: 'mcp__serena__find', relative_path: 'src' })],
    ['a tool with several paths', (project) => void project.hook({ tool_name: 'mcp__files__read', paths: '["src/a.ts"]' })],
    ['cat', (project) => project.bash('cat src/a.ts')],
    ['sed of some lines', (project) => project.bash('sed -n 1,20p ./src/a.ts')],
    ['an absolute name', (project) => project.bash(`head -5 '${project.at('src/a.ts')}'`)],
    ['cd and cat', (project) => project.bash('cd src && cat a.ts', 0, { cwd: project.at('src') })],
    ['cd, cat and back', (project) => project.bash('cd src && cat a.ts && cd ..')],
    ['a folder that the shell stands in', (project) => project.bash('cat a.ts', 0, { cwd: project.at('src') })],
    ['a glob', (project) => project.bash('cat src/*.ts')],
    ['braces', (project) => project.bash('wc -l src/{a,b}.ts')],
    ['a loop', (project) => project.bash('for f in src/a.ts README.md; do cat src/a.ts; done')],
    ['grep -r', (project) => project.bash('grep -rn one src')],
    ['grep -r in the folder at hand', (project) => project.bash('grep -rn -A 3 one')],
    ['grep of a file without a match', (project) => project.bash('grep zzz src/a.ts', 0, { exit_note: 'No matches found' })],
    ['grep --include', (project) => project.bash("grep -rn --include='*.ts' one .")],
    ['rg', (project) => project.bash('rg -n one')],
    ['rg --files', (project) => project.bash('rg --files src')],
    ['git grep', (project) => project.bash('git grep -n one')],
    ['git show', (project) => project.bash('git show HEAD:src/a.ts')],
    ['git diff', (project) => project.bash('git --no-pager diff -- src/a.ts')],
    ['find', (project) => project.bash("find . -name '*.ts' -not -path './node_modules/*'")],
    ['ls', (project) => project.bash('ls -la src')],
    ['tree', (project) => project.bash('tree src')],
    ['a test that names it', (project) => project.bash('npx vitest run src/a.ts:2', 1)],
    ['standard input', (project) => project.bash('sort < src/a.ts')],
    ['a program in the command', (project) => project.bash(`python3 -c "print(open('src/a.ts').read())"`)],
    ['a program in a here-document', (project) => project.bash("python3 - <<'EOF'\nfor l in open('./src/a.ts'): print(l)\nEOF")],
    ['bash -c', (project) => project.bash('bash -c "cat src/a.ts | head"')],
    ['a substitution', (project) => project.bash('echo "$(cat src/a.ts)"')],
    ['the session that wrote it', (project) => project.edit('src/a.ts')],
  ];

  it.each(ways)('accepts a file seen by %s', async (_name, look) => {
    const project = active();
    look(project);
    expect(await project.refused(explored('src/a.ts'))).toEqual([]);
  });

  const noWays: [string, (project: Project) => void][] = [
    ['another file was read', (project) => project.read('src/deep/b.ts')],
    ['a file of the same name was read', (project) => project.bash('cat a.ts', 0, { cwd: project.at('docs') })],
    [
      'the Read failed',
      (project) => void project.hook({ tool_name: 'Read', file_path: project.at('src/a.ts'), error: 'denied' }, 'PostToolUseFailure'),
    ],
    ['its name was only printed', (project) => project.bash('echo src/a.ts')],
    ['it was only touched', (project) => project.bash('touch src/a.ts && chmod 644 src/a.ts')],
    ['it was only added to the index', (project) => project.bash('git add src/a.ts')],
    ['another folder was searched', (project) => project.bash('grep -rn one docs')],
    ['other files were searched', (project) => void project.hook({ tool_name: 'Grep', pattern: 'one', glob: '*.md' })],
    ['other files were found', (project) => project.bash("find . -name '*.md'")],
    ['only the top folder was listed', (project) => project.bash('ls')],
    ['find did not go so deep', (project) => project.bash('find . -maxdepth 1')],
    ['the command was not found', (project) => project.bash('batt src/a.ts', 127)],
    ['the command runs in the background', (project) => project.bash('cat src/a.ts', 0, { run_in_background: 'true', task: 'b1' })],
    ['the name is part of another', (project) => project.bash(`python3 -c "print(open('lib/src/a.tsx').read())"`)],
  ];

  it.each(noWays)('refuses a file when %s', async (_name, look) => {
    const project = active();
    look(project);
    expect(await project.refused(explored('src/a.ts'))).toEqual(['/explored_files/0 unread']);
  });

  it.each([
    'src/a.ts',
    './src/a.ts',
    '`src/a.ts`',
    'src/a.ts:2',
    'src/a.ts:1-3',
    'src/a.ts#L2',
    'src/a.ts (the start)',
    'src/a.ts - the start',
    'src/a.ts: the start',
    'src/a.ts — the start',
    '@src/a.ts',
    '[a](src/a.ts)',
    'src/a.ts::main',
    'src/a.ts（入口）',
  ])('understands %s', async (name) => {
    const project = active();
    expect(await project.refused(explored(name))).toEqual(['/explored_files/0 unread']);
    project.read('src/a.ts');
    expect(await project.refused(explored(name, project.at('src/a.ts')))).toEqual([]);
  });

  it('takes names with spaces, brackets and other scripts as they are', async () => {
    const names = ['docs/read me (old).md', 'src/[id].ts', '資料/設計 書.md', 'a:1'];
    const project = active(Object.fromEntries(names.map((name) => [name, 'x\n'])));
    expect(await project.refused(explored(...names))).toHaveLength(4);
    for (const name of names) project.read(name);
    expect(await project.refused(explored(...names))).toEqual([]);
  });

  it('takes folders that were listed, searched, or in which something was opened', async () => {
    const project = active();
    expect(await project.refused(explored('src', 'src/deep/'))).toEqual([
      '/explored_files/0 unread_folder',
      '/explored_files/1 unread_folder',
    ]);
    project.read('src/deep/b.ts');
    expect(await project.refused(explored('src', 'src/deep/', 'docs'))).toEqual(['/explored_files/2 unread_folder']);
    project.bash('ls docs');
    expect(await project.refused(explored('docs'))).toEqual([]);
  });

  it('takes a glob whose folder was listed or searched', async () => {
    const project = active();
    expect(await project.refused(explored('src/**/*.ts', 'nowhere/*.ts'))).toEqual([
      '/explored_files/0 unread_folder',
      '/explored_files/1 unread_folder',
    ]);
    project.bash("find src -name '*.ts'");
    expect(await project.refused(explored('src/**/*.ts'))).toEqual([]);
  });

  it('takes names relative to a folder that the session worked in', async () => {
    const project = active();
    project.bash('cat a.ts', 0, { cwd: project.at('src') });
    expect(await project.refused(explored('a.ts'))).toEqual([]);
  });

  it('knows a file by each of its names: through a link, and through a linked root', async () => {
    const project = active();
    symlinkSync('src/a.ts', project.at('link.ts'));
    const alias = join(emptyFolder(), 'alias');
    symlinkSync(project.root, alias);
    project.hook({ tool_name: 'Read', file_path: join(alias, 'src/a.ts') });
    expect(await project.refused(explored('src/a.ts', 'link.ts'))).toEqual([]);
  });

  it('takes files outside the work tree', async () => {
    const project = active();
    const outside = join(emptyFolder(), 'library.md');
    writeFileSync(outside, 'x');
    expect(await project.refused(explored(outside))).toEqual(['/explored_files/0 unread']);
    project.bash(`cat "${outside}"`);
    expect(await project.refused(explored(outside))).toEqual([]);
  });
});

describe('documents_reviewed', () => {
  it('may be empty', async () => {
    expect(await active().refused(documents())).toEqual([]);
  });

  it('are judged like explored files', async () => {
    const project = active();
    project.read('README.md');
    expect(await project.refused(documents('README.md', { path: 'docs/guide.md', rules: ['x'] }, 'docs/none.md'))).toEqual([
      '/documents_reviewed/1/path unread',
      '/documents_reviewed/2 missing_file',
    ]);
  });

  it('count without a tool call where the host itself showed them: memory files, what they import, and what the user named', async () => {
    const project = active({
      'CLAUDE.md': 'Rules: @docs/rules.md and me@example.com\n',
      'docs/rules.md': 'more in @style.md.\n',
      'docs/style.md': 'x\n',
      'NOTES.md': 'x\n',
      'docs/other.md': 'x\n',
    });
    const claim = documents('CLAUDE.md', 'docs/rules.md', 'docs/style.md', 'NOTES.md', 'docs/other.md');
    expect(await project.refused({ ...claim, words: ['look at @NOTES.md first'] })).toEqual(['/documents_reviewed/4 unread']);
  });

  it('may be addresses that were fetched', async () => {
    const project = active();
    const claim = documents('https://example.com/guide/', { path: 'https://example.com/api#top' });
    expect(await project.refused(claim)).toEqual(['/documents_reviewed/0 unread_url', '/documents_reviewed/1/path unread_url']);
    project.hook({ tool_name: 'WebFetch', url: 'https://example.com/guide' });
    project.bash('curl -s https://example.com/api');
    expect(await project.refused(claim)).toEqual([]);
  });
});

describe('the modes', () => {
  it('strict refuses', async () => {
    expect((await active().weigh(explored('src/a.ts'))).refusal).not.toBeNull();
  });

  it('warn says the same and lets it pass', async () => {
    const project = active();
    const { refusal, warnings } = await project.weigh({ ...explored('src/a.ts'), mode: 'warn' });
    expect(refusal).toBeNull();
    expect(warnings).toEqual([
      { key: 'warning.evidence', params: { pointer: '/explored_files/0', detail: expect.stringContaining('was not opened') } },
    ]);
  });

  it('off looks at nothing', async () => {
    expect(await active().weigh({ ...explored('src/missing.ts'), mode: 'off' })).toEqual({ refusal: null, warnings: [] });
  });

  it('a session whose hooks never wrote a line is warned once, and told what the disk alone shows', async () => {
    const project = new Project();
    const { refusal, warnings } = await project.weigh(explored('src/a.ts', 'README.md', 'src/missing.ts'));
    expect(refusal).toBeNull();
    expect(warnings.map(({ key }) => key)).toEqual(['warning.evidence_no_ledger', 'warning.evidence']);
    expect(project.clock.paused).toBe(0);
  });
});

it('a session that did nothing but start may not claim to have read', async () => {
  const project = new Project();
  project.hook({ tool_name: 'mcp__plugin_readygate_gate__start_session' });
  expect(await project.refused(documents('README.md'))).toEqual(['/documents_reviewed/0 unread']);
});

describe('lines under way', () => {
  it('are waited for', async () => {
    const project = active();
    let looks = 0;
    project.clock.meanwhile = () => {
      looks += 1;
      if (looks === 3) project.read('src/a.ts');
    };
    expect(await project.refused(explored('src/a.ts'))).toEqual([]);
    expect(looks).toBe(3);
  });

  it('are given up after two seconds', async () => {
    const project = active();
    expect(await project.refused(explored('src/a.ts'))).toEqual(['/explored_files/0 unread']);
    expect(project.clock.paused).toBe(2000);
  });

  it('are not waited for where no line could help', async () => {
    const project = active();
    expect(await project.refused(explored('src/missing.ts'))).toEqual(['/explored_files/0 missing_file']);
    expect(project.clock.paused).toBe(0);
  });
});

it('2,000 entries against a long ledger are judged at once', async () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`many/f${n}.txt`, 'x\n']));
  const project = active(files);
  for (let n = 0; n < 500; n++) project.bash(`cat many/f${n}.txt && grep -rn x many/f${n + 500}.txt | head`);
  mkdirSync(project.at('more'));
  project.bash('for n in 1 2 3; do rg x many; done');
  const refused = await project.refused(explored(...Object.keys(files), 'more'));
  expect(refused).toEqual(['/explored_files/2000 unread_folder']);
  rmSync(project.at('more'), { recursive: true });
});
