import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendJournal } from '../../../mcp-server/src/state/journal.ts';
import { journalFile } from '../../../mcp-server/src/state/layout.ts';
import { JournalIndex } from '../../../mcp-server/src/web/journal-index.ts';
import { PastSessions } from '../../../mcp-server/src/web/past.ts';
import { tickOf, watch } from '../../../mcp-server/src/web/watch.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { ACTIVE, addPast, showcase, writeJournal } from './showcase.ts';

const SESSION = '20260101-120000-abcdef';
const all = { limit: 200, only: null };

function journal(count: number): { root: string; index: JournalIndex } {
  const root = emptyFolder('journal');
  const lines = Array.from({ length: count }, (_, at) => ({
    event: at % 10 === 9 ? 'block' : 'note',
    rev: 1,
    step: 13,
    phase: 'READY',
    guard: 'RG14',
  }));
  appendJournal(root, SESSION, lines, new Date(0));
  return { root, index: new JournalIndex(root, SESSION) };
}

describe('the timeline of a long session', () => {
  test('comes in pages that hold every line once, newest first, also of one kind', () => {
    const { index } = journal(5000);
    for (const [only, expected] of [
      [null, 5000],
      ['block', 500],
    ] as const) {
      const seen: number[] = [];
      for (let before = 0, more = true; more; ) {
        const page = index.refresh().page({ before, limit: 200, only });
        seen.push(...page.rows.map(({ seq }) => seq));
        before = page.rows.at(-1)?.seq ?? 0;
        more = page.more;
      }
      expect(seen.length).toBe(expected);
      expect(new Set(seen).size).toBe(expected);
      expect(seen).toEqual([...seen].sort((a, b) => b - a));
    }
    expect(index.page(all)).toMatchObject({ total: 5000, last_seq: 5000, counts: { block: 500, other: 4500 }, broken: false });
  });

  test('what is appended is read, and nothing else; half a line waits for its other half', () => {
    const { root, index } = journal(3);
    index.refresh();
    appendJournal(root, SESSION, [{ event: 'block', rev: 1, guard: 'RG12', step: 5, phase: 'EXPLORATION' }], new Date(0));
    expect(index.refresh().page({ ...all, after: 3 }).rows).toMatchObject([
      { seq: 4, category: 'block', what: 'RG12 evidence', node: 'EXPLORATION' },
    ]);
    appendFileSync(journalFile(root, SESSION), '{"seq":5,"at":"2026-01-01T');
    expect(index.refresh().page(all).total).toBe(4);
    appendFileSync(journalFile(root, SESSION), '00:00:00Z","event":"note","rev":1,"prev":""}\n');
    expect(index.refresh().page(all)).toMatchObject({ total: 5, last_seq: 5 });
  });

  test('a journal that became shorter, was replaced or is gone is read anew', () => {
    const { root, index } = journal(50);
    const file = journalFile(root, SESSION);
    expect(index.refresh().page(all).total).toBe(50);
    truncateSync(file, 0);
    expect(index.refresh().page(all).total).toBe(0);
    writeFileSync(`${file}.new`, journalText(80));
    renameSync(`${file}.new`, file);
    expect(index.refresh().page(all).total).toBe(80);
    renameSync(file, `${file}.away`);
    expect(index.refresh().page(all)).toMatchObject({ total: 0, rows: [] });
  });

  test('a line that is missing shows', () => {
    const root = emptyFolder('journal');
    mkdirSync(dirname(journalFile(root, SESSION)), { recursive: true });
    writeFileSync(journalFile(root, SESSION), journalText(4).split('\n').toSpliced(1, 1).join('\n'));
    expect(new JournalIndex(root, SESSION).refresh().page(all).broken).toBe(true);
  });

  test('says why something was blocked, in the reader’s language', () => {
    const index = new JournalIndex(showcase(), ACTIVE).refresh();
    const reason = (language: 'en' | 'ja') => index.page({ ...all, only: 'block', language }).rows[0]?.detail;
    expect(reason('en')).toMatch(/^npm test did not run/);
    expect(reason('ja')).toContain('npm test はこのセッションの');
  });

  test('sums time per step, ways back and what leaves a step', () => {
    const page = new JournalIndex(showcase(), ACTIVE).refresh().page(all);
    expect(page.returns).toEqual({ '15>12': 1 });
    expect(page.durations).toContainEqual({ step: 5, ms: 255_000 });
    expect(page.durations).toContainEqual({ step: 13, ms: 670_000 });
    expect(page.rows.find(({ category }) => category === 'back')).toMatchObject({
      node: 'POST_IMPL_VERIFY',
      to: 'READY_PLAN',
      took: 133_000,
    });
  });
});

const journalText = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `${JSON.stringify({ seq: at + 1, at: '2026-01-01T00:00:00Z', event: 'note', rev: 1, prev: '' })}\n`,
  ).join('');

describe('past sessions', () => {
  test('come in pages that hold each once, without the active one', async () => {
    const root = showcase();
    addPast(root, 130);
    const past = new PastSessions(root);
    const seen: string[] = [];
    for (let before: string | null = null, first = true; first || before !== null; first = false) {
      const page = await past.page(before, 50);
      expect(page.total).toBe(130);
      seen.push(...page.sessions.map(({ session }) => session));
      before = page.next;
    }
    expect(new Set(seen).size).toBe(130);
    expect(seen).toEqual([...seen].sort().reverse());
    expect(seen).not.toContain(ACTIVE);
    expect((await past.page(null, 1)).sessions[0]).toMatchObject({
      outcome: 'investigated',
      blocks: 1,
      task: 'Why is the nightly build slow?',
    });
  });

  test('one without a final state is shown by its journal', async () => {
    const root = emptyFolder('past');
    writeJournal(root, SESSION, 1000, [
      [0, { event: 'start', step: 3, phase: 'DOCUMENT_RESEARCH' }],
      [9, { event: 'transition', step: 3, phase: 'DOCUMENT_RESEARCH', to: 'QUERY_FRAME', to_step: 4 }],
    ]);
    expect((await new PastSessions(root).page(null, 9)).sessions).toMatchObject([{ outcome: null, started: 1000, ms: 9000, task: '' }]);
  });
});

test('a change on disk is told once, and nothing is told when nobody looks any more', async () => {
  const root = showcase();
  const told: string[] = [];
  const left = new AbortController();
  watch(
    root,
    () => ACTIVE,
    ({ journal }) => told.push(journal),
    left.signal,
  );
  expect(told.length).toBe(1);
  appendJournal(root, ACTIVE, [{ event: 'note', rev: 1 }], new Date());
  await expect.poll(() => told.length, { timeout: 30_000 }).toBe(2);
  expect(told[1]).toBe(tickOf(root, ACTIVE).journal);
  left.abort();
  watch(
    root,
    () => ACTIVE,
    () => told.push('after'),
    left.signal,
  );
  expect(told.length).toBe(2);
});
