/** Guard RG17: while editing is open, an agent whose role only reads still writes nothing. Layer 2 only. */
import fs from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { buildWorld, placeSessions, REPO, type Row, type SessionSpec, toCall } from './world.ts';

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

const READY = { gate: 'open', phase: 'READY', step: 13, branch: 'readygate/x', pipeline: true };

/** What layer 2 decides about a call of an agent. */
function decision(agent_type: string, row: Row, spec: SessionSpec = {}): string {
  const takeAway = placeSessions(world.base, { sessions: { repo: { ...READY, ...spec } } });
  try {
    const verdict = judgeToolCall(toCall(world.base, { ...row, agent_type }));
    return verdict.decision === 'pass' ? 'pass' : `${verdict.decision} ${verdict.guard}`;
  } finally {
    takeAway();
  }
}

const EDIT: Row = { tool: 'Edit', path: '{base}/repo/src/a.js' };
const WRITES: [string, Row][] = [
  ['a redirection', { command: 'echo x > src/a.js' }],
  ['sed -i', { command: 'sed -i s/a/b/ src/a.js' }],
  ['git add', { command: 'git add src/a.js' }],
  ['an edit', EDIT],
  ['another server\u2019s tool', { tool: 'mcp__fs__write_file', input: { path: '{base}/repo/src/a.js' } }],
  ['another server\u2019s shell', { tool: 'mcp__ide__execute_command', input: { command: 'touch src/new.js' } }],
];

/** Agents by whether their brief lets them edit. */
const agents = fs.readdirSync(`${REPO}/agents`).map((file) => {
  const tools = /^tools: (.*)$/m.exec(fs.readFileSync(`${REPO}/agents/${file}`, 'utf8'))?.[1] ?? '';
  return [file.replace('.md', ''), /\bEdit\b/.test(tools)] as const;
});

test.each(agents)('%s edits: %s, by its brief and by the guard', (agent, edits) => {
  for (const [what, row] of WRITES) expect(decision(`readygate:${agent}`, row), what).toBe(edits ? 'pass' : 'deny RG17');
});

test.each<[string, Row]>([
  ['reads', { command: 'git diff main' }],
  ['tests', { command: 'npm test 2>&1' }],
  ['writes outside', { command: 'git diff > /tmp/readygate-diff' }],
  ['edits outside', { tool: 'Edit', path: '{base}/out.txt' }],
])('a reviewer that %s is free', (_what, row) => {
  expect(decision('readygate:impl-reviewer', row)).toBe('pass');
});

test('who has no role, and who works outside a pipeline, is not held to one', () => {
  for (const [what, row] of WRITES) {
    expect(decision('', row), what).toBe('pass');
    expect(decision('general-purpose', row), what).toBe('pass');
    expect(decision('readygate:impl-reviewer', row, { pipeline: false }), what).toBe('pass');
  }
});

test('at a closed gate the guards of the gate speak', () => {
  expect(decision('readygate:verifier', EDIT, { gate: 'closed', step: 15 })).toBe('deny RG03');
  expect(decision('readygate:verifier', { command: 'touch x' }, { gate: 'closed', step: 15 })).toBe('deny RG04');
});

test('every hook that asks the guard tells it who calls; outside a subagent the host leaves the placeholder as it is', () => {
  const { hooks } = JSON.parse(fs.readFileSync(`${REPO}/hooks/hooks.json`, 'utf8')) as {
    hooks: Record<string, { hooks: { tool?: string; input?: Record<string, string> }[] }[]>;
  };
  const asking = Object.values(hooks).flatMap((entries) => entries.flatMap((entry) => entry.hooks.filter(({ tool }) => tool === 'guard')));
  expect(asking.length).toBeGreaterThan(0);
  const unfilled = `$\{agent_type}`;
  for (const { input } of asking) expect(input?.agent_type).toBe(unfilled);
  for (const [what, row] of WRITES) expect(decision(unfilled, row), what).toBe('pass');
});
