import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import type { Verdict } from '../../../mcp-server/src/guards/verdict.ts';
import { buildWorld, placeSessions, type SessionSpec, toCall } from './world.ts';

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

interface Scene {
  readonly spec?: SessionSpec;
  /** What the ledger holds, one entry a line; undefined for no ledger. */
  readonly ledger?: readonly object[];
  readonly path?: string;
  readonly tool?: string;
}

const READY = { gate: 'open', phase: 'READY', step: 13, branch: 'readygate/x' };

/** What layer 2 says of an edit of `path`. */
function verdictOn({ spec = {}, ledger = [], path = 'src/a.js', tool = 'Edit' }: Scene): Verdict {
  const state = { ...READY, tasks: [{ files: ['notes.ipynb'] }], ...spec };
  const takeAway = placeSessions(world.base, { sessions: { repo: state } });
  try {
    const folder = `${world.base}/repo/.readygate/sessions/s-1`;
    fs.mkdirSync(folder, { recursive: true });
    const lines = ledger.map((entry) => `\n${JSON.stringify(entry)}\n`.replaceAll('{base}', world.base));
    if (ledger.length > 0) fs.writeFileSync(`${folder}/ledger.jsonl`, lines.join(''));
    return judgeToolCall(toCall(world.base, { tool, path: `{base}/repo/${path}` }));
  } finally {
    takeAway();
  }
}

/** What layer 2 decides about it. */
function decision(scene: Scene): string {
  const verdict = verdictOn(scene);
  return verdict.decision === 'pass' ? 'pass' : `${verdict.decision} ${verdict.guard}`;
}

const OTHER = { tool: 'Read', path: '{base}/repo/README.md' };

test('an existing file that no task names and nobody opened is warned about', () => {
  expect(decision({ ledger: [OTHER] })).toBe('warn RG08');
  expect(decision({ ledger: [OTHER], tool: 'Write' })).toBe('warn RG08');
});

test('a warning says that the call is let through, a refusal does not', () => {
  const said = (spec: SessionSpec) => verdictOn({ ledger: [OTHER], spec }) as { message: string };
  expect(said({}).message).toMatch(/no task of session .* names this file.* let through/);
  expect(said({}).message).not.toContain('Way out');
  expect(said({ out_of_plan: 'deny' }).message).toMatch(/Way out: the user edits it/);
  expect(said({ out_of_plan: 'deny' }).message).not.toContain('let through');
});

test('the configuration makes it a refusal', () => {
  expect(decision({ ledger: [OTHER], spec: { out_of_plan: 'deny' } })).toBe('deny RG08');
});

test.each<[string, Scene]>([
  ['no ledger was ever written', {}],
  ['no task names files', { ledger: [OTHER], spec: { tasks: [{}, { files: [] }] } }],
  ['the file is new', { ledger: [OTHER], path: 'src/new.js' }],
  ['the file was opened', { ledger: [OTHER, { tool: 'Read', path: '{base}/repo/src/a.js' }] }],
  ['it was one of several paths', { ledger: [{ tool: 'X', paths: ['{base}/repo/src/a.js'] }] }],
  ['it was opened through a link', { ledger: [{ tool: 'Read', path: '{base}/repo/src/a.js' }], path: 'in/a.js' }],
  ['a task names it', { ledger: [OTHER], spec: { tasks: [{ files: ['x'] }, { files: ['./src/a.js'] }] } }],
  ['a task names its folder', { ledger: [OTHER], spec: { tasks: [{ files: ['src/'] }] } }],
  ['a task names a glob', { ledger: [OTHER], spec: { tasks: [{ files: ['src/**/*.js'] }] } }],
  ['a task names its absolute path', { ledger: [OTHER], spec: { tasks: [{ files: ['{base}/repo/src/a.js'] }] } }],
  ['it lies outside', { ledger: [OTHER], path: 'out.txt' }],
  ['another tool runs', { ledger: [OTHER], tool: 'Read' }],
])('nothing is said where %s', (_, scene) => {
  const placed = JSON.parse(JSON.stringify(scene).replaceAll('{base}', world.base)) as Scene;
  expect(decision(placed)).toBe('pass');
});

test('at a closed gate the edit is refused for that, not for the plan', () => {
  expect(decision({ ledger: [OTHER], spec: { gate: 'closed', step: 15, out_of_plan: 'deny' } })).toBe('deny RG03');
});
