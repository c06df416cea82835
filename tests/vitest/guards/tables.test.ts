import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { toHookJson, type Verdict } from '../../../mcp-server/src/guards/verdict.ts';
import { buildWorld, type Case, fileCases, placeSessions, shellCases, toCall, toolCases } from './world.ts';

const guardOf = (verdict: Verdict) => (verdict.decision === 'deny' ? verdict.guard : null);

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

describe.each<[string, readonly Case[]]>([
  ['guards-file.jsonl', fileCases],
  ['guards-shell.jsonl', shellCases],
  ['guards-tools.jsonl', toolCases],
])('layer 2 decides as %s says', (_table, rows) => {
  test.each(rows)('$name', (row) => {
    const takeAway = placeSessions(world.base, row);
    try {
      const call = toCall(world.base, row);
      expect(guardOf(judgeToolCall(call))).toBe(row.deny);
      const asText = { ...call, tool_input: JSON.stringify(call.tool_input) };
      expect(guardOf(judgeToolCall(asText))).toBe(row.deny);
    } finally {
      takeAway();
    }
  });
});

describe('layer 2 passes what it cannot read', () => {
  test.each(['', 'not JSON', '[]', '5', 'null', null, undefined, 5])('tool_input %j passes with a note', (input) => {
    const takeAway = placeSessions(world.base, {});
    try {
      expect(judgeToolCall({ ...toCall(world.base, { tool: 'Edit', path: null }), tool_input: input })).toEqual({
        decision: 'pass',
        note: expect.stringContaining('not an object'),
      });
    } finally {
      takeAway();
    }
  });
});

describe('a command too long or too deeply nested to be read to its end', () => {
  const command = ': ;'.repeat(250_000);
  test.each(['Bash', 'mcp__x__run_command'])('%s is refused while the gate is closed, with what to do instead', (tool) => {
    const takeAway = placeSessions(world.base, { gate: 'closed', step: 5 });
    try {
      const verdict = judgeToolCall({ ...toCall(world.base, { tool: 'Bash', command: '' }), tool_name: tool, tool_input: { command } });
      expect(verdict).toMatchObject({
        decision: 'deny',
        guard: 'RG04',
        message: expect.stringContaining('too long or too deeply nested to be read to its end'),
      });
    } finally {
      takeAway();
    }
  });

  test('is free while the gate is open', () => {
    const takeAway = placeSessions(world.base, { gate: 'open', step: 13, branch: 'readygate/x' });
    try {
      expect(guardOf(judgeToolCall({ ...toCall(world.base, { tool: 'Bash', command: '' }), tool_input: { command } }))).toBeNull();
    } finally {
      takeAway();
    }
  });
});

describe('the answer to the mcp_tool hook', () => {
  test('a pass is {}', () => {
    expect(toHookJson({ decision: 'pass', note: 'why' })).toBe('{}');
  });

  test('a warning tells the model and the user, and decides nothing', () => {
    expect(JSON.parse(toHookJson({ decision: 'warn', guard: 'RG08', message: 'look first' }))).toEqual({
      systemMessage: 'look first',
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'look first' },
    });
  });

  test('a refusal is nested under hookSpecificOutput', () => {
    expect(JSON.parse(toHookJson({ decision: 'deny', guard: 'RG01', message: 'no "edits"\nnow' }))).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no "edits"\nnow' },
    });
  });
});
