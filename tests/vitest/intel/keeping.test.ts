import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeRepository, type Sandbox } from '../git/sandbox.ts';
import { Intel } from './threads.ts';

let intel: Intel;

beforeAll(() => {
  intel = new Intel('');
});
afterEach(() => intel.close());
afterAll(() => intel.end());

const indexFolder = (box: Sandbox): string => join(box.root, '.readygate', 'index');
const published = (box: Sandbox): string[] => readdirSync(indexFolder(box)).filter((name) => name.startsWith('index-'));
const privates = (box: Sandbox): string[] => readdirSync(indexFolder(box)).filter((name) => name.startsWith('private-'));

function many(count: number, folder = 'src'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${folder}/file${at}.ts`, `export function made${at}(): number {\n  return ${at};\n}\n`]),
  );
}

/** readygate index, as a process of its own. */
function indexProcess(box: Sandbox): Promise<{ code: number | null; report: Record<string, unknown>; stderr: string }> {
  const child = spawn(process.execPath, [join(dirname(inject('serverFile')), 'cli.cjs'), 'index', '--json'], {
    cwd: box.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, report: JSON.parse(stdout || '{}'), stderr })));
}

describe('what is kept', () => {
  test('the next session finds it, git never sees it, and nothing private is left behind', async () => {
    const box = makeRepository(many(30));
    intel.at(box.root);
    await intel.settle();
    expect(privates(box).length).toBeGreaterThan(0);
    await intel.close();
    expect(published(box)).toHaveLength(1);
    expect(privates(box)).toEqual([]);
    expect(box.status()).toBe('');
    expect(await intel.rows('find_definitions', { symbol: 'made7' })).toHaveLength(1);
  });

  test('the folder may be deleted at any time', async () => {
    const box = makeRepository(many(10));
    intel.at(box.root);
    await intel.settle();
    rmSync(indexFolder(box), { recursive: true });
    expect(await intel.rows('find_definitions', { symbol: 'made3' })).toHaveLength(1);
    rmSync(join(box.root, '.readygate'), { recursive: true });
    expect(await intel.rows('find_definitions', { symbol: 'made4' })).toHaveLength(1);
  });

  test.each<[string, (file: string) => void]>([
    ['cut short', (file) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    [
      'flipped in the middle',
      (file) => {
        const bytes = readFileSync(file);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
        writeFileSync(file, bytes);
      },
    ],
    ['replaced by text', (file) => writeFileSync(file, 'not a database')],
    ['gone', (file) => rmSync(file)],
    ['announced in garbage', (file) => writeFileSync(join(dirname(file), 'current.json'), '{"file": 3')],
  ])('an index that is %s is built anew, and says so', async (_name, damage) => {
    const box = makeRepository(many(10));
    intel.at(box.root);
    await intel.settle();
    await intel.close();
    damage(join(indexFolder(box), published(box)[0] ?? ''));
    const answer = await intel.call('find_definitions', { symbol: 'made5' });
    expect(answer.data.results).toHaveLength(1);
    expect(answer.text).toContain('the stored index was damaged and is built anew');
  });

  test('a work tree that cannot be written to is indexed in memory', async () => {
    const box = makeRepository(many(5));
    mkdirSync(join(box.root, '.readygate'));
    writeFileSync(join(box.root, '.readygate', 'index'), 'a file where the folder should be');
    intel.at(box.root);
    const answer = await intel.call('find_definitions', { symbol: 'made2' });
    expect(answer.data.results).toHaveLength(1);
    expect(answer.text).toContain('kept in memory');
  });

  test('a full disk leaves an index in memory', async ({ skip }) => {
    const box = makeRepository(many(60));
    mkdirSync(indexFolder(box), { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', indexFolder(box)], { stdio: 'ignore' });
    } catch {
      console.log('skipped: a small file system cannot be mounted here');
      skip();
    }
    onTestFinished(() => void execFileSync('umount', ['-l', indexFolder(box)]));
    intel.at(box.root);
    await intel.settle();
    const answer = await intel.call('find_definitions', { symbol: 'made59' });
    expect(answer.data.results).toHaveLength(1);
    expect(answer.text).toContain('kept in memory');
    await intel.close();
  });
});

describe('parallel sessions', () => {
  test('two processes index at once, and both have everything', async () => {
    const box = makeRepository(many(600));
    const [first, second] = await Promise.all([indexProcess(box), indexProcess(box)]);
    for (const { code, report, stderr } of [first, second]) {
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(report).toMatchObject({ files: 600, indexed: 600, symbols: 600 });
    }
    expect(published(box)).toHaveLength(1);
    expect(privates(box)).toEqual([]);
    expect(await intel.at(box.root).rows('find_definitions', { symbol: 'made599' })).toHaveLength(1);
  });

  test('each sees its changes at once, whoever may write', async () => {
    const box = makeRepository(many(5));
    const other = Intel.start(box.root);
    await intel.at(box.root).settle();
    await other.settle();
    box.write('src/added.ts', 'export const addedLater = 1;\n');
    for (const each of [intel, other]) expect(await each.rows('find_definitions', { symbol: 'addedLater' })).toHaveLength(1);
  });

  test('a process that is killed in the middle leaves nothing that stops the next one', async () => {
    const box = makeRepository(many(600));
    const child = spawn(process.execPath, [join(dirname(inject('serverFile')), 'cli.cjs'), 'index'], { cwd: box.root, stdio: 'ignore' });
    await expect.poll(() => existsSync(indexFolder(box)) && privates(box).length, { timeout: 30_000, interval: 5 }).toBeTruthy();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    const { code, report } = await indexProcess(box);
    expect({ code, indexed: report.indexed }).toEqual({ code: 0, indexed: 600 });
    expect(privates(box)).toEqual([]);
  });
});

describe('while the repository changes', () => {
  test('files that come, go and change during indexing end as they are', async () => {
    const box = makeRepository({ ...many(400), ...many(100, 'lib') });
    intel.at(box.root);
    const settled = intel.settle();
    for (let at = 0; at < 100; at++) {
      box.write(`src/file${at}.ts`, `export const changed${at} = ${at};\n`);
      box.remove(`lib/file${at}.ts`);
      box.write(`more/file${at}.ts`, `export const more${at} = ${at};\n`);
      if (at % 20 === 0) await intel.call('find_definitions', { symbol: `made${at + 200}` });
    }
    await settled;
    const report = await intel.settle();
    expect(report).toMatchObject({ files: 500, indexed: 500, symbols: 500 });
    expect(await intel.rows('find_definitions', { symbol: 'changed99' })).toHaveLength(1);
    expect(await intel.rows('find_definitions', { symbol: 'more99' })).toHaveLength(1);
    expect(await intel.rows('find_definitions', { symbol: 'made99' })).toEqual([]);
  });
});
