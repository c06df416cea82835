/** What readygate log and summary.md tell of a session afterwards: refusals, failures, warnings, gaps. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { readygate } from '../cli/program.ts';
import type { Host } from '../server/host.ts';
import { sessionAt, usualReply, World, walk } from './world.ts';

const summaryOf = (world: World, session: string): string => readFileSync(world.path('sessions', session, 'summary.md'), 'utf8');

/** Calls the guard as the host's hook does, or as the model may. */
const guard = (host: Host, tool_name: string, tool_input: Record<string, unknown>, _meta?: Record<string, unknown>) =>
  host.client.callTool({ name: 'guard', arguments: { tool_name, tool_input, cwd: host.options.project }, ...(_meta ? { _meta } : {}) });

const refusedIn = (world: World, session: string) => world.journal(session).filter(({ event }) => event === 'refused');

test('tool calls that a guard refused are in the journal, the log and the summary, with secrets masked', async () => {
  const world = new World();
  const host = await world.host({ owner: 'claude-1' });
  const { session_id: session } = await sessionAt(world, host, 'QUERY_FRAME', '--quick --no-doc add a greeting');
  await guard(host, 'Edit', { file_path: `${world.root}/readme.md` });
  await vi.waitFor(() => expect(refusedIn(world, session)).toHaveLength(1), 10_000);
  await guard(host, 'Bash', { command: `sed -i s/a/ghp_${'a1B2'.repeat(9)}/ readme.md` });
  await vi.waitFor(() => expect(refusedIn(world, session)).toHaveLength(2), 10_000);
  await guard(host, 'Edit', { file_path: `${world.root}/readme.md` }, { 'claudecode/toolUseId': 'made-up' });
  await guard(host, 'Bash', { command: 'ls' });
  const { answer } = await walk(world, host, await host.status());
  expect(refusedIn(world, session)).toMatchObject([
    { phase: 'QUERY_FRAME', step: 4, tool: 'Edit', what: `${world.root}/readme.md` },
    { guard: 'RG04', tool: 'Bash', what: expect.stringMatching(/^sed -i s\/a\/\[masked:/) },
  ]);
  expect(answer.outcome).toBe('completed');
  expect(summaryOf(world, session)).toMatch(/## What was blocked\n\n- Refused tool calls: 2 \(RG0\d, RG04\)/);
  expect(readygate(world.root, ['log']).out).toMatch(/refused +RG04 Bash sed -i/);
  expect(readygate(world.root, ['verify']).code).toBe(0);
});

test('so many refusals at one place are noted, and no more', async () => {
  const world = new World();
  const host = await world.host({ owner: 'claude-1' });
  const { session_id: session } = await sessionAt(world, host, 'QUERY_FRAME', '--quick --no-doc add a greeting');
  for (let time = 0; time < 25; time++) await guard(host, 'Edit', { file_path: `${world.root}/${time}.md` });
  await vi.waitFor(() => expect(refusedIn(world, session)).toHaveLength(20), 20_000);
  await walk(world, host, await host.status());
  expect(refusedIn(world, session)).toHaveLength(20);
  expect(summaryOf(world, session)).toContain('Refused tool calls: 20 or more');
});

test('a verification that failed reads as failed, and changed files are named', async () => {
  const world = new World();
  const host = await world.host({ owner: 'claude-1' });
  const failing = { passed: false, details: 'one test fails' };
  const again = {
    tasks: [
      { id: 'greet', description: 'add the greeting', status: 'completed' },
      { id: 'mend', description: 'mend it', status: 'pending', fixes: ['greet'] },
    ],
  };
  const at = await sessionAt(world, host, 'READY.plan', '--fast --no-doc add a greeting');
  world.box.write('readme.md', 'changed unseen\n');
  expect((await host.submit(usualReply(world, at))).guard).toBe('RG13');
  const undone = await host.submit({ resolve_changes: 'undo' });
  const plans = [usualReply(world, at), again];
  const { answer } = await walk(world, host, undone, { replies: { POST_IMPL_VERIFY: [failing], 'READY.plan': plans } });
  expect(answer.outcome).toBe('completed');
  const { out } = readygate(world.root, ['log']);
  expect(out).toMatch(/transition +verified, failed → READY/);
  expect(out).toMatch(/transition +verified → PRE_COMMIT/);
  expect(out).toMatch(/changes +undo: readme\.md/);
  const summary = summaryOf(world, answer.session_id);
  expect(summary).toContain('12 READY: undo: readme.md');
  // Once is no habit.
  expect(summary).not.toContain('was blocked most');
});

test('warnings of pre-planning are listed, and what stayed unknown with its impact', async () => {
  const world = new World();
  const host = await world.host({ owner: 'claude-1' });
  const need = { category: 'context', purpose: 'to greet right', collection_method: { tool: 'Grep' }, can_assume: false };
  const required_information = [{ ...need, id: 'tone', description: 'how formal a greeting is' }];
  const understanding = usualReply(world, { phase: 'REQUEST_UNDERSTANDING', substep: '4a' } as never).request_understanding;
  const assumed = { info_id: 'tone', status: 'assumed', assumption: { assumed_value: 'formal', reasoning: 'usual', confidence: 0.9 } };
  const replies = {
    'REQUEST_UNDERSTANDING.4a': { request_understanding: understanding },
    'INFORMATION_PLANNING.4b': { information_needs: { required_information } },
    'INFORMATION_COLLECTION.4c': { collection_results: [{ ...assumed, impact: 'the greeting may be too stiff' }] },
  };
  const { answer } = await walk(world, host, await host.start('--no-doc what is this?', { intent: 'QUESTION' }), { replies });
  expect(answer.outcome).toBe('investigated');
  const summary = summaryOf(world, answer.session_id);
  expect(summary).toMatch(/## What stayed unknown\n\n- tone: how formal a greeting is\. Impact: the greeting may be too stiff/);
  expect(summary).toMatch(/## Warnings\n\n- .*tone/);
});
