/** Commands of which every single one must be judged right: what shells and programs do that is easily overlooked. */
import { describe, expect, test } from 'vitest';
import { layer1, layer2, type Row, rows } from './world.ts';

interface StrictRow extends Row {
  /** Which layers refuse a write; layer 1 may leave what is hard to see to layer 2. */
  layers?: 'both' | 'server';
}

const table = rows('shell-strict.jsonl') as StrictRow[];
const findings = layer1(table.map((row) => row.command));

describe('shell-strict.jsonl', () => {
  test.each(table)('$id $label: $command', (row) => {
    expect(layer2(row.command)).toBe(row.label === 'write');
  });

  test('layer 1 refuses what it is said to refuse, and no read', () => {
    const refuses = (row: StrictRow) => (findings[table.indexOf(row)] ?? []).length > 0;
    const wrong = table.filter((row) => refuses(row) !== (row.layers === 'both'));
    expect(wrong.map((row) => `${refuses(row) ? 'refused' : 'passed'}: ${row.command}`)).toEqual([]);
  });
});
