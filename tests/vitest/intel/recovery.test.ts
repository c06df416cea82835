import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { CodeIndex } from '../../../mcp-server/src/intel/index/code-index.ts';
import type { ParsedFile } from '../../../mcp-server/src/intel/parse/parsed.ts';
import type * as Write from '../../../mcp-server/src/intel/store/write.ts';
import { makeRepository } from '../git/sandbox.ts';

const disk = vi.hoisted(() => ({ failures: 0, tries: 0 }));

const parsed = (path: string): ParsedFile => ({
  ...{ path, language: 'text', hash: path, size: 2, mtime: 1, lines: 1, skipped: null, broken: false },
  ...{ definitions: [], imports: [], chunks: [] },
});

// The readers are programs of their own, which a test of the source has not.
vi.mock('../../../mcp-server/src/intel/threads.ts', () => ({
  Threads: class {
    count = 2;
    ask = async ({ files }: { files: string[] }) => ({ id: 0, files: files.map(parsed), failed: [] });
    end(): void {}
  },
}));

// SQLite finds its own file here; where the runtime has it, nobody asks.
vi.mock('../../../mcp-server/src/intel/parse/grammars.ts', () => ({ readWasm: () => undefined }));

vi.mock('../../../mcp-server/src/intel/store/write.ts', async (original) => {
  const real = await original<typeof Write>();
  return {
    ...real,
    putFiles: (...args: Parameters<typeof real.putFiles>) => {
      disk.tries++;
      if (disk.failures > 0) {
        disk.failures--;
        throw new Error('database disk image is malformed');
      }
      real.putFiles(...args);
    },
  };
});

afterEach(() => {
  disk.failures = 0;
  disk.tries = 0;
});

const FILES = 250;
const files = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`f${at}.txt`, `${at % 10}\n`]));

function indexOf(folder: string | null, root = makeRepository(files).root): CodeIndex {
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const index = new CodeIndex(root, folder === null ? null : `${root}/${folder}`);
  onTestFinished(async () => {
    await index.close();
    said.mockRestore();
  });
  return index;
}

const held = (index: CodeIndex): number => Number(index.query((db) => db.all('select count(*) as count from files')[0]?.count));

test.each<[string, string | null, number]>([
  ['once', null, 1],
  ['once', '.readygate/index', 1],
  ['twice, and then in memory', '.readygate/index', 2],
])('a write that fails %s (%s) loses nothing', async (_name, folder, failures) => {
  const index = indexOf(folder);
  disk.failures = failures;
  const progress = await index.refresh(Number.POSITIVE_INFINITY);
  expect(progress).toEqual({ indexed: FILES, total: FILES, pending: 0 });
  expect(held(index)).toBe(FILES);
});

test('the last write that fails loses nothing either', async () => {
  const box = makeRepository({ 'one.txt': '1\n', 'two.txt': '2\n' });
  const index = indexOf(null, box.root);
  disk.failures = 1;
  expect(await index.refresh(Number.POSITIVE_INFINITY)).toEqual({ indexed: 2, total: 2, pending: 0 });
  expect(held(index)).toBe(2);
});

test('where memory fails as well, it ends, says what is missing, and goes on when asked again', async () => {
  const index = indexOf(null);
  disk.failures = Number.POSITIVE_INFINITY;
  expect(await index.refresh(Number.POSITIVE_INFINITY)).toEqual({ indexed: 0, total: FILES, pending: FILES });
  expect(disk.tries).toBeLessThan(10);
  disk.failures = 0;
  expect(await index.refresh(Number.POSITIVE_INFINITY)).toEqual({ indexed: FILES, total: FILES, pending: 0 });
  expect(held(index)).toBe(FILES);
});

test('what a query lost is read again, and counts as pending until then', async () => {
  const index = indexOf(null);
  await index.refresh(Number.POSITIVE_INFINITY);
  let broken = true;
  const count = index.query((db) => {
    if (broken) {
      broken = false;
      throw new Error('database disk image is malformed');
    }
    return Number(db.all('select count(*) as count from files')[0]?.count);
  });
  expect(count).toBe(0);
  expect(index.progress()).toMatchObject({ indexed: 0, pending: FILES });
  expect(await index.refresh(Number.POSITIVE_INFINITY)).toMatchObject({ indexed: FILES, pending: 0 });
});
