import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { labelsOf, type Score, score } from './score.ts';
import { parseFiles } from './threads.ts';
import { definitionsBy } from './typescript-truth.ts';

const PRECISION = 0.97;
const RECALL = 0.99;

function expectGood(language: string, { files, expected, precision, recall, missed, invented }: Score): void {
  console.log(`${language}: ${files} files, ${expected} definitions, precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`);
  const wrong = [`missed: ${missed.slice(0, 20).join(', ')}`, `invented: ${invented.slice(0, 20).join(', ')}`].join('\n');
  expect(expected, 'there is something to find').toBeGreaterThan(10);
  expect(precision, wrong).toBeGreaterThanOrEqual(PRECISION);
  expect(recall, wrong).toBeGreaterThanOrEqual(RECALL);
}

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile() && statSync(file).size < 300_000)
    .sort();
}

test.each([
  ['TypeScript, our own', 'mcp-server/src/guards', /\.ts$/],
  ['TypeScript, ajv', 'node_modules/ajv/lib', /\.ts$/],
  ['TypeScript declarations, the MCP SDK', 'node_modules/@modelcontextprotocol/sdk/dist/esm/server', /\.d\.ts$/],
  ['JavaScript modules, execa', 'node_modules/execa/lib', /\.js$/],
  ['JavaScript, yaml', 'node_modules/yaml/dist', /\.js$/],
])('%s: definitions are those that the TypeScript compiler sees', async (name, folder, ending) => {
  const files = filesBelow(folder, ending);
  const parsed = await parseFiles(resolve('.'), files);
  const pairs = parsed
    .filter(({ skipped }) => skipped === null)
    .map((file) => ({ file: file.path, found: labelsOf(file), expected: definitionsBy(file.path, readFileSync(file.path, 'utf8')) }));
  expectGood(name, score(pairs));
});

test("Python: definitions are those that Python's own parser sees", async ({ skip }) => {
  if (spawnSync('python3', ['--version']).status !== 0) {
    console.log('skipped: python3 is not installed');
    skip();
  }
  const library = execFileSync('python3', ['-c', 'import os; print(os.path.dirname(os.__file__))'], { encoding: 'utf8' }).trim();
  const files = readdirSync(library)
    .filter((file) => file.endsWith('.py'))
    .sort()
    .filter((_, at) => at % 8 === 0);
  const truth = JSON.parse(
    execFileSync('python3', ['tests/vitest/intel/python-truth.py'], {
      encoding: 'utf8',
      input: files.map((file) => join(library, file)).join('\n'),
      maxBuffer: 1 << 26,
    }),
  ) as Record<string, string[]>;
  const parsed = await parseFiles(library, files);
  const pairs = parsed.flatMap((file) => {
    const expected = truth[join(library, file.path)];
    return expected && file.skipped === null ? [{ file: file.path, found: labelsOf(file), expected }] : [];
  });
  expectGood('Python', score(pairs));
});

/** Lines of the samples end in a comment that names what is defined there: `def: a, b`. */
function labelled(text: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    const names = /\bdef: (.*?)\s*(?:\*\/)?$/.exec(line)?.[1];
    return names === undefined ? [] : names.split(', ').map((name) => `${name}:${at + 1}`);
  });
}

const samples = join(dirname(new URL(import.meta.url).pathname), 'fixtures');

test.each(readdirSync(samples).filter((file) => file.startsWith('sample.')))(
  '%s: definitions are those that a person labelled',
  async (file) => {
    const [parsed] = await parseFiles(samples, [file]);
    expect(parsed?.broken, 'the sample has no syntax errors').toBe(false);
    const expected = labelled(readFileSync(join(samples, file), 'utf8'));
    const result = score([{ file, found: labelsOf(parsed ?? { definitions: [] }), expected }]);
    expectGood(file, result);
  },
);
