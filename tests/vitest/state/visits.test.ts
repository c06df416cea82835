import { describe, expect, test } from 'vitest';
import type { JournalLine } from '../../../mcp-server/src/state/journal.ts';
import { NOT_BEGUN, pass, type Stay, visitsOf } from '../../../mcp-server/src/state/visits.ts';

const line = (event: string, at: string, step: number, phase: string): JournalLine =>
  ({ event, at, step, phase, seq: 1, rev: 1, prev: '' }) as JournalLine;

const LINES = [
  line('start', '2026-01-01T00:00:00.000Z', 5, 'EXPLORATION'),
  line('block', '2026-01-01T00:00:05.000Z', 5, 'EXPLORATION'),
  line('transition', '2026-01-01T00:00:10.000Z', 5, 'EXPLORATION'),
  // The clock is set back by an hour.
  line('transition', '2025-12-31T23:00:00.000Z', 6, 'Q1'),
  line('block', 'no time', 7, 'SEMANTIC'),
  line('abort', '2025-12-31T23:00:30.000Z', 7, 'SEMANTIC'),
];

const took = (stays: readonly Stay[]) => stays.map(({ step, from, to }) => [step, to - from]);

describe('how long a phase lasted', () => {
  test('is never less than nothing, and the phase after is counted by the new clock', () => {
    expect(took(visitsOf(LINES))).toEqual([
      [5, 10_000],
      [6, 0],
      [7, 30_000],
    ]);
    expect(visitsOf(LINES).map(({ lines }) => lines.length)).toEqual([3, 1, 2]);
  });

  test('is the same line by line', () => {
    let passing = NOT_BEGUN;
    const stays: Stay[] = [];
    for (const one of LINES) {
      passing = pass(passing, one);
      if (passing.stay) stays.push(passing.stay);
    }
    expect(took(stays)).toEqual(took(visitsOf(LINES)));
  });
});
