import { describe, expect, test } from 'vitest';
import { analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import { CONTEXT, layer1, layer2, type Row, report, rows, score } from './world.ts';

/** With the share of writes that layer 1 alone must find; the second table holds what was thought out to get past it. */
const TABLES = [
  ['shell-corpus.jsonl', 0.9],
  ['shell-more.jsonl', 0.85],
] as const;

describe.each(TABLES)('on %s', (name, share) => {
  const table = rows(name);
  const judged = new Map<Row, boolean>(table.map((row) => [row, layer2(row.command)]));
  const findings = layer1(table.map((row) => row.command));

  test('layer 2 finds at least 99 % of the writes and wrongly denies at most 0.5 % of the reads', () => {
    const result = score(table, (row) => judged.get(row) ?? false);
    console.log(report(`layer 2, ${name}`, result));
    expect(result.found / result.writes).toBeGreaterThanOrEqual(0.99);
    expect(result.denied / result.reads).toBeLessThanOrEqual(0.005);
  });

  test('no read that someone writes by hand is left unread, which would be refused as well', () => {
    const honest = table.filter((row) => row.label !== 'write' && row.repeat === undefined);
    expect(honest.filter((row) => analyzeShell(row.command, CONTEXT).unread).map((row) => row.command)).toEqual([]);
  });

  test(`layer 1 alone finds at least ${share * 100} % of the writes and wrongly denies at most 0.5 % of the reads`, () => {
    const result = score(table, (_row, index) => (findings[index] ?? []).length > 0);
    console.log(report(`layer 1, ${name}`, result));
    expect(result.found / result.writes).toBeGreaterThanOrEqual(share);
    expect(result.denied / result.reads).toBeLessThanOrEqual(0.005);
  });

  test('both layers allow what cannot be seen', () => {
    expect(score(table, (row) => judged.get(row) ?? false).unknownDenied).toEqual([]);
    expect(score(table, (_row, index) => (findings[index] ?? []).length > 0).unknownDenied).toEqual([]);
  });

  test('what layer 1 denies, layer 2 denies too', () => {
    const alone = table.filter((row, index) => (findings[index] ?? []).length > 0 && judged.get(row) === false);
    expect(alone.map((row) => row.command)).toEqual([]);
  });
});
