import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionFolder } from '../../../mcp-server/src/state/layout.ts';
import { knowledgeOf } from '../../../mcp-server/src/web/knowledge.ts';
import { emptyFolder } from '../git/sandbox.ts';

const SESSION = '20260101-120000-abcdef';

function handedOver(content: unknown): ReturnType<typeof knowledgeOf> {
  const root = emptyFolder('knowledge');
  mkdirSync(sessionFolder(root, SESSION), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(sessionFolder(root, SESSION), 'pre_planning.json'), text);
  return knowledgeOf(root, SESSION);
}

const GAP = { info_id: 'slo', description: 'latency', impact: 'a guess' };
const EMPTY = { understanding: null, facts: [], assumptions: [], gaps: [], recommendations: [] };

test('nothing handed over is nothing, and damage is not shown as knowledge', () => {
  expect(knowledgeOf(emptyFolder('knowledge'), SESSION)).toBeNull();
  for (const broken of ['', '{', 'null', '[]', '"x"', { collected_information: 7, assumptions: 'x', information_gaps: [null, 3] }])
    expect(handedOver(broken)).toMatchObject({ understanding: null, facts: [], assumptions: [] });
  expect(handedOver({})).toEqual(EMPTY);
});

test('much handed over is shown to its end', () => {
  const codebase = Array.from({ length: 400 }, (_, index) => ({ info_id: `fact-${index}`, summary: 'x'.repeat(2000) }));
  expect(handedOver({ collected_information: { codebase } })?.facts).toHaveLength(400);
});

test('facts, assumptions and gaps stay apart, whether or not the result is wrapped', () => {
  const result = {
    request_understanding: { task_type: 'feature', primary_goal: 'go', understanding_confidence: 0.4, scope: { in_scope: ['a'] } },
    collected_information: {
      codebase: [{ info_id: 'one', description: 'wanted', summary: 'found', details: { lines: 3 }, pointer: 'a.ts:1' }],
      external: { two: { summary: 'by id', pointer: { url: 'https://example.com' } } },
    },
    assumptions: [
      { info_id: 'three', assumed_value: true, reasoning: 'seen so', confidence: 0.5 },
      { info_id: 'four', confidence: 'high' },
    ],
    information_gaps: [GAP],
    recommendations_for_planning: ['first', { note: 'second' }],
  };
  for (const known of [handedOver(result), handedOver({ pre_planning_result: result })]) {
    expect(known?.understanding).toMatchObject({ goal: 'go', confidence: 0.4, in_scope: ['a'], out_of_scope: [] });
    expect(known?.facts).toEqual([
      { id: 'one', category: 'codebase', summary: 'found', details: '{"lines":3}', pointer: 'a.ts:1' },
      { id: 'two', category: 'external', summary: 'by id', details: '', pointer: '{"url":"https://example.com"}' },
    ]);
    expect(known?.assumptions).toMatchObject([
      { id: 'three', value: 'true', confidence: 0.5 },
      { id: 'four', value: '', confidence: null },
    ]);
    expect(known?.gaps).toEqual([{ id: 'slo', description: 'latency', impact: 'a guess' }]);
    expect(known?.recommendations).toEqual(['first', '{"note":"second"}']);
  }
});
