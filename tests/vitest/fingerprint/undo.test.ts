import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedSince, type Fingerprint, takeFingerprint } from '../../../mcp-server/src/fingerprint/fingerprint.ts';
import { unexpectedChanges } from '../../../mcp-server/src/fingerprint/guard.ts';
import { undoneFolder, writeFingerprint } from '../../../mcp-server/src/fingerprint/stored.ts';
import { undo } from '../../../mcp-server/src/fingerprint/undo.ts';
import { excludeReadygate } from '../../../mcp-server/src/git/repository.ts';
import { AWKWARD_NAMES, emptyFolder, makeRepository, Sandbox, USERS_FILES, usersWork } from '../git/sandbox.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'src/c.txt': 'three\n', 'tool.sh': '#!/bin/sh\n', ...USERS_FILES };
const SESSION = '20260101-000000-abcdef';

const repoOf = async (box: Sandbox, git: boolean) => (git ? box.repo() : null);

async function undoAll(box: Sandbox, fingerprint: Fingerprint, git = true) {
  const repo = await repoOf(box, git);
  const files = await changedSince(repo, box.root, fingerprint);
  return undo({ repo, root: box.root, fingerprint, files, keepDir: undoneFolder(box.root, SESSION) });
}

const kept = (saved: string | null, path: string): string => readFileSync(join(saved ?? '', 'files', path), 'utf8');

describe('undo', () => {
  it("puts every file back, keeps a copy of each first, and leaves the user's own work as it is", async () => {
    const box = makeRepository(FILES);
    const users = usersWork(box);
    const repo = await box.repo();
    await excludeReadygate(repo);
    const fingerprint = await takeFingerprint(repo, box.root);
    const before = users.picture();
    box.write('a.txt', 'changed\n');
    box.remove('b.txt');
    box.write('new.txt', 'new\n');
    box.write('deep/er/new.txt', 'new\n');
    chmodSync(join(box.root, 'tool.sh'), 0o755);
    rmSync(join(box.root, 'src/c.txt'));
    symlinkSync('../a.txt', join(box.root, 'src/c.txt'));
    const { saved, undone, left } = await undoAll(box, fingerprint);
    expect(left).toEqual([]);
    expect([...undone].sort()).toEqual(['a.txt', 'b.txt', 'deep/er/new.txt', 'new.txt', 'src/c.txt', 'tool.sh']);
    expect([kept(saved, 'a.txt'), kept(saved, 'new.txt'), kept(saved, 'deep/er/new.txt')]).toEqual(['changed\n', 'new\n', 'new\n']);
    expect(readlinkSync(join(saved ?? '', 'files/src/c.txt'))).toBe('../a.txt');
    expect([box.read('a.txt'), box.read('b.txt'), box.read('src/c.txt'), box.has('new.txt'), box.has('deep')]).toEqual([
      'one\n',
      'two\n',
      'three\n',
      false,
      false,
    ]);
    expect(lstatSync(join(box.root, 'tool.sh')).mode & 0o111).toBe(0);
    expect(users.picture()).toEqual(before);
    expect(await changedSince(repo, box.root, fingerprint)).toEqual([]);
  });

  it("gives the user's own files back what they held when the gate closed", async () => {
    const box = makeRepository(FILES);
    const users = usersWork(box);
    await excludeReadygate(await box.repo());
    const fingerprint = await takeFingerprint(await box.repo(), box.root);
    const before = users.picture();
    box.write('user/changed.txt', 'spoilt\n');
    box.remove('user/new.txt');
    box.write('user/deleted.txt', 'back\n');
    const { saved, left } = await undoAll(box, fingerprint);
    expect(left).toEqual([]);
    expect([kept(saved, 'user/changed.txt'), kept(saved, 'user/deleted.txt')]).toEqual(['spoilt\n', 'back\n']);
    expect(users.picture()).toEqual(before);
  });

  it('knows files by their exact names', async () => {
    const box = makeRepository(Object.fromEntries(AWKWARD_NAMES.map((name) => [name, 'x\n'])));
    const repo = await box.repo();
    const fingerprint = await takeFingerprint(repo, box.root);
    for (const name of AWKWARD_NAMES) box.write(name, 'changed\n');
    const { saved, left } = await undoAll(box, fingerprint);
    expect(left).toEqual([]);
    for (const name of AWKWARD_NAMES) expect([box.read(name), kept(saved, name)]).toEqual(['x\n', 'changed\n']);
    expect(await changedSince(repo, box.root, fingerprint)).toEqual([]);
  });

  it('reaches files that were hidden from git', async () => {
    const box = makeRepository(FILES);
    const repo = await box.repo();
    const fingerprint = await takeFingerprint(repo, box.root);
    box.git('update-index', '--assume-unchanged', 'a.txt');
    box.git('update-index', '--skip-worktree', 'b.txt');
    box.write('a.txt', 'changed\n');
    box.write('b.txt', 'changed\n');
    const { left } = await undoAll(box, fingerprint);
    expect([left, box.read('a.txt'), box.read('b.txt')]).toEqual([[], 'one\n', 'two\n']);
  });

  it('stages again what was staged, and nothing else', async () => {
    const box = makeRepository({ ...FILES, 'gone.txt': 'x\n', 'both.txt': 'old\n', 'ours.txt': 'base\n' });
    box.git('switch', '-q', '-c', 'other');
    box.write('ours.txt', 'theirs\n');
    box.commit('theirs');
    box.git('switch', '-q', 'main');
    box.write('ours.txt', 'mine\n');
    box.commit('mine');
    expect(() => box.git('merge', 'other')).toThrow();
    box.git('rm', '-q', '--cached', 'gone.txt');
    box.write('announced.txt', 'x\n');
    box.git('add', '--intent-to-add', 'announced.txt');
    box.write('both.txt', 'STAGED\n');
    box.git('add', 'both.txt');
    box.write('both.txt', 'work\n');
    box.write('a.txt', 'dirty\n');
    box.write('untracked.txt', 'x\n');
    await excludeReadygate(await box.repo());
    const before = [box.git('status', '--porcelain=v2', '-uall'), box.git('ls-files', '-s')];
    const fingerprint = await takeFingerprint(await box.repo(), box.root);
    box.git('add', '-A');
    box.write('b.txt', 'script\n');
    box.write('both.txt', 'script\n');
    box.git('add', '-A');
    box.write('src/c.txt', 'only staged by the script\n');
    box.git('add', '-A');
    box.write('src/c.txt', 'three\n');
    const { left, restaged } = await undoAll(box, fingerprint);
    expect(left).toEqual([]);
    expect(restaged).toEqual(expect.arrayContaining(['announced.txt', 'both.txt', 'gone.txt', 'ours.txt', 'src/c.txt', 'untracked.txt']));
    expect([box.git('status', '--porcelain=v2', '-uall'), box.git('ls-files', '-s')]).toEqual(before);
    expect(box.git('show', ':both.txt')).toBe('STAGED\n');
    expect(await changedSince(await box.repo(), box.root, fingerprint)).toEqual([]);
    const folders = readdirSync(undoneFolder(box.root, SESSION)).map((name) => join(undoneFolder(box.root, SESSION), name));
    const copies = folders.map((folder) => join(folder, 'files', 'src/c.txt')).filter((file) => existsSync(file));
    expect(copies.map((file) => readFileSync(file, 'utf8'))).toContain('only staged by the script\n');
  });

  it('leaves the index to a HEAD that moved, and works before the first commit', async () => {
    const box = makeRepository(FILES);
    const fingerprint = await takeFingerprint(await box.repo(), box.root);
    box.write('new.txt', 'x\n');
    box.commit('behind the back');
    box.git('rm', '-q', '--cached', 'a.txt');
    expect((await undoAll(box, fingerprint)).restaged).toEqual([]);
    const unborn = new Sandbox(emptyFolder('unborn'));
    unborn.git('init', '-q');
    unborn.write('a.txt', 'x\n');
    const first = await takeFingerprint(await unborn.repo(), unborn.root);
    unborn.git('add', '-A');
    expect((await undoAll(unborn, first)).restaged).toEqual(['a.txt']);
    expect([unborn.git('ls-files'), unborn.read('a.txt')]).toEqual(['', 'x\n']);
  });

  it('keeps each undo in a folder of its own', async () => {
    const box = makeRepository(FILES);
    const fingerprint = await takeFingerprint(await box.repo(), box.root);
    box.write('a.txt', 'first\n');
    const first = await undoAll(box, fingerprint);
    box.write('a.txt', 'second\n');
    const second = await undoAll(box, fingerprint);
    expect([kept(first.saved, 'a.txt'), kept(second.saved, 'a.txt')]).toEqual(['first\n', 'second\n']);
  });

  it('tells what it cannot undo: a submodule, another commit', async () => {
    const inner = makeRepository({ 'in.txt': 'x\n' });
    const box = makeRepository(FILES);
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    box.commit('with a submodule');
    const fingerprint = await takeFingerprint(await box.repo(), box.root);
    box.write('sub/in.txt', 'changed\n');
    box.write('a.txt', 'committed\n');
    box.git('commit', '-qm', 'behind the back', 'a.txt');
    const { undone, left } = await undoAll(box, fingerprint);
    expect(undone).toEqual([]);
    expect(left.map(({ path }) => path).sort()).toEqual(['a.txt', 'sub']);
    expect([box.read('a.txt'), box.read('sub/in.txt')]).toEqual(['committed\n', 'changed\n']);
  });

  it('undoes nothing when the copies cannot be kept', async () => {
    const box = makeRepository(FILES);
    const repo = await box.repo();
    const fingerprint = await takeFingerprint(repo, box.root);
    box.write('a.txt', 'changed\n');
    const keepDir = join(emptyFolder(), 'file');
    writeFileSync(keepDir, 'in the way');
    const files = await changedSince(repo, box.root, fingerprint);
    await expect(undo({ repo, root: box.root, fingerprint, files, keepDir })).rejects.toThrow(/saving/);
    expect(box.read('a.txt')).toBe('changed\n');
  });

  it('without git takes away what was added, with a copy, and tells what it cannot bring back', async () => {
    const box = new Sandbox(emptyFolder('plain'));
    box.write('a.txt', 'one\n');
    const fingerprint = await takeFingerprint(null, box.root);
    box.write('a.txt', 'changed\n');
    box.write('new/x.txt', 'new\n');
    const { saved, undone, left } = await undoAll(box, fingerprint, false);
    expect([undone, left.map(({ path }) => path), kept(saved, 'new/x.txt')]).toEqual([['new/x.txt'], ['a.txt'], 'new\n']);
    expect([box.has('new/x.txt'), box.read('a.txt')]).toEqual([false, 'changed\n']);
    expect((await undoAll(box, fingerprint, false)).saved).toBeNull();
  });
});

describe('the guard', () => {
  it('lets pass what is as it was, and a session that has no fingerprint', async () => {
    const box = makeRepository(FILES);
    const repo = await box.repo();
    expect(await unexpectedChanges(repo, box.root, SESSION)).toBeNull();
    writeFingerprint(box.root, SESSION, await takeFingerprint(repo, box.root));
    expect(await unexpectedChanges(repo, box.root, SESSION)).toBeNull();
  });

  it('names the files and where copies would go', async () => {
    const box = makeRepository(FILES);
    const repo = await box.repo();
    writeFingerprint(box.root, SESSION, await takeFingerprint(repo, box.root));
    for (let n = 0; n < 7; n++) box.write(`new${n}.txt`, 'x');
    const found = await unexpectedChanges(repo, box.root, SESSION);
    expect(found?.refusal).toMatchObject({
      error: 'guard_blocked',
      guard: 'RG13',
      message: {
        key: 'error.fingerprint',
        params: { count: 7, files: 'new0.txt, new1.txt, new2.txt, new3.txt, new4.txt, …', folder: undoneFolder(box.root, SESSION) },
      },
    });
    expect(found?.refusal.problems).toHaveLength(7);
  });

  it('is quiet again once the fingerprint was taken anew', async () => {
    const box = makeRepository(FILES);
    const repo = await box.repo();
    writeFingerprint(box.root, SESSION, await takeFingerprint(repo, box.root));
    box.write('a.txt', 'by the user\n');
    expect((await unexpectedChanges(repo, box.root, SESSION))?.files.map(({ path }) => path)).toEqual(['a.txt']);
    writeFingerprint(box.root, SESSION, await takeFingerprint(repo, box.root));
    expect(await unexpectedChanges(repo, box.root, SESSION)).toBeNull();
    mkdirSync(join(box.root, '.readygate/sessions', SESSION, 'more'), { recursive: true });
    expect(existsSync(join(box.root, '.readygate'))).toBe(true);
    expect(await unexpectedChanges(repo, box.root, SESSION)).toBeNull();
  });
});
