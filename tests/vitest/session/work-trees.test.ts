import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { emptyFolder, makeRepository, Sandbox } from '../git/sandbox.ts';
import { placeOf, sessionAt, usualReply, World, walk } from './world.ts';

/** The same repository in a linked work tree on a branch of its own. */
function linked(world: World, name = 'side'): World {
  const folder = `${emptyFolder('linked')}/tree of ${name}`;
  world.box.git('worktree', 'add', '-q', '-b', name, folder);
  return new World(new Sandbox(folder), world.edits);
}

describe('a repository that git refuses', () => {
  test('is not taken for a plain folder: no session begins, in git’s own words', async () => {
    const world = new World();
    world.box.write('.git/config', '[core\n');
    const refused = await (await world.host()).start('--fast --no-doc add a greeting');
    expect(refused).toMatchObject({ error: 'git_failed', message: expect.stringContaining('bad config') });
    expect(existsSync(world.path())).toBe(false);
  });
});

describe('a session in a linked work tree', () => {
  test('begun through work_tree has its own state, and the server finds it without its id', async () => {
    const world = new World();
    const side = linked(world);
    const host = await world.host();
    const started = await host.start('--fast add a greeting', { work_tree: side.root });
    expect(started.phase).toBe('DOCUMENT_RESEARCH');
    expect(existsSync(side.path('state.json'))).toBe(true);
    expect(existsSync(world.path())).toBe(false);
    const { answer } = await walk(side, host, started);
    expect(answer.outcome).toBe('completed');
    expect(side.box.branch()).toBe('side');
    expect(side.box.read('hello.txt')).toBe('hello\n');
    expect(world.box.branch()).toBe('main');
    expect(world.box.has('hello.txt')).toBe(false);
  });

  test('is found by a new server of the same Claude session, and by any server with its id', async () => {
    const world = new World();
    const side = linked(world);
    const first = await world.host({ owner: 'me' });
    const started = await first.start('--no-doc add a greeting', { work_tree: side.root });
    await first.close();
    const mine = await world.host({ owner: 'me' });
    expect(placeOf(await mine.status())).toBe('QUERY_FRAME');
    const other = await world.host({ owner: 'somebody else' });
    expect((await other.status()).error).toBe('no_session');
    const submitted = await other.submit(usualReply(side, started), { session_id: started.session_id });
    expect(submitted.phase).toBe('REQUEST_UNDERSTANDING');
    expect(side.state().owner).toBe('somebody else');
  });

  test('of somebody else is never touched without its id', async () => {
    const world = new World();
    const side = linked(world);
    const theirs = await side.host({ owner: 'they' });
    const at = await sessionAt(side, theirs, 'EXPLORATION', '--no-doc add a greeting');
    const before = side.bytes();
    const host = await world.host({ owner: 'me', person: () => 'clean' });
    const explored = { explored_files: ['readme.md'], findings: ['x'] };
    expect((await host.submit(explored)).error).toBe('no_session');
    expect((await host.status()).error).toBe('no_session');
    expect((await host.start('--clean')).error).toBeUndefined();
    expect(side.bytes()).toBe(before);
    // It does not even count as one of ours after ours has ended.
    await walk(world, host, await host.start('--only-verify'));
    expect((await host.submit(explored)).error).toBe('session_complete');
    expect(side.bytes()).toBe(before);
    expect((await theirs.submit(explored)).session_id).toBe(at.session_id);
  });

  test("does not hide the host's own session, and each keeps to its own work tree", async () => {
    const world = new World();
    const side = linked(world);
    const host = await world.host({ owner: 'me' });
    const here = await host.start('--fast --no-doc add a greeting');
    const there = await host.start('--fast --no-doc add a greeting', { work_tree: side.root });
    expect(there.error).toBeUndefined();
    expect((await host.status()).session_id).toBe(here.session_id);
    expect((await host.status({ session_id: there.session_id })).session_id).toBe(there.session_id);
    let answer = there;
    while (answer.phase !== 'SESSION_COMPLETE') answer = await host.submit(usualReply(side, answer), { session_id: there.session_id });
    expect(answer.outcome).toBe('completed');
    expect(placeOf(await host.status())).toBe('QUERY_FRAME');
    expect((await walk(world, host, await host.status())).answer.outcome).toBe('completed');
    expect(world.box.branches()).toEqual(['main', 'side']);
  });

  test('its task branch is not stale for a session in another work tree', async () => {
    const world = new World();
    const side = linked(world);
    const theirs = await side.host();
    await sessionAt(side, theirs, 'READY.implement', '--fast --no-doc add a greeting');
    const host = await world.host();
    expect((await host.start('another')).phase).toBe('DOCUMENT_RESEARCH');
  });

  test('is found with its id although the state of the host folder is damaged', async () => {
    const world = new World();
    const side = linked(world);
    const theirs = await side.host();
    const started = await theirs.start('--no-doc add a greeting');
    world.box.write('.readygate/state.json', 'damaged');
    const host = await world.host();
    expect((await host.status()).error).toBe('state_corrupt');
    expect((await host.status({ session_id: started.session_id })).phase).toBe('QUERY_FRAME');
  });
});

describe('a submodule', () => {
  test('has a session of its own, which the server that began it finds again', async () => {
    const world = new World();
    const library = makeRepository({ 'lib.txt': 'lib\n' });
    world.box.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.root, 'lib');
    world.box.commit('add lib');
    const inner = new World(new Sandbox(`${world.root}/lib`), world.edits);
    inner.box.git('config', 'user.name', 'Test Person');
    inner.box.git('config', 'user.email', 'test@example.com');
    const host = await world.host();
    const started = await host.start('--fast add a greeting', { work_tree: inner.root });
    expect(existsSync(inner.path('state.json'))).toBe(true);
    const { answer } = await walk(inner, host, started);
    expect(answer.outcome).toBe('completed');
    expect(inner.box.read('hello.txt')).toBe('hello\n');
    expect(inner.box.branch()).toBe('main');
  });

  test('that is dirty does not keep a session of the repository around it from its merge', async () => {
    const world = new World();
    const library = makeRepository({ 'lib.txt': 'lib\n' });
    world.box.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.root, 'lib');
    world.box.commit('add lib');
    world.box.write('lib/lib.txt', 'changed by the user\n');
    const host = await world.host();
    const replies = { PRE_COMMIT: { reviewed_files: ['hello.txt'], commit_message: 'Add a greeting' } };
    const { answer } = await walk(world, host, await host.start('--fast add a greeting'), { replies });
    expect(answer.outcome).toBe('completed');
    expect(world.box.read('lib/lib.txt')).toBe('changed by the user\n');
  });
});

describe('work_tree', () => {
  test('that is no absolute path of a folder is refused', async () => {
    const host = await new World().host();
    for (const work_tree of ['relative/path', '.', '', '/no/such/folder', '~']) {
      expect(await host.start('add a greeting', { work_tree }), work_tree).toMatchObject({
        error: 'bad_arguments',
        message: expect.stringContaining('work_tree'),
      });
    }
  });

  test('may not be a file', async () => {
    const world = new World();
    const host = await world.host();
    expect((await host.start('add a greeting', { work_tree: `${world.root}/readme.md` })).error).toBe('bad_arguments');
  });

  test('may be a folder inside the work tree, or a link to it', async () => {
    const world = new World();
    world.box.write('deep/file.txt', 'x\n');
    const host = await world.host({ project: emptyFolder('elsewhere') });
    const started = await host.start('--only-verify', { work_tree: `${world.root}/deep` });
    expect(world.state().session).toBe(started.session_id);
    expect((await walk(world, host, started)).answer.outcome).toBe('verified');
  });
});
