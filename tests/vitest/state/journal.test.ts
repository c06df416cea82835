import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendJournal, hashOf, linesSince } from '../../../mcp-server/src/state/journal.ts';
import { journalFile } from '../../../mcp-server/src/state/layout.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, usualReply, World, walk } from '../session/world.ts';

const SESSION = '20260101-120000-abcdef';
const NOW = new Date('2026-01-01T12:00:00Z');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Asserts the chain as `readygate verify` will: each line holds the hash of the bytes of the line before. */
function expectChain(text: string): void {
  const lines = text.split('\n').filter(Boolean);
  lines.forEach((line, index) => {
    const { prev } = JSON.parse(line) as { prev: string };
    expect(prev).toBe(index === 0 ? '' : sha256(lines[index - 1] ?? ''));
  });
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, index) => index + 1));
}

describe('the lines since a revision', () => {
  const lines = (rev: number, count: number) => Array.from({ length: count }, (_, index) => ({ event: 'note', rev, index }));

  test.each([1, 8, 30])('are found behind %i lines that a writer which slept wrote late', (late) => {
    const root = emptyFolder('late');
    appendJournal(root, SESSION, lines(1, 3), NOW);
    appendJournal(root, SESSION, [...lines(3, 2), ...lines(4, 1)], NOW);
    appendJournal(root, SESSION, lines(2, late), NOW);
    appendJournal(root, SESSION, lines(4, 1), NOW);
    expect(linesSince(root, SESSION, 3).map(({ rev }) => rev)).toEqual([3, 3, 4, 4]);
    expect(linesSince(root, SESSION, 4)).toHaveLength(2);
  });

  test('are read without the rest of a long journal', () => {
    const root = emptyFolder('long');
    appendJournal(root, SESSION, [...lines(1, 5000), ...lines(2, 3)], NOW);
    // What is not read may be anything.
    const text = readFileSync(journalFile(root, SESSION), 'utf8');
    writeFileSync(journalFile(root, SESSION), text.replace('"rev":1,"index":0', '"rev":9,"index":0'));
    expect(linesSince(root, SESSION, 2).map(({ rev }) => rev)).toEqual([2, 2, 2]);
  });
});

describe('the journal of a session', () => {
  test('is a chain of hashes with one line for every start, transition, block and effect', async () => {
    const world = new World();
    const host = await world.host();
    const started = await host.start('add a greeting');
    const wrong = await walk(world, host, started, { until: 'PRE_COMMIT' });
    await host.submit({ reviewed_files: [], commit_message: 'x' });
    await host.submit({ reviewed_files: 7 });
    const { answer } = await walk(world, host, await host.status());
    const text = readFileSync(world.path('sessions', answer.session_id, 'journal.jsonl'), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    expectChain(text);
    const lines = world.journal(answer.session_id);
    expect(lines.map((line) => line.event).filter((event) => event === 'block')).toHaveLength(1);
    expect(lines.filter((line) => line.event === 'transition')).toHaveLength(wrong.trail.length + 3);
    for (const line of lines) expect(line).toMatchObject({ at: expect.stringMatching(/^\d{4}-.*Z$/), rev: expect.any(Number) });
  });

  test('grows by exactly the lines of what was done', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'READY.plan', '--fast --no-doc add a greeting');
    const length = () => world.journal(at.session_id).length;
    const before = length();
    await host.submit({ tasks: [] });
    await host.status();
    expect(length()).toBe(before);
    await host.submit(usualReply(world, at));
    expect(world.journal(at.session_id).slice(before)).toMatchObject([
      { event: 'intent', effect: 'create_branch', payload: hashOf(usualReply(world, at)), branch: 'main', parent: world.box.head() },
      { event: 'done', effect: 'create_branch', result: { base: 'main' } },
      { event: 'transition', kind: 'tasks', phase: 'READY', step: 12, to_step: 13, payload: hashOf(usualReply(world, at)) },
    ]);
    const planned = length();
    await host.submit(usualReply(world, at));
    await host.submit(usualReply(world, at), { step: 12 });
    expect(length()).toBe(planned + 1);
  });
});

describe('appending', () => {
  const entry = (event: string) => ({ event, rev: 1 });

  test('goes on from the last line, however long that one is', () => {
    const root = emptyFolder('journal');
    appendJournal(root, SESSION, [entry('a'), { ...entry('b'), text: 'x'.repeat(200_000) }], NOW);
    appendJournal(root, SESSION, [entry('c')], NOW);
    appendJournal(root, SESSION, [], NOW);
    appendJournal(root, SESSION, [entry('日本語'), entry('e')], NOW);
    expectChain(readFileSync(journalFile(root, SESSION), 'utf8'));
  });

  test('after a line that a crash cut off begins a line of its own, and the cut bytes stay part of the chain', () => {
    const root = emptyFolder('journal');
    appendJournal(root, SESSION, [entry('a'), entry('b')], NOW);
    const cut = '{"seq":3,"at":"2026';
    appendFileSync(journalFile(root, SESSION), cut);
    appendJournal(root, SESSION, [entry('c')], NOW);
    const lines = readFileSync(journalFile(root, SESSION), 'utf8').split('\n').filter(Boolean);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toBe(cut);
    expect(JSON.parse(lines[3] ?? '')).toMatchObject({ seq: 3, event: 'c', prev: sha256(cut) });
  });

  test('reads only the end: a journal of a gigabyte is no obstacle', () => {
    const root = emptyFolder('journal');
    const file = journalFile(root, SESSION);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    // Sparse, and longer than any string can be: reading it whole would fail.
    truncateSync(file, 2 ** 30);
    const last = JSON.stringify({ seq: 77, at: NOW.toISOString(), event: 'a', rev: 1, prev: '' });
    appendFileSync(file, `\n${last}\n`);
    appendJournal(root, SESSION, [entry('b')], NOW);
    const size = 2 ** 30 + last.length + 2;
    const tail = readFileSync(file).subarray(size).toString();
    expect(JSON.parse(tail)).toMatchObject({ seq: 78, prev: sha256(last) });
  });
});

describe('hashOf', () => {
  test('does not depend on the order of keys, at any depth', () => {
    expect(hashOf({ a: 1, b: { c: [{ d: 1, e: 2 }], f: null } })).toBe(hashOf({ b: { f: null, c: [{ e: 2, d: 1 }] }, a: 1 }));
    expect(hashOf({ a: [1, 2] })).not.toBe(hashOf({ a: [2, 1] }));
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: '1' }));
  });
});
