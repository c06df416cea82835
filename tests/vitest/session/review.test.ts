import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AWKWARD_NAMES, makeRepository } from '../git/sandbox.ts';
import { placeOf, sessionAt, usualReply, World, walk } from './world.ts';

const SHORT = '--fast --no-verify --no-doc add a greeting';

describe('the review before the commit', () => {
  test('must name every changed file and no other', async () => {
    const world = new World(undefined, { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const host = await world.host();
    await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const before = world.bytes();
    const missing = await host.submit({ reviewed_files: ['a.txt'], commit_message: 'x' });
    expect(missing).toMatchObject({ error: 'guard_blocked', guard: 'RG16', phase: 'PRE_COMMIT' });
    expect(missing.problems?.[0]?.message).toContain('b.txt');
    const extra = await host.submit({ reviewed_files: ['a.txt', 'b.txt', 'readme.md'], commit_message: 'x' });
    expect(extra.problems?.[0]?.message).toContain('readme.md');
    expect((await host.submit({ reviewed_files: ['a.txt', 'b.txt', 'a.txt'], commit_message: 'x' })).error).toBe('guard_blocked');
    expect(world.bytes()).toBe(before);
    expect(world.journal(world.state().session).filter((line) => line.event === 'block')).toHaveLength(3);
    const good = await host.submit({ reviewed_files: ['./a.txt', `${world.root}/b.txt`], commit_message: 'x' });
    expect(good.phase).toBe('MERGE');
  });

  test('takes names from the folder that the host was started in, where nothing else is meant by them', async () => {
    const files = { 'packages/app/x.js': 'x\n', 'packages/app/drop.js': 'd\n', 'y.js': 'y\n', 'packages/app/y.js': 'y\n' };
    const world = new World(undefined, files);
    world.box.write('packages/app/README.md', 'there\n');
    world.box.commit('a package');
    const host = await world.host({ project: `${world.root}/packages/app` });
    await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const drop = { path: './drop.js', decision: 'discard', reason: 'a leftover' };
    const short = await host.submit({ reviewed_files: ['x.js', drop, 'y.js', 'z.js'], commit_message: 'x' });
    expect(short.problems?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/packages\/app\/y\.js$/),
      expect.stringMatching(/: z\.js\. Name .* from the top/),
    ]);
    const good = await host.submit({ reviewed_files: ['x.js', drop, 'y.js', 'packages/app/y.js'], commit_message: 'x' });
    expect(good.phase).toBe('MERGE');
    expect(world.box.committed()).toEqual(['packages/app/x.js', 'packages/app/y.js', 'y.js']);
    expect(world.box.has('packages/app/drop.js')).toBe(false);
  });

  test('a discarded file is saved in the session folder, then undone, and the answer says where it is', async () => {
    const world = new World(undefined, { 'keep.txt': 'keep\n', 'drop.txt': 'drop\n', 'readme.md': 'worse\n' });
    const host = await world.host();
    await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const reviewed_files = [
      'keep.txt',
      { path: 'drop.txt', decision: 'discard', reason: 'a leftover' },
      { path: 'readme.md', decision: 'discard', reason: 'not asked for' },
    ];
    const answer = await host.submit({ reviewed_files, commit_message: 'Keep' });
    expect(answer.phase).toBe('MERGE');
    expect(world.box.committed()).toEqual(['keep.txt']);
    expect(world.box.has('drop.txt')).toBe(false);
    expect(world.box.read('readme.md')).toBe('hello\n');
    const folder = /kept in (\S.*?)\.\n/.exec(answer.instruction)?.[1] ?? '';
    expect(folder.startsWith(world.path('sessions', answer.session_id, 'discarded'))).toBe(true);
    expect(readFileSync(`${folder}/files/drop.txt`, 'utf8')).toBe('drop\n');
    expect(readFileSync(`${folder}/files/readme.md`, 'utf8')).toBe('worse\n');
    expect(readdirSync(folder).sort()).toEqual(['changes.patch', 'discarded.json', 'files']);
    // The user finds all of it again in the end.
    const end = await host.submit({});
    const kept = world.path('sessions', answer.session_id, 'summary.md');
    expect(end.instruction).toContain(kept);
    const summary = readFileSync(kept, 'utf8');
    expect(summary).toContain(folder);
    expect(summary).toContain(`Merge ${world.box.head().slice(0, 12)}`);
  });

  test('files that were ignored at the start are the user’s: no shorter .gitignore has them reviewed or undone; one may be named', async () => {
    const world = new World(undefined, { '.gitignore': '*.tmp\n', 'a.txt': 'a\n' });
    world.box.write('.gitignore', '.env\ndeps/\n');
    world.box.commit('ignore');
    for (const name of ['.env', 'deps/x/i.js']) world.box.write(name, 'theirs\n');
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-verify --no-quality --no-doc --no-pre-planning add a greeting');
    world.box.write('.gitignore', '');
    const blocked = await host.submit({ explored_files: ['readme.md'], findings: ['x'] });
    expect([blocked.guard, blocked.problems?.length]).toEqual(['RG13', 1]);
    await host.submit({ resolve_changes: 'undo' });
    expect(['.env', 'deps/x/i.js', '.gitignore'].map((name) => world.box.read(name))).toEqual(['theirs\n', 'theirs\n', '.env\ndeps/\n']);
    const { answer } = await walk(world, host, await host.status(), { until: 'PRE_COMMIT' });
    expect(answer.instruction).toContain('.gitignore (modified)');
    expect(answer.instruction).not.toContain('.env (');
    const named = ['.gitignore', 'a.txt', 'deps/x/i.js'];
    expect((await host.submit({ reviewed_files: named, commit_message: 'x' })).phase).toBe('MERGE');
    expect(world.box.committed()).toEqual(named);
    expect(world.box.read('.env')).toBe('theirs\n');
  });

  test('what changed during the review may be planned for anew, and is then what nothing may change from', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    world.box.write('late.txt', 'late\n');
    expect((await host.submit({ revert_to: 'READY', reason: 'one more' })).phase).toBe('READY');
    const planned = await host.submit({ tasks: [{ id: 'more', description: 'one more', status: 'pending' }] });
    expect([planned.error, planned.step]).toEqual([undefined, 13]);
  });

  test('a discard needs a reason', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const answer = await host.submit({ reviewed_files: [{ path: 'hello.txt', decision: 'discard' }], commit_message: 'x' });
    expect(answer.problems?.[0]).toMatchObject({ pointer: '/reviewed_files/0/reason' });
    expect(world.box.read('hello.txt')).toBe('hello\n');
  });

  test("a discarded file that was dirty before the session becomes the user's version again", async () => {
    const world = new World(undefined, { 'readme.md': 'changed by the session\n' });
    world.box.write('readme.md', 'changed by the user\n');
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    expect(at.instruction).toContain('readme.md (modified) (dirty before the session');
    expect(at.warnings.join()).toContain('readme.md');
    await host.submit({ reviewed_files: [{ path: 'readme.md', decision: 'discard', reason: 'theirs' }], commit_message: 'x' });
    expect(world.box.read('readme.md')).toBe('changed by the user\n');
  });

  test('with nothing changed makes no commit and goes on', async () => {
    const world = new World(undefined, {});
    const host = await world.host();
    const head = world.box.head();
    const { answer } = await walk(world, host, await host.start(SHORT));
    expect(answer.outcome).toBe('nothing_to_do');
    expect(world.box.head()).toBe(head);
    expect(world.box.branches()).toEqual(['main']);
  });

  test('names that would trip a careless program are listed, committed and merged', async () => {
    const world = new World(undefined, Object.fromEntries(AWKWARD_NAMES.map((name) => [name, `${name}\n`])));
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start(SHORT));
    expect(answer.outcome).toBe('completed');
    expect(new Set(world.box.committed('HEAD'))).toEqual(new Set(AWKWARD_NAMES));
    expect(world.box.status()).toBe('');
  });

  test('can send the work back to planning, at most three times', async () => {
    const world = new World();
    const host = await world.host();
    let at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    for (let time = 0; time < 3; time++) {
      const back = await host.submit({ revert_to: 'READY', reason: `spelling ${time}` });
      expect(placeOf(back)).toBe('READY.plan');
      expect(back.instruction).toContain(`spelling ${time}`);
      const tasks = [{ id: `fix${time}`, description: 'mend it', status: 'pending' }];
      at = (await walk(world, host, back, { replies: { 'READY.plan': { tasks } }, until: 'PRE_COMMIT' })).answer;
    }
    expect(await host.submit({ revert_to: 'READY', reason: 'once more' })).toMatchObject({ error: 'guard_blocked', guard: 'RG15' });
    expect((await host.submit(usualReply(world, at))).phase).toBe('MERGE');
  });
});

describe('a file that a script changes during the review', () => {
  test('is not committed unseen: undone with a copy kept, or verified anew', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const data = usualReply(world, at);
    const verified = world.box.read('hello.txt');
    world.box.write('hello.txt', 'slipped in\n');
    const refused = await host.submit(data);
    expect(refused).toMatchObject({ error: 'guard_blocked', guard: 'RG13', step: 17 });
    expect(refused.message).toContain('hello.txt');
    expect((await host.submit({ resolve_changes: 'undo' })).phase).toBe('PRE_COMMIT');
    expect(world.box.read('hello.txt')).toBe(verified);
    world.box.write('hello.txt', 'slipped in again\n');
    expect(placeOf(await host.submit({ revert_to: 'READY', reason: 'it belongs to the work' }))).toBe('READY.plan');
    expect(world.box.read('hello.txt')).toBe('slipped in again\n');
  });
});

describe("the user's commit hook", () => {
  test('that rewrites files and refuses leaves the review where it was', async () => {
    const world = new World();
    world.box.hook('pre-commit', 'echo formatted > hello.txt; exit 1');
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const data = usualReply(world, at);
    expect((await host.submit(data)).error).toBe('git_failed');
    world.box.unhook('pre-commit');
    expect((await host.submit(data)).phase).toBe('MERGE');
    expect(world.box.git('show', 'HEAD:hello.txt').trim()).toBe('formatted');
  });

  test('that refuses is git_failed with its output; nothing is committed, and revert_to READY leads out', async () => {
    const world = new World();
    world.box.hook('pre-commit', 'echo "lint: hello.txt:1 is rude" >&2; exit 1');
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const head = world.box.head();
    const before = world.bytes();
    const refused = await host.submit(usualReply(world, at));
    expect(refused).toMatchObject({ error: 'git_failed', phase: 'PRE_COMMIT', step: 17 });
    expect(refused.message).toContain('lint: hello.txt:1 is rude');
    expect(refused.message).toContain('revert_to');
    expect(world.box.head()).toBe(head);
    expect(world.bytes()).toBe(before);
    expect(world.box.status()).toBe('?? hello.txt\n');
    const back = await host.submit({ revert_to: 'READY', reason: 'the hook is right' });
    expect(placeOf(back)).toBe('READY.plan');
    world.box.unhook('pre-commit');
    const tasks = [{ id: 'polite', description: 'be polite', status: 'pending' }];
    expect((await walk(world, host, back, { replies: { 'READY.plan': { tasks } } })).answer.outcome).toBe('completed');
  });

  test('that passes the second time lets the same payload through', async () => {
    const world = new World();
    world.box.hook('commit-msg', 'exit 3');
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const data = usualReply(world, at);
    expect((await host.submit(data)).error).toBe('git_failed');
    world.box.unhook('commit-msg');
    expect((await host.submit(data)).phase).toBe('MERGE');
  });
});

describe('a git that does not know who commits', () => {
  test('is told with the two commands, and the same payload goes through after them', async () => {
    const world = new World(makeRepository());
    world.box.git('config', '--unset', 'user.name');
    world.box.git('config', '--unset', 'user.email');
    world.box.git('config', 'user.useConfigOnly', 'true');
    const host = await world.host();
    const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
    const data = usualReply(world, at);
    const before = world.bytes();
    const refused = await host.submit(data);
    expect(refused.error).toBe('git_failed');
    expect(refused.message).toMatch(/git config user\.name.*git config user\.email/);
    expect(world.bytes()).toBe(before);
    world.box.git('config', 'user.name', 'Test Person');
    world.box.git('config', 'user.email', 'test@example.com');
    expect((await host.submit(data)).phase).toBe('MERGE');
  });
});

test('a version that was only staged is kept in the session, and told in the answer and the summary', async () => {
  const world = new World(undefined, { sp: 'AGENT\n' });
  world.box.write('sp', 'old\n');
  world.box.write('same', 'old\n');
  world.box.commit('two files');
  for (const name of ['sp', 'same']) world.box.write(name, 'STAGED\n');
  world.box.git('add', 'sp', 'same');
  world.box.write('sp', 'WORK\n');
  const host = await world.host();
  const at = await sessionAt(world, host, 'PRE_COMMIT', SHORT);
  const session = String(at.session_id);
  const after = await host.submit({ reviewed_files: ['sp'], commit_message: 'Change sp' });
  const told = after.warnings?.filter((text: string) => text.includes('staged version')) ?? [];
  expect(told).toEqual([expect.stringContaining('staged version of sp')]);
  const kept = / in (\/.*)$/.exec(told[0] ?? '')?.[1] ?? '';
  expect(kept).toContain(world.path('sessions', session, 'staged'));
  expect(readFileSync(kept, 'utf8')).toBe('STAGED\n');
  const { answer } = await walk(world, host, after);
  expect(answer.outcome, answer.message).toBe('completed');
  expect(world.box.read('sp')).toBe('AGENT\n');
  expect(world.box.git('show', ':same')).toBe('STAGED\n');
  expect(readFileSync(world.path('sessions', session, 'summary.md'), 'utf8')).toContain('staged version of sp');
});

test('what a script stages behind the closed gate is found at the next submission, and taken back', async () => {
  const world = new World();
  world.box.write('readme.md', 'STAGED\n');
  world.box.git('add', 'readme.md');
  world.box.write('readme.md', 'WORK\n');
  const host = await world.host();
  const at = await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
  world.box.git('add', '-A');
  const data = usualReply(world, at);
  const refused = await host.submit(data);
  expect(refused).toMatchObject({ error: 'guard_blocked', guard: 'RG13', step: 5 });
  expect(refused.problems?.[0]?.message).toBe('readme.md (index)');
  const undone = await host.submit({ resolve_changes: 'undo' });
  expect(undone.phase).toBe('EXPLORATION');
  expect(undone.instruction).toContain('staged of these files was put back to what it was: readme.md.');
  expect([world.box.git('show', ':readme.md'), world.box.read('readme.md')]).toEqual(['STAGED\n', 'WORK\n']);
  expect((await host.submit(data)).error).toBeUndefined();
});

test.skipIf(process.platform !== 'linux')('a file whose name is not UTF-8 is never told as committed', async () => {
  const world = new World();
  const host = await world.host();
  await sessionAt(world, host, 'READY.implement', SHORT);
  writeFileSync(Buffer.concat([Buffer.from(`${world.root}/t`), Buffer.from([0xff]), Buffer.from('.js')]), 'x\n');
  const { answer } = await walk(world, host, await host.status(), { until: 'PRE_COMMIT' });
  const after = await host.submit(usualReply(world, answer));
  expect(after.error, after.message).toBeUndefined();
  expect(after.warnings).toContainEqual(expect.stringContaining('not valid UTF-8'));
  expect(world.box.committed()).toEqual(['hello.txt']);
});
