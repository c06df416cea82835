/** The lint for bash 3.2 and BSD tools finds each construct, and nothing in what only looks like one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bashFiles, findBash4 } from '../../../scripts/bash32.mjs';

const ROWS = readFileSync(new URL('../../cases/bash32.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((text) => JSON.parse(text) as { line: string; found: boolean });

test.each(ROWS)('$line', ({ line, found }) => expect(findBash4('f', line)).toHaveLength(found ? 1 : 0));

test('quotes of several lines are looked through', () => {
  expect(findBash4('f', "awk '\ndeclare -A x\n'\ndeclare -A y")).toEqual(['f:4: associative array or name reference: declare -A y']);
});

test('the hooks are among what is looked at', () => {
  expect(bashFiles()).toContain('hooks/pre-tool.sh');
});
