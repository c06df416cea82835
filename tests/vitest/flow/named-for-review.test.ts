import { expect, test } from 'vitest';
import { namedForReview } from '../../../mcp-server/src/flow/checks.ts';
import { beginning } from './session.ts';

const named = (reviewed_files: unknown, folder?: string): string[] => [
  ...namedForReview(beginning(), { reviewed_files }, folder === undefined ? {} : { folder }),
];

test('a review may name files as strings or with a decision, from the root, and from the folder of the project', () => {
  const list = ['a.ts', './b.ts', '/repo/c.ts', { path: 'd.ts', decision: 'keep' }];
  expect(named(list)).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts']);
  expect(named(['a.ts'], 'packages/app')).toEqual(['a.ts', 'packages/app/a.ts']);
});

test.each([[undefined], [null], ['a.ts'], [{ path: 'a.ts' }], [[5, null, {}, { path: 5 }, []]]])('%j names nothing', (sent) => {
  expect(named(sent, 'x')).toEqual([]);
});
