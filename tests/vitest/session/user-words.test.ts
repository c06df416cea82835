import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Host } from '../server/host.ts';
import { sessionAt, usualReply, World, walk } from './world.ts';

interface HookAnswer {
  systemMessage?: string;
  decision?: string;
  reason?: string;
  hookSpecificOutput?: { hookEventName: string; additionalContext: string };
}

/** Calls a tool as one of the host's hooks does: without the mark that the model's calls carry. */
async function hook(host: Host, name: string, args: Record<string, unknown>): Promise<HookAnswer> {
  const { content } = await host.client.callTool({ name, arguments: args });
  return JSON.parse((content as [{ text: string }])[0].text) as HookAnswer;
}

const typed = (host: Host, prompt: string, session_id = 'claude-1') => hook(host, 'on_prompt', { prompt, session_id });

async function at(place: string, request = 'add a greeting'): Promise<{ world: World; host: Host }> {
  const world = new World();
  const host = await world.host({ owner: 'claude-1' });
  await sessionAt(world, host, place, request);
  return { world, host };
}

describe('what the user types to the gate', () => {
  test('an override opens the gate for the rest of the phase, and is in the journal', async () => {
    const { world, host } = await at('EXPLORATION');
    expect(world.state()).toMatchObject({ gate: 'closed', override: null });
    const answer = await typed(host, '/readygate:override the build is broken');
    expect(answer.hookSpecificOutput?.additionalContext).toContain('open for the rest of EXPLORATION (step 5)');
    expect(world.state()).toMatchObject({ gate: 'open', phase: 'EXPLORATION', override: { reason: 'the build is broken', step: 5 } });
    expect(world.journal(world.state().session).at(-1)).toMatchObject({ event: 'override', step: 5, reason: 'the build is broken' });
    await host.submit({ explored_files: ['readme.md'], findings: ['x'] });
    expect(world.state()).toMatchObject({ gate: 'closed', phase: 'Q1', override: null });
  });

  test.each([
    ['without a reason', '/readygate:override', 'say why'],
    ['with blanks for a reason', '/readygate:override   ', 'say why'],
    ['inside other words', 'please /readygate:override now', null],
    ['as another command', '/readygate:overrides x', null],
  ])('an override %s changes nothing', async (_name, prompt, said) => {
    const { world, host } = await at('EXPLORATION');
    const before = world.bytes();
    const answer = await typed(host, prompt);
    expect(answer.systemMessage ?? null).toEqual(said === null ? null : expect.stringContaining(said));
    expect(world.bytes()).toBe(before);
  });

  test('an override typed in another Claude session changes nothing and says where to type it', async () => {
    const { world, host } = await at('EXPLORATION');
    const other = await world.host({ owner: 'claude-2' });
    const before = world.bytes();
    expect((await typed(other, '/readygate:override mine', 'claude-2')).systemMessage).toContain('take it over');
    expect(world.bytes()).toBe(before);
    expect(host.pid).toBeGreaterThan(0);
  });

  test.each(['on_prompt', 'on_stop'])('the model cannot call %s: it is not listed, and its calls are marked', async (name) => {
    const { world, host } = await at('EXPLORATION');
    const before = world.bytes();
    const { tools } = await host.client.listTools();
    expect(tools.map((tool) => tool.name)).not.toContain(name);
    const forged = host.client.callTool({
      name,
      arguments: { prompt: '/readygate:override let me', session_id: 'claude-1' },
      _meta: { 'claudecode/toolUseId': 'toolu_1' },
    });
    await expect(forged).rejects.toThrow(/no tool/);
    expect(world.bytes()).toBe(before);
  });

  test('abort ends the session at any step, and undoes nothing', async () => {
    const { world, host } = await at('READY.finish');
    const { session, git } = world.state();
    const { systemMessage } = await typed(host, '/readygate:abort');
    for (const told of [session, `you are on ${git.branch}`, 'git switch main', 'readygate clean']) expect(systemMessage).toContain(told);
    expect(world.bytes()).toBeNull();
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(await host.status()).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'aborted' });
  });

  test('decide is only taken while a decision is waited for', async () => {
    const { world, host } = await at('EXPLORATION');
    const before = world.bytes();
    expect((await typed(host, '/readygate:decide retry')).systemMessage).toContain('nothing waits for a decision');
    expect((await typed(host, '/readygate:decide maybe')).systemMessage).toContain('retry, accept or abort');
    expect(world.bytes()).toBe(before);
  });

  test('decide carries out what the user decided', async () => {
    const { world, host } = await at('POST_IMPL_VERIFY', '--fast --no-doc -ni add a greeting');
    const red = { passed: false, details: 'red' };
    const retry = { tasks: [{ id: 'greet', description: 'again', status: 'pending' }] };
    for (let failures = 0; failures < 6; failures++) {
      const answer = await host.submit(red);
      if (failures < 5) await walk(world, host, answer, { replies: { 'READY.plan': retry }, until: 'POST_IMPL_VERIFY' });
    }
    expect((await typed(host, '/readygate:decide accept good enough')).systemMessage).toContain('decided accept');
    expect(world.state()).toMatchObject({ phase: 'PRE_COMMIT', accepted_unverified: true });
    expect(world.journal(world.state().session).at(-1)).toMatchObject({ decision: 'accept', by: 'person' });
  });

  test('without a session the commands say so', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    expect((await typed(host, '/readygate:override x')).systemMessage).toContain('no session is active');
    expect(await typed(host, 'just do it')).toEqual({});
  });
});

test('a second task beside an active session is answered with the ways on; a word without one, or about the same, is not', async () => {
  const { world, host } = await at('EXPLORATION');
  const { session } = world.state();
  const before = world.bytes();
  const told = (await typed(host, '/readygate:code --fast mend the --clean flag')).systemMessage;
  expect(told).toContain(`session ${session} is still active here, in EXPLORATION (step 5 of 19): add a greeting`);
  expect(told).toMatch(/\/readygate:abort.*\/readygate:code --clean/);
  for (const prompt of ['/readygate:code', `/readygate:pipeline ${session}`, '/readygate:code --rebuild', '/readygate:status'])
    expect(await typed(host, prompt), prompt).toEqual({});
  expect(world.bytes()).toBe(before);
  await typed(host, '/readygate:abort');
  expect(await typed(host, '/readygate:code add a farewell')).toEqual({});
});

describe('in a second window of the work tree, the ways that are named work', () => {
  async function second(): Promise<{ world: World; other: Host; say: (prompt: string) => Promise<string> }> {
    const { world } = await at('EXPLORATION');
    const other = await world.host({ owner: 'claude-2' });
    return { world, other, say: async (prompt) => (await typed(other, prompt, 'claude-2')).systemMessage ?? '' };
  }

  test('to begin another: --clean ends the session, and no word is named that is refused here', async () => {
    const { world, other, say } = await second();
    const told = await say('/readygate:code add a farewell');
    expect(told).toContain('of another Claude session');
    expect(told).toContain('/readygate:code --clean');
    expect(told).not.toContain('/readygate:abort');
    expect(await say('/readygate:code --clean')).not.toContain('/readygate:abort');
    expect((await other.start('--clean')).error).toBeUndefined();
    expect(world.bytes()).toBeNull();
    expect((await other.start('--fast add a farewell')).error).toBeUndefined();
  });

  test.each(['abort', 'override it is urgent'])('for %s: the session is taken over, and then it is heard', async (word) => {
    const { world, other, say } = await second();
    const before = world.bytes();
    expect(await say(`/readygate:${word}`)).toMatch(/get_session_status.*\/readygate:code --clean.*readygate clean/);
    expect(world.bytes()).toBe(before);
    const now = await other.status();
    await other.submit(usualReply(world, now));
    expect(await say(`/readygate:${word}`)).not.toContain('another Claude session');
    expect(world.bytes() === null || world.state().gate === 'open').toBe(true);
  });
});

describe('flags that the user did not type', () => {
  test('are dropped with a warning once prompts are heard', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await typed(host, '/readygate:code --no-doc add a greeting');
    const answer = await host.start('--no-doc --quick --gate=full add a greeting');
    expect(answer.warnings.join()).toContain("--quick is not in the user's own prompt");
    expect(answer.warnings.join()).not.toContain('--no-doc is not in');
    expect(answer.warnings.join()).not.toContain('--quick wins');
    expect(world.state()).toMatchObject({ phase: 'QUERY_FRAME', flags: { quick: false, 'no-doc': true, gate: 'full' } });
  });

  test('are taken as given where no hook reports prompts', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await host.start('--quick add a greeting');
    expect(world.state()).toMatchObject({ flags: { quick: true } });
  });

  test('a prompt counts for one session only', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await typed(host, '/readygate:code --no-doc --quick a');
    await host.start('--no-doc --quick a');
    await typed(host, '/readygate:abort');
    const answer = await host.start('--no-doc --quick b');
    expect(answer.warnings.filter((warning) => warning.includes('dropped'))).toHaveLength(2);
  });

  test('--clean of an active session is carried out when the user typed it, and refused when the model made it up', async () => {
    const { world, host } = await at('EXPLORATION');
    expect(await host.start('--clean')).toMatchObject({ error: 'guard_blocked' });
    const { session } = world.state();
    const told = (await typed(host, '/readygate:code --clean')).systemMessage;
    expect(told).toContain(`session ${session} (EXPLORATION, step 5) ends once the agent carries this out`);
    expect(await host.start('--clean')).not.toHaveProperty('error');
    expect(world.bytes()).toBeNull();
  });
});

describe('a turn that ends while the session waits for the model', () => {
  const stop = (host: Host, active = false, session_id = 'claude-1') =>
    hook(host, 'on_stop', { session_id, stop_hook_active: String(active) });

  test('is told in whole sentences, and in words that are plain to a user who reads them, too', async () => {
    const { host } = await at('QUERY_FRAME', '--no-doc slug must drop punctuation');
    const { reason } = await stop(host);
    expect(reason).toMatch(/^Readygate: the session is not finished; the agent goes on: QUERY_FRAME \(step 4\)\./);
    expect(reason).toContain('slug must drop punctuation. Then the agent calls submit_phase.');
  });

  test('goes on once, with the present instruction', async () => {
    const { host } = await at('EXPLORATION');
    expect(await stop(host)).toMatchObject({ decision: 'block', reason: expect.stringContaining('Explore before you plan') });
    expect(await stop(host, true)).toEqual({});
    expect(await stop(host)).toEqual({});
  });

  test('goes on again after progress', async () => {
    const { host } = await at('EXPLORATION');
    await stop(host);
    await host.submit({ explored_files: ['readme.md'], findings: ['x'] });
    expect(await stop(host, true)).toMatchObject({ decision: 'block' });
  });

  test('ends when another Claude session owns the work, when the user is waited for, and without a session', async () => {
    const { host } = await at('EXPLORATION');
    const { world: other } = await at('EXPLORATION');
    const foreign = await other.host({ owner: 'claude-2' });
    expect(await stop(foreign, false, 'claude-2')).toEqual({});
    const idle = await new World().host({ owner: 'claude-1' });
    expect(await stop(idle)).toEqual({});
    expect(await stop(host)).toMatchObject({ decision: 'block' });
  });

  test('ends after a restart when it was continued before', async () => {
    const { world } = await at('EXPLORATION');
    const again = await world.host({ owner: 'claude-1' });
    expect(await stop(again, true)).toEqual({});
  });
});

describe('what changes between the typed command and the session', () => {
  const command = '/readygate:code --fast --no-verify --no-doc add a greeting';

  test('is said, and is the session’s to review; what was the user’s before stays theirs', async () => {
    const world = new World();
    world.box.write('notes.txt', 'mine\n');
    world.box.write('draft.txt', 'mine, too\n');
    const host = await world.host({ owner: 'claude-1' });
    await typed(host, command);
    world.box.write('early.txt', 'too early\n');
    world.box.write('draft.txt', 'edited by the agent\n');
    const begun = await host.start('--fast --no-verify --no-doc add a greeting');
    expect(begun.warnings.join(' ')).toMatch(/2 files changed after .* draft\.txt, early\.txt/);
    const at = await walk(world, host, begun, { until: 'PRE_COMMIT' });
    expect(at.answer.instruction).toContain('(3)');
    expect(at.answer.instruction).toMatch(/draft\.txt \(added\).*dirty before the session/);
    expect(at.answer.instruction).toContain('- early.txt (added)');
    const reviewed_files = ['draft.txt', 'early.txt', 'hello.txt'];
    const { answer } = await walk(world, host, await host.submit({ reviewed_files, commit_message: 'Add' }));
    expect(answer.outcome).toBe('completed');
    expect(world.box.status()).toBe('?? notes.txt\n');
  });

  test('counts once, and not where the user committed meanwhile', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await typed(host, command);
    world.box.write('mine.txt', 'mine\n');
    world.box.commit('theirs');
    world.box.write('other.txt', 'mine, too\n');
    expect((await host.start('--fast add a greeting')).warnings.join(' ')).not.toContain('changed after');
  });
});

/** After a restore that went wrong: something else lies where a folder or a file belongs. */
const misplaced: [string, (world: World, session: string) => void][] = [
  ['the journal is a folder', (world, session) => replace(world.path('sessions', session, 'journal.jsonl'), 'folder')],
  ["the session's folder is a file", (world, session) => replace(world.path('sessions', session), 'file')],
  ['the folder of sessions is a file', (world) => replace(world.path('sessions'), 'file')],
];

function replace(place: string, by: 'file' | 'folder'): void {
  rmSync(place, { recursive: true });
  if (by === 'file') writeFileSync(place, 'x\n');
  else mkdirSync(place);
}

describe.each(misplaced)('%s', (_name, damage) => {
  test.each(['abort', 'clean'])('%s still ends the session, and another can begin', async (how) => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    const { session_id: session } = await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    damage(world, session);
    if (how === 'abort') expect((await typed(host, '/readygate:abort')).systemMessage).toContain(session);
    else {
      await typed(host, '/readygate:code --clean');
      expect((await host.start('--clean')).error).toBeUndefined();
    }
    // Put away, or marked as over where there is no place to put it.
    expect(world.bytes() ?? 'SESSION_COMPLETE').toContain('SESSION_COMPLETE');
    rmSync(world.path('sessions'), { recursive: true, force: true });
    expect((await host.start('--no-doc again')).error).toBeUndefined();
  });
});
