import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../git/sandbox.ts';
import { Intel } from './threads.ts';
import { repositoryWith, SHOP } from './worlds.ts';

interface Found {
  [key: string]: unknown;
  path: string;
  line: number;
  name?: string;
  confidence?: string;
}

let box: Sandbox;
let intel: Intel;

beforeAll(async () => {
  box = repositoryWith(SHOP);
  box.write('ignored/secret.ts', 'export const priceOf = 1;\n');
  intel = new Intel(box.root);
  await intel.settle();
});

afterAll(() => intel.end());

const rows = (tool: Parameters<Intel['call']>[0], args: Record<string, unknown>): Promise<Found[]> => intel.rows<Found>(tool, args);
const places = (found: Found[]): string[] => found.map(({ path, line }) => `${path}:${line}`);

describe('find_definitions', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['a function', { symbol: 'priceOf' }, ['src/price.ts:2']],
    ['a method by its class', { symbol: 'Circle.area' }, ['lib/shapes.py:11']],
    ['a method as C++ writes it', { symbol: 'Cart::total' }, ['src/cart.ts:10']],
    ['a name with parentheses', { symbol: 'describe()' }, ['lib/report.py:5']],
    ['only in a folder', { symbol: 'add', path: 'src/other.ts' }, ['src/other.ts:2']],
    ['only of a kind', { symbol: 'add', kind: 'method' }, ['src/cart.ts:6']],
    ['a heading', { symbol: 'Prices' }, ['docs/guide.md:3']],
    ['a part of a name', { symbol: 'ratefo', exact: false }, ['src/price.ts:11']],
  ])('finds %s', async (_name, args, expected) => {
    expect(places(await rows('find_definitions', args))).toEqual(expected);
  });

  test('tells signature and the first sentence of the comment', async () => {
    const [found] = await rows('find_definitions', { symbol: 'priceOf' });
    expect(found).toMatchObject({
      signature: 'function priceOf(amount: number, customer: Customer): number',
      doc: 'Works out what a customer pays.',
      kind: 'function',
    });
    const [method] = await rows('find_definitions', { symbol: 'area' });
    expect(method).toMatchObject({ name: 'Circle.area', kind: 'method', doc: 'How much room it takes.' });
  });

  test('offers what is like a name that nothing has', async () => {
    const answer = await intel.call('find_definitions', { symbol: 'priceof' });
    expect(answer.text).toMatch(/No definition is named exactly priceof/);
    expect(answer.text).toContain('src/price.ts:2');
    expect((await intel.call('find_definitions', { symbol: 'nowhere_at_all' })).text).toMatch(/No definition of nowhere_at_all was found/);
  });
});

describe('find_references', () => {
  test('tells by imports how sure a use is, and leaves out comments and strings', async () => {
    const found = await rows('find_references', { symbol: 'priceOf' });
    const by = (confidence: string) => places(found.filter((each) => each.confidence === confidence));
    expect(by('exact')).toEqual(['src/cart.ts:1', 'src/cart.ts:12', 'src/index.ts:1', 'tests/price.test.ts:1', 'tests/price.test.ts:4']);
    expect(by('import')).toEqual(['src/checkout.ts:3']);
    expect(by('name')).toEqual(['src/other.ts:3']);
    expect(found.find(({ line, path }) => path === 'src/cart.ts' && line === 12)).toMatchObject({ in: 'Cart.total' });
  });

  test('knows packages that share a folder, and imports of Go and Python', async () => {
    expect(await rows('find_references', { symbol: 'hidden' })).toMatchObject([{ path: 'stock/stock.go', confidence: 'import' }]);
    expect(await rows('find_references', { symbol: 'Count' })).toMatchObject([{ path: 'cmd/main.go', confidence: 'import' }]);
    expect(await rows('find_references', { symbol: 'Circle', path: 'lib/report.py' })).toMatchObject([
      { line: 1, confidence: 'exact' },
      { line: 6, confidence: 'exact' },
    ]);
  });

  test('says of methods that only the name is known', async () => {
    const answer = await intel.call('find_references', { symbol: 'total' });
    expect(answer.problem).toBeUndefined();
    expect(await rows('find_references', { symbol: 'Circle.area' })).toMatchObject([
      { path: 'lib/report.py', line: 6, confidence: 'name' },
    ]);
  });
});

describe('get_symbols', () => {
  test('outlines a file in its order', async () => {
    const found = await rows('get_symbols', { path: 'src/price.ts' });
    expect(found.map(({ name }) => name)).toEqual(['priceOf', 'Customer', 'Customer.name', 'Customer.loyal', 'rateFor']);
  });

  test('puts what the rest of the code imports most first in a folder', async () => {
    const [first, second] = await rows('get_symbols', { path: 'src' });
    expect([first?.name, second?.name].sort()).toEqual(['Customer', 'priceOf']);
  });

  test('says of a file that git ignores why it is not there', async () => {
    expect((await intel.call('get_symbols', { path: 'ignored/secret.ts' })).problem).toMatch(/ignored by git/);
  });
});

describe('search_text', () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ['plain text', { patterns: ['priceOf('] }, ['src/cart.ts:12', 'src/checkout.ts:3', 'src/price.ts:2', 'tests/price.test.ts:4']],
    ['several patterns at once', { patterns: ['loyal ?', 'math.pi'] }, ['lib/shapes.py:13', 'src/price.ts:12']],
    ['an expression', { patterns: ['rate\\w+\\('], regex: true }, ['src/price.ts:3', 'src/price.ts:11']],
    ['without case', { patterns: ['PRICEOF('], case_sensitive: false, path: 'src/cart.ts' }, ['src/cart.ts:12']],
    ['only files of a glob', { patterns: ['priceOf'], glob: '*.md' }, ['docs/guide.md:5']],
    ['Japanese', { patterns: ['会員'] }, ['docs/guide.md:9']],
    ['special characters as they are', { patterns: ['** 2'] }, ['lib/shapes.py:13']],
    [
      'an expression without any plain word',
      { patterns: ['^[a-z]+ [a-z]+$'], regex: true, path: 'stock' },
      ['stock/hidden.go:1', 'stock/stock.go:1'],
    ],
  ])('finds %s', async (_name, args, expected) => {
    expect(places(await rows('search_text', args))).toEqual(expected);
  });

  test('tells the enclosing definition, and lines around', async () => {
    const [found] = await rows('search_text', { patterns: ['math.pi'], context_lines: 1 });
    expect(found).toMatchObject({ in: 'Circle.area', before: ['        """How much room it takes."""'], after: [] });
  });

  test('an expression that asks for a line break is told so, and plain text may go over lines', async () => {
    expect((await intel.call('search_text', { patterns: ['Cart \\{\\n'], regex: true })).problem).toMatch(/one line at a time/);
    expect(places(await rows('search_text', { patterns: ['Cart {\n  #amount'] }))).toEqual(['src/cart.ts:3']);
  });

  test('a bad expression is named, with what is wrong', async () => {
    expect((await intel.call('search_text', { patterns: ['(oops'], regex: true })).problem).toMatch(/\(oops is no regular expression/);
  });
});

describe('search_files', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['letters', { query: 'cartts' }, 'src/cart.ts'],
    ['a part of the name', { query: 'price' }, 'src/price.ts'],
    ['a glob of a name', { query: '*.mod' }, 'go.mod'],
    ['a glob of a path', { query: 'src/**/che*.ts' }, 'src/checkout.ts'],
  ])('finds by %s', async (_name, args, expected) => {
    expect((await rows('search_files', args))[0]?.path).toBe(expected);
  });
});

describe('semantic_search', () => {
  test('finds a place by words of its names and comments, and says which', async () => {
    const [first] = await rows('semantic_search', { query: 'how much does a loyal customer pay', terms: ['price', 'rate'] });
    expect(first?.path).toBe('src/price.ts');
    expect(first?.why).toContain('customer');
  });

  test('finds Japanese text', async () => {
    expect((await rows('semantic_search', { query: '会員の割引' }))[0]?.path).toBe('docs/guide.md');
  });

  test('a question without words is told so', async () => {
    expect((await intel.call('semantic_search', { query: '???' })).problem).toMatch(/holds no word/);
  });
});

describe('analyze_impact', () => {
  test('tells callers, importers, tests and documents of a symbol', async () => {
    const found = await rows('analyze_impact', { targets: ['priceOf'] });
    const what = (kind: string) => found.filter((each) => each.what === kind).map(({ path }) => path);
    expect(what('caller')).toContain('src/cart.ts');
    expect(what('importer')).toContain('src/index.ts');
    expect(what('test')).toContain('tests/price.test.ts');
    expect(what('document')).toContain('docs/guide.md');
  });

  test('never says that there are no tests', async () => {
    const { text } = await intel.call('analyze_impact', { targets: ['lib/report.py'] });
    expect(text).toMatch(/no test was found by name or import; that does not mean that none covers this/);
  });

  test('names a target that is neither a file nor a symbol', async () => {
    expect((await intel.call('analyze_impact', { targets: ['zzz_unknown'] })).text).toContain('zzz_unknown');
  });
});

test.each(['../outside', '/etc', 'no/such/folder'])('the path %s is refused with what to do', async (path) => {
  const { problem } = await intel.call('find_definitions', { symbol: 'x', path });
  expect(problem).toMatch(/lies outside of the work tree|There is no/);
});

describe('a change', () => {
  test('is seen by the next call, and so are a new and a deleted file', async () => {
    box.write('src/cart.ts', 'export class Basket {}\n');
    expect(places(await rows('find_definitions', { symbol: 'Basket' }))).toEqual(['src/cart.ts:1']);
    box.write('src/deep/new.ts', 'export const brandNew = 1;\n');
    expect(places(await rows('find_definitions', { symbol: 'brandNew' }))).toEqual(['src/deep/new.ts:1']);
    expect(places(await rows('search_text', { patterns: ['brandNew'] }))).toEqual(['src/deep/new.ts:1']);
    box.remove('src/deep/new.ts');
    expect(await rows('find_definitions', { symbol: 'brandNew' })).toEqual([]);
    expect(await rows('search_files', { query: 'deep/new' })).toEqual([]);
  });
});
