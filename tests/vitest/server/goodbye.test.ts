import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, usualReply, World, walk } from '../session/world.ts';
import { RawServer } from './raw.ts';

const SHORT = '--fast --no-verify --no-doc add a greeting';

/** A commit hook that says when it runs and then waits for us: the call is certainly under way. */
class HeldCommit {
  readonly world = new World();
  readonly #started = join(emptyFolder('pipes'), 'started');
  readonly #go = join(emptyFolder('pipes'), 'go');

  /** A session at PRE_COMMIT, and a new server that is in the middle of the commit. */
  static async begin(): Promise<{ held: HeldCommit; server: RawServer; call: number; before: string | null }> {
    const held = new HeldCommit();
    const { world } = held;
    execFileSync('mkfifo', [held.#started, held.#go]);
    const host = await world.host();
    const answer = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    await host.close();
    world.box.hook('pre-commit', `echo started > '${held.#started}'\nread line < '${held.#go}'`);
    const server = new RawServer({ project: world.root });
    await server.initialize();
    const before = world.bytes();
    const call = server.call('submit_phase', { data: usualReply(world, answer) });
    await readFile(held.#started);
    return { held, server, call, before };
  }

  /** Lets the hook succeed. */
  release(): Promise<void> {
    return writeFile(this.#go, 'go\n');
  }

  /** Nothing of the interrupted call is left, and a new server walks the session to its merge with one commit. */
  async endsWell(): Promise<void> {
    const { world } = this;
    world.box.unhook('pre-commit');
    expect(readdirSync(world.path()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(readdirSync(join(world.root, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([]);
    const host = await world.host();
    const { answer } = await walk(world, host, await host.status());
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    expect(
      world.box
        .line('log', '--format=%s', 'main')
        .split('\n')
        .filter((line) => line === 'Add a greeting'),
    ).toHaveLength(1);
    expect(world.box.status()).toBe('');
    expect(world.box.branches()).toEqual(['main']);
    expect(existsSync(world.path('state.json.lock'))).toBe(false);
  }
}

const goodbyes: [string, (server: RawServer) => void][] = [
  ['SIGINT', (server) => server.child.kill('SIGINT')],
  ['SIGTERM', (server) => server.child.kill('SIGTERM')],
  ['SIGHUP', (server) => server.child.kill('SIGHUP')],
  ['closed standard input', (server) => server.child.stdin.end()],
  [
    'a client that is gone with all its pipes',
    (server) => {
      server.child.stdin.destroy();
      server.child.stdout.destroy();
      server.child.stderr.destroy();
    },
  ],
];

describe('a server without work', () => {
  test.each(goodbyes)('ends by itself on %s', async (_name, sayGoodbye) => {
    const server = new RawServer({ project: new World().root });
    await server.initialize();
    sayGoodbye(server);
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe('');
  });

  test('ends when standard input is closed before anything was said', async () => {
    const server = new RawServer({ project: new World().root });
    server.child.stdin.end();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stdout).toBe('');
  });
});

describe('a server in the middle of a commit', () => {
  test.each(goodbyes)('finishes it on %s, ends by itself, and the next server goes on', async (_name, sayGoodbye) => {
    const { held, server } = await HeldCommit.begin();
    sayGoodbye(server);
    await held.release();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(existsSync(held.world.path('state.json.lock'))).toBe(false);
    expect(held.world.state().phase).toBe('MERGE');
    expect(held.world.state().git.commits).toEqual([held.world.box.head()]);
    await held.endsWell();
  });

  test('still answers the call when only standard input is closed', async () => {
    const { held, server, call } = await HeldCommit.begin();
    server.child.stdin.end();
    await held.release();
    await server.exit;
    expect((await server.answer(call)).result?.structuredContent?.phase).toBe('MERGE');
  });

  test('a second SIGINT ends it at once; nothing was committed and the state is as it was', async () => {
    const { held, server, before } = await HeldCommit.begin();
    server.child.kill('SIGINT');
    // Both signals at once would be one: the first is seen when the server no longer waits for the hook alone.
    await server.ask('ping');
    server.child.kill('SIGINT');
    expect(await server.exit).toEqual({ code: 0, signal: null });
    await held.release();
    expect(held.world.bytes()).toBe(before);
    expect(existsSync(held.world.path('state.json.lock'))).toBe(false);
    await held.endsWell();
  });

  test('a server that is killed leaves a session that goes on, with no second commit', async () => {
    const { held, server, before } = await HeldCommit.begin();
    server.child.kill('SIGKILL');
    await server.exit;
    expect(held.world.bytes()).toBe(before);
    await held.release();
    await expect.poll(() => held.world.box.line('log', '-1', '--format=%s'), { timeout: 30_000 }).toBe('Add a greeting');
    // Nobody released the lock; a lock that is older than ten seconds is broken.
    const old = new Date(Date.now() - 11_000);
    utimesSync(held.world.path('state.json.lock'), old, old);
    await held.endsWell();
  });
});

describe('a server that waits for a person', () => {
  test('gives the question up when the client goes, and changes nothing', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'QUERY_FRAME');
    await host.close();
    const before = world.bytes();
    const server = new RawServer({ project: world.root });
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'asks', version: '1' },
    });
    server.send({ method: 'notifications/initialized' });
    server.call('start_session', { request: '--clean', intent: 'IMPLEMENT' });
    await expect.poll(() => server.messages().some(({ method }) => method === 'elicitation/create'), { timeout: 30_000 }).toBe(true);
    server.child.stdin.end();
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(world.bytes()).toBe(before);
  });

  test('gives the question up when the client takes the call back, and goes on serving', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'QUERY_FRAME');
    await host.close();
    const before = world.bytes();
    const server = new RawServer({ project: world.root });
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'asks', version: '1' },
    });
    server.send({ method: 'notifications/initialized' });
    const call = server.call('start_session', { request: '--clean', intent: 'IMPLEMENT' });
    await expect.poll(() => server.messages().some(({ method }) => method === 'elicitation/create'), { timeout: 30_000 }).toBe(true);
    server.send({ method: 'notifications/cancelled', params: { requestId: call, reason: 'the user pressed Escape' } });
    const status = await server.answer(server.call('get_session_status', {}));
    expect(status.result?.structuredContent?.phase).toBe('QUERY_FRAME');
    expect(world.bytes()).toBe(before);
  });
});
