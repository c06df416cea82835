import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalog, formatMessage } from '../../../mcp-server/src/guards/catalog.ts';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { toHookJson, type Verdict } from '../../../mcp-server/src/guards/verdict.ts';
import { buildWorld, cases, placeSessions, toCall } from './world.ts';

const guardOf = (verdict: Verdict) => (verdict.decision === 'deny' ? verdict.guard : null);

describe('layer 2 decides as guards-file.jsonl says', () => {
  let world: ReturnType<typeof buildWorld>;
  beforeAll(() => {
    world = buildWorld();
  });
  afterAll(() => world.remove());

  test.each(cases)('$name', (row) => {
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

describe('the answer to the mcp_tool hook', () => {
  test('a pass is {}', () => {
    expect(toHookJson({ decision: 'pass', note: 'why' })).toBe('{}');
  });

  test('a refusal is nested under hookSpecificOutput', () => {
    expect(JSON.parse(toHookJson({ decision: 'deny', guard: 'RG01', message: 'no "edits"\nnow' }))).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no "edits"\nnow' },
    });
  });
});

describe('the catalog', () => {
  test('ids are unique and in order', () => {
    const ids = catalog.guards.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  test.each(catalog.guards.map((guard) => [guard.id, guard] as const))(
    '%s has its values in the order that facts.jq prints',
    (_, guard) => {
      expect(Object.keys(guard)).toEqual(['id', 'name', 'layers', 'verdict', 'applies', 'message', 'remedy']);
      expect([Object.keys(guard.message), Object.keys(guard.remedy)]).toEqual([
        ['en', 'ja'],
        ['en', 'ja'],
      ]);
    },
  );

  test.each(catalog.guards.map((guard) => [guard.id, guard] as const))(
    'the texts of %s are ones that bash can split',
    (_, { message, remedy }) => {
      for (const text of [...Object.values(message), ...Object.values(remedy)]) expect(text).not.toMatch(/["\\\n]/);
    },
  );

  test.each(catalog.guards.map((guard) => [guard.id, guard] as const))(
    '%s names itself, the phase, what to do and the way out',
    (_, guard) => {
      const values = { session: 's-1', phase: 'Q1', step: '6', tool: 'Edit', path: '/a\n{step}' };
      for (const language of ['en', 'ja'] as const) {
        const text = formatMessage(guard, language, values);
        for (const part of [guard.id, guard.name, 'Q1', '6', 's-1', 'Edit', '/a\\n{step}', '/readygate:override'])
          expect(text).toContain(part);
      }
    },
  );
});
