import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IntelTool } from '../../../mcp-server/src/intel/protocol.ts';
import { makeRepository, type Sandbox } from '../git/sandbox.ts';
import { Intel } from './threads.ts';

const LIMIT = 4096;

let box: Sandbox;
let intel: Intel;

/** Long paths, long lines, and one name that stands everywhere. */
function crowded(): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < 300; at++) {
    const folder = `packages/a-rather-long-package-name-${at % 20}/source/of/the/module`;
    const members = Array.from(
      { length: 12 },
      (_, each) => `  member${each}(argument: Record<string, Map<number, readonly string[]>>): Promise<void>;`,
    );
    files[`${folder}/interesting-component-${at}.ts`] =
      `import { sharedHelper } from '../../../../../shared/helper.ts';\n\n/** The common thing number ${at}, ${'which explains itself at length '.repeat(8)} */\nexport function commonName(first: string, second: Record<string, unknown>): string {\n  return sharedHelper(\`\${first} ${'long text '.repeat(40)}\`) + String(second);\n}\n\nexport interface Contract${at} {\n${members.join('\n')}\n}\n`;
  }
  files['packages/shared/helper.ts'] = 'export const sharedHelper = (text: string): string => text;\n';
  return files;
}

beforeAll(async () => {
  box = makeRepository(crowded());
  for (let at = 0; at < 120; at++)
    box.write(`packages/a-rather-long-package-name-1/changed/scratch.${at}.log`, `console.log('${'x'.repeat(300)}') // TODO\n`.repeat(50));
  intel = new Intel(box.root);
  await intel.settle();
});

afterAll(() => intel.end());

test('every answer stays under 4 KB, and says how much was cut', async () => {
  const calls: [IntelTool, Record<string, unknown>][] = [
    ['search_text', { patterns: ['commonName', 'sharedHelper', 'Contract', 'long text', 'argument'] }],
    ['search_text', { patterns: ['commonName'], context_lines: 10 }],
    ['search_files', { query: 'component' }],
    ['find_definitions', { symbol: 'commonName' }],
    ['find_definitions', { symbol: 'c', exact: false }],
    ['find_references', { symbol: 'sharedHelper' }],
    ['get_symbols', { path: 'packages' }],
    ['get_symbols', { path: 'packages/a-rather-long-package-name-0/source/of/the/module/interesting-component-0.ts' }],
    ['semantic_search', { query: 'the common thing that explains itself', terms: ['commonName', 'contract'], k: 30 }],
    ['analyze_impact', { targets: ['packages/shared/helper.ts', 'sharedHelper'], depth: 5 }],
    ['review_changes', {}],
    ['review_changes', { path: 'packages/a-rather-long-package-name-1/changed/scratch.3.log' }],
    ['sync_index', {}],
  ];
  let largest = { tool: '', size: 0 };
  for (const [tool, args] of calls) {
    const { text, wire, data, problem } = await intel.call(tool, args);
    expect(problem, tool).toBeUndefined();
    const size = Math.max(Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(wire)));
    if (size > largest.size) largest = { tool, size };
    expect(size, `${tool} ${JSON.stringify(args)}`).toBeLessThan(LIMIT);
    const { shown, total } = data as { shown: number; total: number };
    if (tool !== 'sync_index') expect(shown, tool).toBeGreaterThan(0);
    if (shown < total) expect(text, tool).toContain(`${shown} of ${total} shown, ${total - shown} cut`);
  }
  console.log(`the largest answer: ${largest.tool}, ${largest.size} bytes`);
});
