import { afterAll, beforeAll, expect, test } from 'vitest';
import { findEnforced, liftEnforcement } from '../../../mcp-server/src/guards/enforce.ts';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { buildWorld, placeSessions, toCall } from './world.ts';

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

const edit = () => judgeToolCall(toCall(world.base, { tool: 'Edit', path: '{base}/repo/src/a.js' })).decision;

test('a typed override frees edits for its own Claude session only', () => {
  const takeAway = placeSessions(world.base, { sessions: { repo: { kind: 'enforced' } } });
  try {
    const root = findEnforced(`${world.base}/repo/src`) ?? '';
    expect(root).toBe(`${world.base}/repo`);
    expect(edit()).toBe('deny');
    liftEnforcement(root, 'another');
    expect(edit()).toBe('deny');
    liftEnforcement(root, 'me');
    expect(edit()).toBe('pass');
  } finally {
    takeAway();
  }
});

test('no marker, a marker above another repository, and a relative folder are no wish', () => {
  expect(findEnforced(`${world.base}/repo`)).toBeUndefined();
  const takeAway = placeSessions(world.base, { sessions: { repo: { kind: 'enforced' } } });
  expect(findEnforced(`${world.base}/repo/nested/src`)).toBeUndefined();
  expect(findEnforced('repo')).toBeUndefined();
  takeAway();
});
