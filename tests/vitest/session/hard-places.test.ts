import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cleanCommand } from '../../../mcp-server/src/cli/clean.ts';
import { letGo } from '../../../mcp-server/src/state/let-go.ts';
import { terminal } from '../cli/program.ts';
import { emptyFolder, makeRepository, Sandbox } from '../git/sandbox.ts';
import { sessionAt, usualReply, World, walk } from './world.ts';

/** A place where no session with a branch can begin, what the answer must say, and whether git serves there at all. */
const places: [string, () => World, RegExp][] = [
  ['a folder without git', () => new World(new Sandbox(emptyFolder('plain'))), /not in a git repository.*git init/],
  [
    'a detached HEAD',
    () => {
      const world = new World();
      world.box.git('switch', '-q', '--detach');
      return world;
    },
    /detached.*git switch/,
  ],
  [
    'a branch without a commit',
    () => {
      const box = new Sandbox(emptyFolder('unborn'));
      box.git('init', '-q', '-b', 'main');
      return new World(box);
    },
    /no commit yet.*git commit/,
  ],
  [
    'a merge that is not finished',
    () => {
      const world = new World();
      world.box.git('switch', '-q', '-c', 'other');
      world.box.write('readme.md', 'other\n');
      world.box.commit('other');
      world.box.git('switch', '-q', 'main');
      world.box.write('readme.md', 'main\n');
      world.box.commit('main');
      spawnSync('git', ['merge', 'other'], { cwd: world.root });
      return world;
    },
    /merge is in progress.*git merge --abort/,
  ],
];

describe('where no branch can be made', () => {
  test.each(places)('%s: a session that needs one is refused with what to do, and leaves nothing', async (_name, make, message) => {
    const world = make();
    const host = await world.host();
    const answer = await host.start('add a greeting');
    expect(answer).toMatchObject({ error: 'git_failed', session_id: null, message: expect.stringMatching(message) });
    expect(world.sessions()).toEqual([]);
    expect(world.bytes()).toBeNull();
  });

  test.each(places)('%s: quick, verification and investigation work', async (_name, make) => {
    const world = make();
    const host = await world.host();
    expect((await walk(world, host, await host.start('--quick add a greeting'))).answer.outcome).toBe('completed');
    expect((await walk(world, host, await host.start('--only-verify'))).answer.outcome).toBe('verified');
    expect((await walk(world, host, await host.start('what is this?', { intent: 'QUESTION' }))).answer.outcome).toBe('investigated');
    expect(world.box.read('hello.txt')).toBe('hello\n');
  });

  test('a bare repository is refused for every kind of session', async () => {
    const box = new Sandbox(emptyFolder('bare'));
    box.git('init', '-q', '--bare');
    const world = new World(box);
    const host = await world.host();
    for (const request of ['add a greeting', '--quick add', '--only-verify', '--only-explore look']) {
      expect(await host.start(request)).toMatchObject({ error: 'git_failed', message: expect.stringMatching(/bare.*git worktree add/) });
    }
    expect(existsSync(world.path())).toBe(false);
  });

  test('without the git program, quick works and everything else says what to install', async () => {
    const world = new World();
    const nowhere = emptyFolder('no programs');
    const host = await world.host({ env: { PATH: nowhere }, project: `${world.root}` });
    expect(await host.start('add a greeting')).toMatchObject({ error: 'git_failed', message: expect.stringMatching(/--quick/) });
    const { answer } = await walk(world, host, await host.start('--quick add a greeting'));
    expect(answer.outcome).toBe('completed');
  });

  test('without the git program a session is found again from a folder inside', async () => {
    const world = new World();
    mkdirSync(join(world.root, 'deep'));
    const env = { PATH: emptyFolder('no programs') };
    const host = await world.host({ env, project: join(world.root, 'deep') });
    const started = await host.start('--only-verify');
    await host.close();
    const other = await world.host({ env, project: join(world.root, 'deep') });
    expect((await other.status()).session_id).toBe(started.session_id);
  });
});

describe('names', () => {
  test.each(['with space', `quo"te's`, 'new\nline', '日本語', '-dash', '$(touch pwned)', '100%25', 'back\\slash'])(
    'a project folder may be called %j',
    async (name) => {
      const folder = join(emptyFolder('names'), name);
      mkdirSync(folder);
      const world = new World(makeRepository({ 'readme.md': 'x\n' }, folder));
      const host = await world.host();
      const { answer } = await walk(world, host, await host.start('--fast add a greeting'));
      expect(answer.outcome).toBe('completed');
      expect(world.box.status()).toBe('');
      expect(world.box.branches()).toEqual(['main']);
    },
  );

  test('a base branch may have a name with slashes, quotes and Japanese', async () => {
    const world = new World();
    world.box.git('switch', '-q', '-c', `feature/"日本'語"`);
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start('--fast add a greeting'));
    expect(answer.outcome).toBe('completed');
    expect(world.box.branch()).toBe(`feature/"日本'語"`);
  });

  test('a request may hold line breaks, quotes, braces and Japanese', async () => {
    const world = new World();
    const host = await world.host({ lenient: true });
    const request = '--fast add "{task}" and {reason}\nと日本語も `$(x)` \u0007 \u{1F600}';
    const started = await host.start(request);
    expect(world.state().request).toBe(request);
    const { answer } = await walk(world, host, started);
    expect(answer.outcome).toBe('completed');
    expect(world.box.line('log', '-1', '--format=%s')).toContain('{task}');
  });
});

const PAYLOAD = { explored_files: ['readme.md'], findings: ['x'] };

/** A world on a small file system of its own, or null where none can be mounted. */
function mounted(size: string): { world: World; remount: (how: string) => void } | null {
  const folder = emptyFolder('mount');
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'readygate-test', folder]).status !== 0) return null;
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  const world = new World(makeRepository({ 'readme.md': 'hello\n' }, folder));
  return { world, remount: (how) => execFileSync('mount', ['-o', `remount,${how}`, folder]) };
}

const canMount = (() => {
  const folder = emptyFolder('try mount');
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'readygate-test', folder]).status === 0;
  if (done) execFileSync('umount', [folder]);
  else console.log('skipped: full disk and read-only folder, because no file system can be mounted here');
  return done;
})();

/** Fills a file system to its last byte. */
function fill(world: World): () => void {
  const file = join(world.root, '.git', 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=4096'], { stdio: 'ignore' });
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1', 'oflag=append', 'conv=notrunc', 'count=8192'], { stdio: 'ignore' });
  return () => rmSync(file);
}

/** Everything below .readygate but the lock, by name. */
const listing = (world: World): string[] =>
  (readdirSync(world.path(), { recursive: true }) as string[]).filter((name) => !name.includes('.lock')).sort();

describe.skipIf(!canMount)('a full disk', () => {
  test('starts no session and leaves nothing of one', async () => {
    const place = mounted('8m');
    if (!place) return;
    const { world } = place;
    const host = await world.host();
    const free = fill(world);
    const answer = await host.start('--no-doc add a greeting');
    expect(['storage_failed', 'git_failed']).toContain(answer.error);
    expect(answer.message).toMatch(/ENOSPC|No space left/i);
    expect(world.sessions()).toEqual([]);
    expect(world.bytes()).toBeNull();
    free();
    expect((await host.start('--no-doc add a greeting')).phase).toBe('QUERY_FRAME');
  });

  test('refuses a submission, keeps the state byte for byte, and takes the same payload when there is room', async () => {
    const place = mounted('8m');
    if (!place) return;
    const { world } = place;
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const before = world.bytes();
    const names = listing(world);
    const free = fill(world);
    const answer = await host.submit(PAYLOAD);
    expect(answer).toMatchObject({ error: 'storage_failed', phase: 'EXPLORATION', message: expect.stringContaining('ENOSPC') });
    expect(world.bytes()).toBe(before);
    expect(listing(world)).toEqual(names);
    expect((await host.status()).phase).toBe('EXPLORATION');
    free();
    expect((await host.submit(PAYLOAD)).phase).toBe('Q1');
  });

  test.each(['abort', 'clean'])('locks nobody out: %s ends the session by renaming alone', async (how) => {
    const place = mounted('8m');
    if (!place) return;
    const { world } = place;
    const host = await world.host({ owner: 'claude-1' });
    const { session_id: session } = await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const state = world.bytes();
    const free = fill(world);
    const typed = async (prompt: string): Promise<string> => {
      const { content } = await host.client.callTool({ name: 'on_prompt', arguments: { prompt, session_id: 'claude-1' } });
      return (JSON.parse((content as [{ text: string }])[0].text) as { systemMessage: string }).systemMessage;
    };
    expect(await typed('/readygate:override the disk is full')).toContain('ENOSPC');
    expect(world.bytes()).toBe(state);
    if (how === 'abort')
      expect(await typed('/readygate:abort')).toMatch(/ended as aborted[\s\S]*ENOSPC[\s\S]*no summary.md[\s\S]*state\.json/);
    else {
      const { context } = terminal(world.root, ['clean']);
      const done = await cleanCommand.run([], context);
      expect(done).toMatchObject({ code: 0, text: expect.stringMatching(/ended as aborted[\s\S]*ENOSPC[\s\S]*clean again/) });
    }
    expect(world.bytes()).toBeNull();
    expect(readFileSync(world.path('sessions', String(session), 'state.json'), 'utf8')).toBe(state);
    expect(await host.status()).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'aborted' });
    free();
    expect((await host.start('add a greeting')).error).toBeUndefined();
  });

  test('in the middle of a commit or a merge loses nothing, and the session goes on to one commit', async () => {
    const place = mounted('8m');
    if (!place) return;
    const { world } = place;
    const host = await world.host();
    let at = await sessionAt(world, host, 'PRE_COMMIT', '--fast --no-verify --no-doc add a greeting');
    for (const place of ['PRE_COMMIT', 'MERGE']) {
      expect(at.phase).toBe(place);
      const data = usualReply(world, at);
      const before = world.bytes();
      const free = fill(world);
      const refused = await host.submit(data);
      expect(['storage_failed', 'git_failed']).toContain(refused.error);
      expect(world.bytes()).toBe(before);
      free();
      // Git itself may leave an empty file where it could not write one; the answer names it.
      if (world.box.branch() === 'main' && world.box.has('hello.txt')) world.box.remove('hello.txt');
      at = await host.submit(usualReply(world, await host.status()));
      expect(at.error, at.message).toBeUndefined();
    }
    expect(at.outcome).toBe('completed');
    expect(
      world.box
        .line('log', '--format=%s')
        .split('\n')
        .filter((line) => line === 'Add a greeting'),
    ).toHaveLength(1);
    expect(world.box.read('hello.txt')).toBe('hello\n');
    expect(world.box.status()).toBe('');
  });
});

describe('a state that can only be taken away', () => {
  test('is removed where its place in the session is taken, and left alone when it is of another session', async () => {
    const world = new World();
    const host = await world.host();
    const { session_id } = await sessionAt(world, host, 'EXPLORATION');
    const session = String(session_id);
    const before = world.bytes();
    expect(await letGo(world.root, 'another-session')).toBeNull();
    expect(world.bytes()).toBe(before);
    mkdirSync(world.path('sessions', session, 'state.json'));
    expect(await letGo(world.root, session)).toEqual({ how: 'removed', place: world.path('sessions', session) });
    expect(world.bytes()).toBeNull();
    expect(existsSync(world.path('state.json.lock'))).toBe(false);
    expect(await letGo(world.root, session)).toBeNull();
  });
});

describe.skipIf(!canMount)('a read-only folder', () => {
  test('answers the status, refuses everything that writes, and goes on when it is writable again', async () => {
    const place = mounted('8m');
    if (!place) return;
    const { world, remount } = place;
    const host = await world.host({ person: () => 'clean' });
    remount('ro');
    expect((await host.start('--no-doc add a greeting')).message).toMatch(/EROFS|read-only/i);
    expect((await host.start('--clean')).error).toBeUndefined();
    remount('rw');
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const before = world.bytes();
    remount('ro');
    expect((await host.status()).phase).toBe('EXPLORATION');
    expect(await host.submit(PAYLOAD)).toMatchObject({
      error: 'storage_failed',
      phase: 'EXPLORATION',
      message: expect.stringContaining('EROFS'),
    });
    expect((await host.start('--clean')).error).toBe('storage_failed');
    expect((await host.submit({ explored_files: [] })).error).toBe('storage_failed');
    expect(world.bytes()).toBe(before);
    remount('rw');
    expect((await host.submit(PAYLOAD)).phase).toBe('Q1');
  });
});

describe('a .readygate that is no folder', () => {
  test('is refused and left alone', async () => {
    const world = new World();
    writeFileSync(join(world.root, '.readygate'), 'mine');
    const host = await world.host();
    const answer = await host.start('add a greeting');
    expect(answer.error).toBe('storage_failed');
    expect(world.box.read('.readygate')).toBe('mine');
  });
});
