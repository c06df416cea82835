import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { INTEL_TOOLS } from '../../../mcp-server/src/intel/protocol.ts';
import type { Sandbox } from '../git/sandbox.ts';
import { Host } from '../server/host.ts';
import { sessionAt, World } from '../session/world.ts';
import { repositoryWith, SHOP } from './worlds.ts';

let box: Sandbox;
let host: Host;

beforeEach(async () => {
  box = repositoryWith(SHOP);
  host = await Host.start({ project: box.root });
});

interface Answer {
  isError?: boolean;
  content: { text: string }[];
  structuredContent: Record<string, unknown> & { results: string[] };
}

const call = async (name: string, args: Record<string, unknown>, options = {}): Promise<Answer> =>
  (await host.client.callTool({ name, arguments: args }, undefined, options)) as unknown as Answer;

describe('the nine tools over stdio', () => {
  test('are deferred, only read, and each answers as text and as structure without a session', async () => {
    const { tools } = await host.client.listTools();
    for (const name of INTEL_TOOLS) {
      const tool = tools.find((each) => each.name === name);
      expect(tool?.annotations, name).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(tool?._meta, name).toBeUndefined();
      expect(JSON.stringify(tool?.inputSchema), name).not.toContain('$ref');
    }
    const arguments_: Record<(typeof INTEL_TOOLS)[number], Record<string, unknown>> = {
      search_text: { patterns: ['priceOf'] },
      search_files: { query: 'price' },
      find_definitions: { symbol: 'priceOf' },
      find_references: { symbol: 'priceOf' },
      get_symbols: { path: 'src' },
      semantic_search: { query: 'loyal customer', terms: ['price'] },
      analyze_impact: { targets: ['src/price.ts'] },
      review_changes: {},
      sync_index: {},
    };
    for (const name of INTEL_TOOLS) {
      const { isError, content, structuredContent } = await call(name, arguments_[name]);
      expect(isError ?? false, `${name}: ${content[0]?.text}`).toBe(false);
      expect(content[0]?.text.split('\n')[0], name).toBe(structuredContent.summary);
      for (const row of structuredContent.results) expect(content[0]?.text, name).toContain(row);
    }
    expect(box.status()).toBe('');
  });

  test('an expression that never ends is stopped, and calls beside it are answered', async () => {
    // Fewer files than ripgrep is asked for.
    box.write('hostile.txt', `${'a'.repeat(40)}!\n`);
    const [guilty, innocent] = await Promise.all([
      call('search_text', { patterns: ['^(a+)+$'], regex: true }),
      call('search_text', { patterns: ['priceOf('], path: 'src/cart.ts' }),
    ]);
    expect(guilty.content[0]?.text).toMatch(/did not end within 4 s/);
    expect(innocent.isError ?? false, innocent.content[0]?.text).toBe(false);
    expect(innocent.structuredContent.results).toHaveLength(1);
  });

  test('bad arguments are refused by the schema, with what is right', async () => {
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ['search_text', {}, /patterns.*list\[str\]/],
      ['search_text', { patterns: [] }, /patterns/],
      ['search_text', { patterns: ['a', 'b', 'c', 'd', 'e', 'f'] }, /5/],
      ['search_text', { patterns: ['a'], context_lines: 11 }, /<= 10/],
      ['find_definitions', { symbol: 3 }, /symbol/],
      ['find_definitions', { symbol: 'x', kind: 'gadget' }, /function\|method/],
      ['analyze_impact', { targets: 'x', depth: 0 }, /targets|depth/],
    ];
    for (const [name, args, problem] of cases) {
      const { isError, structuredContent } = await call(name, args);
      expect(isError, name).toBe(true);
      expect(structuredContent.error, name).toBe('bad_arguments');
      expect(JSON.stringify(structuredContent), name).toMatch(problem);
    }
  });

  test('progress is told to a client that asked for it', async () => {
    const told: { progress: number; total?: number | undefined }[] = [];
    await call('sync_index', { rebuild: true }, { onprogress: (each: { progress: number; total?: number }) => told.push(each) });
    // The last one may arrive together with the answer, and then the SDK's client drops it.
    expect(told[0]).toMatchObject({ progress: 0 });
    for (const { progress, total } of told) expect(progress).toBeLessThanOrEqual(total ?? 0);
  });
});

test('readygate index says what it did, as text and as JSON', () => {
  const cli = join(dirname(inject('serverFile')), 'cli.cjs');
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [cli, 'index', ...args], { cwd: join(box.root, 'src'), encoding: 'utf8' });
  expect(run('--rebuild')).toMatch(/^Files: 16, indexed: 16, symbols: \d+\ntypescript 6, /);
  expect(JSON.parse(run('--json'))).toMatchObject({ root: box.root, files: 16, indexed: 16 });
});

describe('in a session', () => {
  test('review_changes tells what changed since it began, which tasks name it, and what looks stray', async () => {
    const world = new World(box);
    box.write('src/mine.ts', 'export const mine = 1;\n');
    await sessionAt(world, host, 'READY.implement', '--fast --no-doc add a greeting');
    box.write('hello.txt', 'hello\n');
    box.write('src/price.ts', `${SHOP['src/price.ts']}console.log('here');\n`);
    box.write('scratch.ts', '// TODO\n');
    box.remove('src/other.ts');
    const { structuredContent, content } = await call('review_changes', {});
    const rows = structuredContent.results;
    expect(rows.map((row) => row.split(' ')[0]).sort()).toEqual(['hello.txt', 'scratch.ts', 'src/other.ts', 'src/price.ts']);
    const of = (path: string) => rows.find((row) => row.startsWith(`${path} `));
    expect(of('src/price.ts')).toMatch(/ modified .* ! debug_print:1$/);
    expect(of('scratch.ts')).toMatch(/ added .* no task names it ! scratch todo:1$/);
    expect(of('src/other.ts')).toMatch(/ deleted 0 B /);
    expect(content[0]?.text).toMatch(/no task names it/);
    const one = await call('review_changes', { path: 'src/price.ts' });
    expect(one.content[0]?.text).toContain("+console.log('here');");
    expect((await call('review_changes', { path: 'src/cart.ts' })).content[0]?.text).toMatch(/has not changed\. 4 files have/);
    expect((await call('review_changes', { full: true })).content[0]?.text).toContain('+hello');
  });

  test('what a tool showed counts as looked at once its hook has told of the call; what it did not show does not', async () => {
    const world = new World(box);
    const answer = await host.start('--no-doc --no-pre-planning explain prices', { intent: 'INVESTIGATE' });
    await host.submit({ action_type: 'x', target_symbols: [], scope: 'x', constraints: [] });
    const used = async (name: string, args: Record<string, unknown>, id: string): Promise<void> => {
      await host.client.callTool({ name, arguments: args, _meta: { 'claudecode/toolUseId': id } });
      const said = {
        event: 'PostToolUse',
        tool_name: `mcp__plugin_readygate_gate__${name}`,
        tool_use_id: id,
        cwd: box.root,
        path: String(args.path ?? ''),
        glob: '',
      };
      await host.client.callTool({ name: 'on_tool', arguments: said });
    };
    await used('find_definitions', { symbol: 'priceOf' }, 'toolu_1');
    const claim = (...files: string[]) => host.submit({ explored_files: files, findings: ['prices'] });
    const refused = await claim('src/price.ts', 'src/cart.ts', 'lib/shapes.py');
    expect(refused.error).toBe('payload_mismatch');
    expect(refused.problems?.map(({ pointer }) => pointer)).toEqual(['/explored_files/1', '/explored_files/2']);
    await used('search_text', { patterns: ['area'], path: 'lib' }, 'toolu_2');
    await used('find_references', { symbol: 'priceOf' }, 'toolu_3');
    expect((await claim('src/price.ts', 'src/cart.ts', 'lib/shapes.py')).phase).toBe('Q1');
    const ledger = readFileSync(world.path('sessions', answer.session_id, 'ledger.jsonl'), 'utf8');
    expect(ledger).toContain(join(box.root, 'src/price.ts'));
  });
});
