import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeBaseline } from '../../../mcp-server/src/git/baseline.ts';
import { commitReviewed, discard } from '../../../mcp-server/src/git/commit.ts';
import { AWKWARD_NAMES, emptyFolder, failureOf, makeRepository, Sandbox, USERS_FILES, usersWork } from './sandbox.ts';

async function undo(sandbox: Sandbox, files: string[]): Promise<{ saved: Sandbox; undone: string[]; left: string[] }> {
  const { saved, undone, left } = await discard(await sandbox.repo(), { files, saveDir: join(emptyFolder('saved'), 'discarded') });
  return { saved: new Sandbox(saved ?? ''), undone, left: left.map((one) => one.path) };
}

describe('discarding', () => {
  it('puts files back to HEAD, removes new ones, and leaves everything else alone', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', b: '1\n', c: '1\n', kept: '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    sandbox.write('a', '2\n');
    sandbox.write('b', '2\n');
    sandbox.git('add', 'b');
    sandbox.remove('c');
    sandbox.write('deep/new/file', 'x\n');
    sandbox.write('staged new', 'x\n');
    sandbox.git('add', 'staged new');
    sandbox.write('kept', '2\n');
    const files = ['a', 'b', 'c', 'deep/new/file', 'staged new'];
    const { undone } = await undo(sandbox, files);
    expect(undone).toEqual(files);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'b', 'c', 'deep', 'staged new')).toBe('');
    expect([sandbox.read('a'), sandbox.read('b'), sandbox.read('c')]).toEqual(['1\n', '1\n', '1\n']);
    expect(sandbox.has('deep')).toBe(false);
    expect(sandbox.read('kept')).toBe('2\n');
    expect(users.picture()).toEqual(before);
  });

  it('saves a copy, a list and a patch that brings it all back', async () => {
    const sandbox = makeRepository({ a: '1\n', gone: '1\n', binary: 'x' });
    const bytes = Uint8Array.from([0, 1, 2, 255, 13, 10]);
    sandbox.write('a', '2\n');
    sandbox.remove('gone');
    sandbox.write('binary', bytes);
    sandbox.write('tool', '#!/bin/sh\n');
    chmodSync(join(sandbox.root, 'tool'), 0o755);
    symlinkSync('no where', join(sandbox.root, 'link'));
    const { saved } = await undo(sandbox, ['a', 'gone', 'binary', 'tool', 'link']);
    expect(saved.read('files/a')).toBe('2\n');
    expect(readFileSync(join(saved.root, 'files/binary')).equals(bytes)).toBe(true);
    expect(saved.exactly('files/tool')).toMatch(/^755 /);
    expect(readlinkSync(join(saved.root, 'files/link'))).toBe('no where');
    expect(JSON.parse(saved.read('discarded.json'))).toMatchObject({
      head: sandbox.head(),
      files: expect.arrayContaining([{ path: 'gone', was: 'deleted' }]),
    });
    expect(sandbox.status()).toBe('');
    sandbox.git('apply', join(saved.root, 'changes.patch'));
    expect(sandbox.status()).toBe(' M a\n M binary\n D gone\n?? link\n?? tool\n');
    expect(readFileSync(join(sandbox.root, 'binary')).equals(bytes)).toBe(true);
  });

  it('takes every name literally', async () => {
    const sandbox = makeRepository({ 'x.js': '1', '*.js': '1' });
    for (const name of ['x.js', ...AWKWARD_NAMES]) sandbox.write(name, '2');
    const { saved } = await undo(sandbox, AWKWARD_NAMES);
    expect(sandbox.status()).toBe(' M x.js\n');
    expect(sandbox.read('*.js')).toBe('1');
    for (const name of AWKWARD_NAMES) expect(saved.read(`files/${name}`)).toBe('2');
  });

  it('undoes a file that became a folder, a folder that became a file or a link, and a rename', async () => {
    const sandbox = makeRepository({ file: 'x', 'folder/inner': 'x', 'other/inner': 'x', old: 'long enough\n' });
    sandbox.remove('file');
    sandbox.write('file/inner', 'y');
    sandbox.remove('folder');
    sandbox.write('folder', 'y');
    sandbox.remove('other');
    symlinkSync('folder', join(sandbox.root, 'other'));
    sandbox.git('mv', 'old', 'new');
    await undo(sandbox, ['file', 'file/inner', 'folder', 'folder/inner', 'other', 'other/inner', 'old', 'new']);
    expect(sandbox.status()).toBe('');
    expect(sandbox.read('other/inner')).toBe('x');
  });

  it('never removes a file that it was not told of to make room', async () => {
    const sandbox = makeRepository({ file: 'x' });
    sandbox.remove('file');
    sandbox.write('file/session', 'y');
    sandbox.write('file/theirs', 'z');
    const { left, undone } = await undo(sandbox, ['file', 'file/session']);
    expect(left).toEqual(['file']);
    expect(undone).toEqual(['file/session']);
    expect(sandbox.read('file/theirs')).toBe('z');
  });

  it("gives the user's version of a file back where the session changed it", async () => {
    const sandbox = makeRepository(USERS_FILES);
    const users = usersWork(sandbox);
    symlinkSync('theirs', join(sandbox.root, 'user/link'));
    const before = users.picture();
    const baseline = await takeBaseline(await sandbox.repo());
    sandbox.write('user/changed.txt', 'session');
    sandbox.remove('user/new.txt');
    sandbox.write('user/deleted.txt', 'session');
    sandbox.write('user/both.txt', 'session');
    chmodSync(join(sandbox.root, 'user/tool.sh'), 0o644);
    sandbox.remove('user/link');
    symlinkSync('session', join(sandbox.root, 'user/link'));
    const files = ['user/changed.txt', 'user/new.txt', 'user/deleted.txt', 'user/both.txt', 'user/tool.sh', 'user/link'];
    const done = await discard(await sandbox.repo(), { files, saveDir: emptyFolder(), baseline });
    expect(done.left).toEqual([]);
    expect(users.picture()).toEqual(before);
    expect(readlinkSync(join(sandbox.root, 'user/link'))).toBe('theirs');
  });

  it('lets nobody read what only the user could', async () => {
    const sandbox = makeRepository({ 'secret.txt': 'old\n', 'run.sh': 'old\n' });
    const modeOf = (name: string) => statSync(join(sandbox.root, name)).mode & 0o777;
    sandbox.write('secret.txt', 'theirs\n');
    chmodSync(join(sandbox.root, 'secret.txt'), 0o600);
    sandbox.write('run.sh', 'theirs\n');
    chmodSync(join(sandbox.root, 'run.sh'), 0o700);
    const baseline = await takeBaseline(await sandbox.repo());
    sandbox.write('secret.txt', 'session\n');
    sandbox.write('run.sh', 'session\n');
    chmodSync(join(sandbox.root, 'run.sh'), 0o600);
    await discard(await sandbox.repo(), { files: ['secret.txt', 'run.sh'], saveDir: emptyFolder(), baseline });
    expect([sandbox.read('secret.txt'), modeOf('secret.txt')]).toEqual(['theirs\n', 0o600]);
    expect([sandbox.read('run.sh'), modeOf('run.sh')]).toEqual(['theirs\n', 0o700]);
  });

  it('goes back to HEAD for a file of the user that the session has committed since', async () => {
    const sandbox = makeRepository();
    sandbox.write('theirs', 'user');
    const baseline = await takeBaseline(await sandbox.repo());
    sandbox.write('theirs', 'session');
    await commitReviewed(await sandbox.repo(), { files: ['theirs'], message: 'x' });
    sandbox.write('theirs', 'more');
    await discard(await sandbox.repo(), { files: ['theirs'], saveDir: emptyFolder(), baseline });
    expect(sandbox.read('theirs')).toBe('session');
    expect(sandbox.status()).toBe('');
  });

  it('does not save what is undone already over what was saved before', async () => {
    const sandbox = makeRepository({ a: '1', b: '1' });
    const saveDir = emptyFolder();
    sandbox.write('a', '2');
    await discard(await sandbox.repo(), { files: ['a'], saveDir });
    expect(await discard(await sandbox.repo(), { files: ['a'], saveDir })).toEqual({ saved: null, undone: [], left: [] });
    sandbox.write('a', '3');
    await discard(await sandbox.repo(), { files: ['a'], saveDir });
    expect(readdirSync(saveDir)).toEqual(['001', '002']);
    expect(readFileSync(join(saveDir, '001/files/a'), 'utf8')).toBe('2');
    expect(readFileSync(join(saveDir, '002/files/a'), 'utf8')).toBe('3');
  });

  it('finishes after a save that was interrupted', async () => {
    const sandbox = makeRepository({ a: '1' });
    const saveDir = emptyFolder();
    new Sandbox(saveDir).write('001.part/files/a', 'half');
    sandbox.write('a', '2');
    const { saved } = await discard(await sandbox.repo(), { files: ['a'], saveDir });
    expect(new Sandbox(saved ?? '').read('files/a')).toBe('2');
    expect(sandbox.read('a')).toBe('1');
  });

  it('leaves a submodule as it is and says why', async () => {
    const inner = makeRepository({ 'inner.txt': 'x' });
    const sandbox = makeRepository({ a: '1' });
    sandbox.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    sandbox.commit('submodule');
    sandbox.write('sub/inner.txt', 'y');
    sandbox.write('a', '2');
    const { left, undone } = await undo(sandbox, ['sub', 'a']);
    expect({ left, undone }).toEqual({ left: ['sub'], undone: ['a'] });
    expect(sandbox.read('sub/inner.txt')).toBe('y');
  });

  it('writes line ends as the user has them set', async () => {
    const sandbox = makeRepository({ 'a.txt': 'one\n' });
    sandbox.git('config', 'core.autocrlf', 'true');
    sandbox.write('a.txt', 'two\r\n');
    await undo(sandbox, ['a.txt']);
    expect(sandbox.read('a.txt')).toBe('one\r\n');
    expect(sandbox.status()).toBe('');
  });

  it('undoes nothing when it cannot save', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', '2');
    const saveDir = join(emptyFolder(), 'file');
    writeFileSync(saveDir, 'a file where the folder should be');
    await failureOf(discard(await sandbox.repo(), { files: ['a'], saveDir }));
    expect(sandbox.read('a')).toBe('2');
  });

  it.skipIf(!canMount())('undoes nothing when the disk is full', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', 'x'.repeat(400_000));
    const small = emptyFolder('small disk');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', small]);
    try {
      const failure = await failureOf(discard(await sandbox.repo(), { files: ['a'], saveDir: join(small, 'discarded') }));
      expect(failure.message).toMatch(/ENOSPC|no space/i);
      expect(sandbox.read('a')).toHaveLength(400_000);
    } finally {
      execFileSync('umount', [small]);
    }
  });

  it.skipIf(!canMount())('is a GitFailed when the repository itself is on a full disk', async () => {
    const small = emptyFolder('small disk');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]);
    try {
      const sandbox = makeRepository({ a: '1' }, join(small, 'repo'));
      sandbox.write('a', '2');
      const head = sandbox.head();
      try {
        writeFileSync(join(small, 'filler'), Buffer.alloc(2_000_000));
      } catch {
        // The disk is full now.
      }
      await failureOf(commitReviewed(await sandbox.repo(), { files: ['a'], message: 'x' }));
      expect(sandbox.head()).toBe(head);
      expect(sandbox.read('a')).toBe('2');
    } finally {
      execFileSync('umount', [small]);
    }
  });
});

function canMount(): boolean {
  const folder = emptyFolder('mount test');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.skipIf(process.platform !== 'linux')('leaves a file whose name is not UTF-8, says so, and goes on with the others', async () => {
  const sandbox = makeRepository({ 'a.txt': 'old\n' });
  const odd = Buffer.concat([Buffer.from(`${sandbox.root}/t`), Buffer.from([0xff]), Buffer.from('.js')]);
  writeFileSync(odd, 'x\n');
  sandbox.write('r\uFFFD.js', 'a name that holds the sign itself\n');
  sandbox.write('a.txt', 'new\n');
  const files = ['a.txt', 't\uFFFD.js', 'r\uFFFD.js'];
  const { left, undone } = await discard(await sandbox.repo(), { files, saveDir: emptyFolder('odd') });
  expect(left).toEqual([{ path: 't\uFFFD.js', message: expect.stringContaining('not valid UTF-8') }]);
  expect(undone).toEqual(['a.txt', 'r\uFFFD.js']);
  expect(readFileSync(odd, 'utf8')).toBe('x\n');
  expect(sandbox.read('a.txt')).toBe('old\n');
});
