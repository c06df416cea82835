import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forRipgrep } from '../../../mcp-server/src/intel/search/dialect.ts';
import { emptyFolder, makeRepository, type Sandbox } from '../git/sandbox.ts';
import { Intel } from './threads.ts';

const installed = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'rg')));
if (!installed) console.log('ripgrep is not installed: that both engines find the same is not tested');

/** A PATH with git, and without ripgrep. */
function onlyGit(): string {
  const folder = emptyFolder('only-git');
  symlinkSync(execFileSync('which', ['git'], { encoding: 'utf8' }).trim(), join(folder, 'git'));
  return folder;
}

const TEXTS: Record<string, string | Buffer> = {
  'empty.txt': '',
  'blank.txt': '\nfoo\n  bar\n',
  'over.ts': 'x\n\nexport b\n export c',
  'crlf.txt': 'foo\r\n\r\nbar baz\r\n12 + 3\r\n',
  'lone.txt': 'ab\rcd\nab\n',
  'mark.txt': '\ufefffoo\n12\n',
  'wide.txt': 'é会 😀\n٣ ſ K\n\u00a0\u2028x\n😀\n',
  'latin.txt': Buffer.from('caf\xe9\nfoo \xe9\xe9 12\n', 'latin1'),
  'binary.bin': Buffer.from([102, 111, 0, 10, 49, 50]),
  'late-zero.txt': `${'foo\n'.repeat(3000)}12\n\0\nbar\n`,
  'wide-16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('foo 12\nbar\n', 'utf16le')]),
  'punctuation.txt': 'a-b <c> [d] {e} ~f& g\\h \'i\' "j" /k/\n_x9\n',
  'long.txt': `${'word '.repeat(400)}77\n`,
  'ignored.log': 'foo 12\n',
  'hidden/dotted.txt': 'foo 12\n',
  '.hidden': 'foo 12\n',
  '.gitignore': '*.log\n',
  '.ignore': 'blank.txt\n',
  '.rgignore': 'crlf.txt\n',
};

const PATTERNS = [
  ...['^$', '^\\s*$', '\\s+ex', '^.$', '^..$', '\\d+', '\\D$', '^\\w+$', '\\W', '\\bf', 'o\\b', '\\Bo', '\\S\\s\\S', '^[^a-z]*$'],
  ...[
    '[-+]',
    '[<>]',
    '[&~]',
    '[\\[\\]]',
    '[\\w-]+ [a-c]',
    '\\{e\\}',
    '(?:fo|ba)+',
    '(a|b)+$',
    'o{2}',
    'o{1,}$',
    '^.{3}$',
    '\\x66o',
    '\\u{66}',
  ],
  ...[
    '[^\\n]$',
    '\\/k',
    '["\']',
    '\\p{Lu}',
    '[é会]',
    '^(?!f)',
    '(?<=o)o',
    '(o)\\1',
    '_x|^f',
    '\\t',
    '[\\s\\S]',
    '.*',
    '[a-z]{4}$',
    '[]]',
    '[^]',
    '~',
    '&g',
  ],
];

describe.runIf(installed)('ripgrep and our own search', () => {
  let box: Sandbox;
  let ours: Intel;
  let theirs: Intel;
  const found = async (intel: Intel, args: Record<string, unknown>) => {
    const { data, problem, text } = await intel.call('search_text', { regex: true, max_results: 400, ...args });
    return { problem, head: text.split('\n')[0], note: /not searched: .*/.exec(text)?.[0], rows: data.results, total: data.total };
  };

  beforeAll(async () => {
    box = makeRepository();
    for (const [path, content] of Object.entries(TEXTS)) box.write(path, content);
    for (let at = 0; at < 45; at++) box.write(`more/f${at}.md`, '%\n');
    box.git('add', '-A', '-f');
    box.git('commit', '-q', '-m', 'texts');
    writeFileSync(join(box.root, 'unlisted.log'), 'foo 12\n');
    ours = new Intel(box.root, { PATH: onlyGit() });
    theirs = new Intel(box.root);
    await theirs.settle();
  });
  afterAll(async () => {
    await ours.end();
    await theirs.end();
  });

  test.each(PATTERNS)('find the same for %s', async (pattern) => {
    for (const case_sensitive of [true, false])
      expect(await found(theirs, { patterns: [pattern], case_sensitive }), `${case_sensitive}`).toEqual(
        await found(ours, { patterns: [pattern], case_sensitive }),
      );
  });

  test('see what is committed although it is ignored', async () => {
    const { rows } = await found(theirs, { patterns: ['^fo+ \\d'] });
    expect((rows as { path: string }[]).map(({ path }) => path)).toEqual(['.hidden', 'hidden/dotted.txt', 'ignored.log', 'wide-16.txt']);
  });
});

test('more output than can be held is counted all the same', async () => {
  const files = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`f${at}.txt`, `${'a1 '.repeat(300)}\n`.repeat(450)]));
  const intel = Intel.start(makeRepository(files).root);
  expect((await intel.call('search_text', { patterns: ['\\d'], regex: true })).data.total).toBe(45 * 450);
});

test.each([
  ['\\d+', '[0-9]+'],
  ['[\\w-]', '[0-9A-Za-z_\\-]'],
  ['a-b_<c>', 'a\\-b_<c>'],
  ['[[a]b]', null],
  ['[]a]', null],
  ['\\z', null],
  ['\\<a', null],
  ['(?=a)', null],
  ['\\1(a)', null],
  ['[a&&b]', '[a\\&\\&b]'],
])('%s is %s for ripgrep', (pattern, expected) => expect(forRipgrep(pattern)).toBe(expected));
