import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyFolder, makeRepository, type Sandbox } from '../git/sandbox.ts';
import { Intel } from './threads.ts';

const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const MINIFIED = `${'var a=function(b){return b+1};'.repeat(40)}\n`.repeat(600);

let box: Sandbox;
let intel: Intel;
let report: Record<string, unknown>;

/** One repository with everything that a careless reader would trip over. */
beforeAll(async () => {
  box = makeRepository();
  box.write('good.ts', 'export function goodOne(): void {}\n');
  box.write('binary.ts', Buffer.from([0, 1, 2, 3, 0, 255, 254, 0, 9]));
  box.write('utf16.py', utf16('def wide_function():\n    pass\n'));
  box.write('crlf.ts', '/** Comes from Windows. */\r\nexport function crlfOne(): void {\r\n  return;\r\n}\r\n');
  box.write('latin1.js', Buffer.from('// caf\xe9\nfunction latinOne() {}\n', 'latin1'));
  box.write('broken.ts', 'export function before(): void {}\nexport function {{{ ((\nclass After { method( {\n');
  box.write('minified.js', MINIFIED.slice(0, 900_000));
  box.write('empty.ts', '');
  box.write('only-newlines.md', '\n\n\n');
  box.write('no-ending', '#!/usr/bin/env bash\nbash_one() { :; }\n');
  box.write('deep.js', `${'[\n'.repeat(5000)}${']\n'.repeat(5000)};\nfunction belowDeep() {}\n`);
  box.write('with space/日本語 "quoted".ts', 'export const oddlyNamed = 1;\n');
  box.write('long-line.md', `# Long\n\n${'word '.repeat(30_000)}\n`);
  symlinkSync('good.ts', join(box.root, 'link.ts'));
  symlinkSync('nowhere.ts', join(box.root, 'dangling.ts'));
  mkdirSync(join(box.root, 'loop'));
  symlinkSync('..', join(box.root, 'loop', 'up'));
  execFileSync('mkfifo', [join(box.root, 'pipe.ts')]);
  writeFileSync(join(box.root, 'huge.ts'), 'export const huge = 1;\n');
  truncateSync(join(box.root, 'huge.ts'), 100 * 1024 * 1024);
  const inner = makeRepository({ 'inner.ts': 'export const insideSubmodule = 1;\n' });
  box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
  mkdirSync(join(box.root, 'nested'));
  makeRepository({ 'nested.ts': 'export const insideNested = 1;\n' }, join(box.root, 'nested', 'own'));
  box.write('locked.ts', 'export const locked = 1;\n');
  chmodSync(join(box.root, 'locked.ts'), 0);
  intel = new Intel(box.root);
  report = await intel.settle();
});

afterAll(() => intel.end());

describe('a repository full of trouble', () => {
  test('everything is indexed, or skipped with a reason and counted', () => {
    const skipped = report.skipped as Record<string, { count: number; examples: string[] }>;
    const indexed = Object.values(report.languages as Record<string, number>).reduce((sum, count) => sum + count, 0);
    const left = Object.values(skipped).reduce((sum, { count }) => sum + count, 0);
    expect(indexed + left).toBe(report.files);
    expect(skipped.binary?.examples).toContain('binary.ts');
    expect(skipped.large?.examples).toContain('huge.ts');
    expect(skipped.minified?.examples).toContain('minified.js');
    expect(report.broken).toBeGreaterThanOrEqual(1);
    // Both links, the submodule; the pipe is nothing that git lists.
    expect(report.others).toBeGreaterThanOrEqual(3);
  });

  test.each([
    ['goodOne', 'good.ts', 1],
    ['wide_function', 'utf16.py', 1],
    ['crlfOne', 'crlf.ts', 2],
    ['latinOne', 'latin1.js', 2],
    ['before', 'broken.ts', 1],
    ['bash_one', 'no-ending', 2],
    ['belowDeep', 'deep.js', 10_002],
    ['oddlyNamed', 'with space/日本語 "quoted".ts', 1],
  ])('%s is found in %s', async (symbol, path, line) => {
    expect(await intel.rows('find_definitions', { symbol })).toMatchObject([{ path, line }]);
  });

  test('what lies in another repository, behind a link or in a pipe is left alone', async () => {
    for (const symbol of ['insideSubmodule', 'insideNested']) expect(await intel.rows('find_definitions', { symbol })).toEqual([]);
    expect(await intel.rows('find_definitions', { symbol: 'goodOne' })).toHaveLength(1);
  });

  test.each([
    ['wide_function', ['utf16.py']],
    ['café', []],
    ['Comes from Windows', ['crlf.ts']],
    ['var a=function', []],
  ])('search_text finds %s in what can be read', async (pattern, expected) => {
    const answer = await intel.call('search_text', { patterns: [pattern] });
    expect((answer.data.results as { path: string }[]).map(({ path }) => path)).toEqual(expected);
    expect(answer.text).toMatch(/not searched: 2 files over 1 MB or minified, 1 binary/);
  });

  test('a long line is shown around the match', async () => {
    const [found] = await intel.rows<{ text: string }>('search_text', { patterns: ['word'] });
    expect(found?.text.length).toBeLessThan(260);
  });

  test('get_symbols says why a file has none', async () => {
    expect((await intel.call('get_symbols', { path: 'huge.ts' })).text).toContain('not indexed: large');
    expect((await intel.call('get_symbols', { path: 'link.ts' })).problem).toContain('not in the index');
  });

  test('every tool answers all the same', async () => {
    for (const [tool, args] of [
      ['search_files', { query: '日本' }],
      ['find_references', { symbol: 'goodOne' }],
      ['get_symbols', { path: '.' }],
      ['semantic_search', { query: 'wide function' }],
      ['analyze_impact', { targets: ['good.ts'] }],
      ['review_changes', {}],
      ['sync_index', {}],
    ] as const) {
      const answer = await intel.call(tool, args);
      expect(answer.problem, tool).toBeUndefined();
    }
  });
});

describe('a regular expression that goes in circles', () => {
  test('answers with an error, and the next call is answered', async () => {
    const world = makeRepository({ 'a.txt': `needle ${'a'.repeat(40)}!\n` });
    const own = Intel.start(world.root, { PATH: '/nonexistent' });
    const { problem } = await own.call('search_text', { patterns: ['needle (a+)+$'], regex: true });
    expect(problem).toMatch(/did not end within 4 s and was stopped/);
    expect(await own.rows('search_text', { patterns: ['needle'] })).toHaveLength(1);
  });
});

describe('calls beside a regular expression that goes in circles', () => {
  test('are answered, and only the guilty ones are stopped', async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}.txt`, `needle ${at}\n${'a'.repeat(40)}!\n`]));
    const own = Intel.start(makeRepository(files).root, { PATH: '/nonexistent' });
    const guilty = () => own.call('search_text', { patterns: ['^(a+)+$'], regex: true });
    const answers = await Promise.all([
      guilty(),
      own.call('search_text', { patterns: ['needle 7'] }),
      guilty(),
      own.call('search_text', { patterns: ['ne+dle 7$'], regex: true }),
      own.call('search_text', { patterns: ['NEEDLE 8'], case_sensitive: false }),
    ]);
    expect(answers.map(({ problem }) => /did not end within 4 s/.exec(problem ?? '')?.[0] ?? problem)).toEqual([
      'did not end within 4 s',
      undefined,
      'did not end within 4 s',
      undefined,
      undefined,
    ]);
    expect(answers.map(({ data }) => (data.results as { path: string }[] | undefined)?.map(({ path }) => path))).toEqual([
      undefined,
      ['f7.txt'],
      undefined,
      ['f7.txt'],
      ['f8.txt'],
    ]);
  });
});

describe('a folder without git', () => {
  test('is walked, honours .gitignore, gets no .readygate, and follows no loop', async () => {
    const folder = emptyFolder('plain');
    for (const [path, content] of [
      ['a.py', 'def plain_one():\n    pass\n'],
      ['skipped/b.py', 'def ignored_one():\n    pass\n'],
      ['node_modules/c/index.js', 'function inPackage() {}\n'],
      ['.gitignore', 'skipped/\n'],
    ] as const) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    symlinkSync('.', join(folder, 'loop'));
    const own = intel.at(folder);
    expect(await own.rows('find_definitions', { symbol: 'plain_one' })).toHaveLength(1);
    for (const symbol of ['ignored_one', 'inPackage']) expect(await own.rows('find_definitions', { symbol })).toEqual([]);
    expect(execFileSync('ls', ['-a', folder], { encoding: 'utf8' })).not.toContain('.readygate');
    expect((await own.call('review_changes')).problem).toMatch(/neither a session nor git/);
  });

  test('an empty one answers, too', async () => {
    const own = intel.at(emptyFolder('empty'));
    expect(await own.rows('search_text', { patterns: ['x'] })).toEqual([]);
    expect(await own.rows('get_symbols', { path: '.' })).toEqual([]);
  });
});
