import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archivedSession } from '../../../mcp-server/src/state/archive.ts';
import { checkJournal } from '../../../mcp-server/src/state/check-journal.ts';
import { appendJournal } from '../../../mcp-server/src/state/journal.ts';
import { readState, type SessionFile } from '../../../mcp-server/src/state/session-file.ts';
import { Host } from '../server/host.ts';
import { placeOf, World } from '../session/world.ts';
import { fileOf, freshRoot, freshState } from '../state/store.ts';
import { dashboard, decide, get, type Running } from './dashboard.ts';
import { writeState } from './showcase.ts';

/** The id of a fresh state's session. */
const session = '20260101-120000-abcdef';

const at = (more: Partial<SessionFile> = {}) => freshRoot({ owner: 'claude-1', ...more });
const ASKED = { node: 'VERIFY_ESCALATION', phase: 'VERIFY_INTERVENTION', step: 16, rev: 7 };
const asked = () => at(ASKED);

const bytes = (root: string): string => readFileSync(fileOf(root), 'latin1');

function stateOf(root: string): SessionFile {
  const found = readState(root);
  if (found.kind !== 'present') throw new Error(found.kind);
  return found.state;
}

describe('an answer to an escalation', () => {
  test('retry: the session is back at planning, it is the person who said so, and the model goes on there', async () => {
    const world = new World();
    const task = { id: 'greet', description: 'add the greeting', status: 'completed' as const, failure_count: 3 };
    const failure = { from: 'POST_IMPL_VERIFY', reason: 'the greeting is rude', failed_tasks: ['greet'], highest: 3 };
    const git = { base: 'main', branch: null, commits: [], merging: false };
    writeState(world.root, freshState(world.root, { ...ASKED, owner: 'claude-1', tasks: [task], failure, git }));
    const running = await dashboard(world.root);
    const { data, status } = await decide(running, { session, rev: 7, kind: 'decide', answer: 'retry', note: ' be kind ' });
    expect(status).toBe(200);
    expect(data).toMatchObject({ done: true, message: expect.stringContaining('READY') });
    const state = stateOf(world.root);
    expect(state).toMatchObject({ node: 'READY_PLAN', owner: 'claude-1', counters: { verify_failures: 0 }, tasks: [{ failure_count: 0 }] });
    expect(state.failure?.reason).toContain('be kind');
    expect(world.journal(session).at(-1)).toMatchObject({ kind: 'decision', decision: 'retry', by: 'person', source: 'user:dashboard' });
    expect(checkJournal(world.path('sessions', session, 'journal.jsonl')).broken).toBeNull();
    const host = await world.host({ owner: 'claude-1' });
    const told = await host.status();
    expect(placeOf(told)).toBe('READY.plan');
    expect(told.instruction).toContain('be kind');
    const again = { tasks: [{ id: 'kinder', description: 'say please', status: 'pending', fixes: ['greet'] }] };
    expect(placeOf(await host.submit(again))).toBe('READY.implement');
  });

  test('accept goes on to the commit, marked so; a second click comes too late', async () => {
    const root = asked();
    const running = await dashboard(root);
    expect((await decide(running, { session, rev: 7, kind: 'decide', answer: 'accept' })).data).toMatchObject({ done: true });
    expect(stateOf(root)).toMatchObject({ node: 'PRE_COMMIT', accepted_unverified: true });
    const before = bytes(root);
    const late = await decide(running, { session, rev: 7, kind: 'decide', answer: 'abort' });
    expect(late).toMatchObject({ status: 409, data: { done: false, message: expect.stringContaining('PRE_COMMIT') } });
    expect(bytes(root)).toBe(before);
  });

  test('abort ends it; the model learns so at its next call', async () => {
    const root = asked();
    await decide(await dashboard(root), { session, rev: 7, kind: 'decide', answer: 'abort' });
    expect(archivedSession(root, session)).toMatchObject({ outcome: 'aborted' });
    const host = await Host.start({ project: root, owner: 'claude-1' });
    expect(await host.submit({ user_decision: 'retry' })).toMatchObject({ error: 'session_complete' });
  });
});

describe('a plan that waits for approval', () => {
  const tasks = [{ id: 'greet', description: 'add the greeting', status: 'pending' as const, failure_count: 0 }];
  /** The step at which a plan waits for the person. */
  const APPROVAL = { node: 'READY_APPROVAL', phase: 'READY', step: 12, rev: 4, tasks };
  const proposed = () => at(APPROVAL);

  /** The plan that the page is sent, as its hash. */
  async function planIn(running: Running): Promise<unknown> {
    const { session: shown } = (await get(running, '/api/overview')) as { session: { plan: unknown } };
    return shown.plan;
  }

  test('is approved: editing opens', async () => {
    const root = proposed();
    const running = await dashboard(root);
    const sent = { session, rev: 4, kind: 'approve', plan: await planIn(running) };
    expect((await decide(running, sent)).data).toMatchObject({ done: true });
    expect(stateOf(root)).toMatchObject({ node: 'READY_IMPLEMENT', gate: 'open' });
  });

  test('is sent back with a word to the model', async () => {
    const root = proposed();
    const running = await dashboard(root);
    const { data } = await decide(running, { session, rev: 4, kind: 'revise', note: 'split it in two', plan: await planIn(running) });
    expect(data).toMatchObject({ done: true });
    expect(stateOf(root)).toMatchObject({ phase: 'READY', step: 12, gate: 'closed' });
    expect(bytes(root)).toContain('split it in two');
  });

  test('is not approved where the design took another shape after the page had read it', async () => {
    const root = at({ ...APPROVAL, pipeline: true });
    const design = join(root, '.readygate', 'sessions', session, 'design.md');
    const record = { event: 'artifact', rev: 4, name: 'design.md', hash: 'any', verdict: null };
    appendJournal(root, session, [record], new Date());
    writeFileSync(design, '# Design\n\nGreet.\n');
    const running = await dashboard(root);
    const seen = await planIn(running);
    writeFileSync(design, '# Design\n\nGreet rudely.\n');
    const before = bytes(root);
    const { status, data } = await decide(running, { session, rev: 4, kind: 'approve', plan: seen });
    expect(status).toBe(409);
    expect(data).toMatchObject({ done: false, message: expect.stringContaining('the plan changed since') });
    expect(bytes(root)).toBe(before);
    const now = { session, rev: 4, kind: 'approve', plan: await planIn(running) };
    expect((await decide(running, now)).data).toMatchObject({ done: true });
  });

  test('is the only time the page is sent one', async () => {
    expect(await planIn(await dashboard(at()))).toBeNull();
  });
});

describe('a decision', () => {
  async function refused(root: string, sent: Record<string, unknown>): ReturnType<typeof decide> {
    const before = bytes(root);
    const answer = await decide(await dashboard(root), sent);
    expect(bytes(root)).toBe(before);
    return answer;
  }

  test.each([
    ['no object', [] as unknown as Record<string, unknown>],
    ['no revision', { session, kind: 'abort' }],
    ['an unknown kind', { session, rev: 1, kind: 'override' }],
    ['an approval of no plan', { session, rev: 1, kind: 'approve' }],
    ['a revision of no plan', { session, rev: 1, kind: 'revise', note: 'why' }],
    ['no answer', { session, rev: 1, kind: 'decide' }],
    ['an unknown answer', { session, rev: 1, kind: 'decide', answer: 'merge' }],
    ['something more', { session, rev: 1, kind: 'abort', sudo: true }],
    ['a note without end', { session, rev: 1, kind: 'decide', answer: 'retry', note: 'x'.repeat(5000) }],
  ])('with %s is none', async (_name, sent) => {
    expect((await refused(at(), sent)).status).toBe(400);
  });

  test('on a body without end is refused before it is read', async () => {
    expect((await refused(at(), { note: 'x'.repeat(100_000) })).status).toBe(413);
  });

  test('approve says that nothing waits for an approval', async () => {
    const answer = await refused(at(), { session, rev: 1, kind: 'approve', plan: 'any' });
    expect(answer).toMatchObject({ status: 409, data: { done: false, message: expect.stringContaining('Nothing waits for an approval') } });
  });

  test('an answer where nothing was asked changes nothing', async () => {
    const answer = await refused(at(), { session, rev: 1, kind: 'decide', answer: 'retry' });
    expect(answer.data).toMatchObject({ done: false, message: expect.stringContaining('nothing waits for a decision') });
  });

  test('about another session changes nothing', async () => {
    expect((await refused(at(), { session: '20260101-120000-000000', rev: 1, kind: 'abort' })).status).toBe(409);
  });

  test('about what the person did not see changes nothing', async () => {
    const answer = await refused(asked(), { session, rev: 6, kind: 'decide', answer: 'accept' });
    expect(answer.data).toMatchObject({ done: false, message: expect.stringContaining('went on meanwhile') });
  });

  test('to end the session is carried out at any step, and says who said so', async () => {
    const root = at();
    const running: Running = await dashboard(root);
    expect((await decide(running, { session, rev: 99, kind: 'abort' })).data).toMatchObject({ done: true });
    expect(existsSync(fileOf(root))).toBe(false);
    expect(archivedSession(root, session)).toMatchObject({ outcome: 'aborted', owner: 'claude-1' });
    const { lines } = checkJournal(join(root, '.readygate', 'sessions', session, 'journal.jsonl'));
    expect(lines.at(-1)).toMatchObject({ event: 'abort', source: 'user:dashboard', outcome: 'aborted' });
    expect((await decide(running, { session, rev: 99, kind: 'abort' })).status).toBe(409);
  });
});
