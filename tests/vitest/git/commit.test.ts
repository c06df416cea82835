import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitReviewed, withTrailers } from '../../../mcp-server/src/git/commit.ts';
import { keptStaged } from '../../../mcp-server/src/git/staged.ts';
import { AWKWARD_NAMES, emptyFolder, failureOf, makeRepository, Sandbox, USERS_FILES, usersWork } from './sandbox.ts';

async function commit(sandbox: Sandbox, files: string[], message = 'reviewed'): Promise<string | null> {
  return (await commitReviewed(await sandbox.repo(), { files, message })).commit;
}

describe('committing the reviewed files', () => {
  it('commits exactly these files and leaves those of the user untouched, staged or not', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, 'src/a.ts': '1\n', 'src/b.ts': '1\n', 'src/c.ts': '1\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    sandbox.write('src/a.ts', '2\n');
    sandbox.remove('src/b.ts');
    sandbox.write('src/new.ts', 'new\n');
    sandbox.write('src/not reviewed.ts', 'x\n');
    const made = await commit(sandbox, ['src/a.ts', 'src/b.ts', 'src/new.ts']);
    expect(made).toBe(sandbox.head());
    expect(sandbox.committed()).toEqual(['src/a.ts', 'src/b.ts', 'src/new.ts']);
    expect(users.picture()).toEqual(before);
    expect(sandbox.status()).toContain('?? "src/not reviewed.ts"');
  });

  it('commits a file that the user had staged in the state the session left it in', async () => {
    const sandbox = makeRepository(USERS_FILES);
    usersWork(sandbox);
    sandbox.write('user/staged.txt', 'by the session\n');
    await commit(sandbox, ['user/staged.txt']);
    expect(sandbox.git('show', 'HEAD:user/staged.txt')).toBe('by the session\n');
    expect(sandbox.git('diff', 'HEAD', '--', 'user/staged.txt')).toBe('');
    expect(sandbox.git('diff', '--cached', '--', 'user/staged.txt')).toBe('');
  });

  it('keeps what was only staged, with its mode, and nothing that is in HEAD or in the commit', async () => {
    const sandbox = makeRepository({ both: 'old\n', equal: 'old\n', removed: 'old\n', back: 'old\n', other: 'old\n' });
    for (const name of ['both', 'equal', 'back', 'new', 'other']) sandbox.write(name, 'staged\n');
    sandbox.git('add', '-A');
    sandbox.git('update-index', '--chmod=+x', 'both');
    sandbox.git('rm', '-q', '--cached', 'removed');
    sandbox.write('both', 'work\n');
    sandbox.write('back', 'old\n');
    sandbox.remove('new');
    const keepDir = join(emptyFolder(), 'staged', '7');
    const files = ['both', 'equal', 'back', 'new', 'removed'];
    await commitReviewed(await sandbox.repo(), { files, message: 'reviewed', keepDir });
    const kept = await keptStaged(keepDir);
    expect(kept.map(({ path, mode }) => `${mode} ${path}`).sort()).toEqual(['100644 back', '100644 new', '100755 both']);
    for (const { file } of kept) expect(readFileSync(file, 'utf8')).toBe('staged\n');
    expect(sandbox.git('show', ':other')).toBe('staged\n');
    expect(readdirSync(keepDir)).toEqual(['001']);
  });

  it('commits nothing and leaves the index when a staged version cannot be kept', async () => {
    const sandbox = makeRepository({ both: 'old\n' });
    sandbox.write('both', 'staged\n');
    sandbox.git('add', 'both');
    sandbox.write('both', 'work\n');
    const [head, keepDir] = [sandbox.head(), join(emptyFolder(), 'file')];
    writeFileSync(keepDir, '');
    const failure = await failureOf(commitReviewed(await sandbox.repo(), { files: ['both'], message: 'x', keepDir }));
    expect(failure.message).toContain(keepDir);
    expect(sandbox.head()).toBe(head);
    expect(sandbox.git('show', ':both')).toBe('staged\n');
  });

  it('takes every name literally', async () => {
    const sandbox = makeRepository({ 'x.js': '1', 'a.js': '1' });
    for (const name of ['x.js', 'a.js', ...AWKWARD_NAMES]) sandbox.write(name, '2');
    await commit(sandbox, AWKWARD_NAMES);
    expect(sandbox.committed().sort()).toEqual([...AWKWARD_NAMES].sort());
    expect(sandbox.status()).toBe(' M a.js\n M x.js\n');
    expect(sandbox.has('pwned')).toBe(false);
  });

  it('commits a renamed file, a file that became a folder and a folder that became a file', async () => {
    const sandbox = makeRepository({ old: 'a long enough content\n', file: 'x', 'folder/inner': 'x' });
    sandbox.git('mv', 'old', 'new');
    sandbox.remove('file');
    sandbox.write('file/inner', 'x');
    sandbox.remove('folder');
    sandbox.write('folder', 'x');
    await commit(sandbox, ['old', 'new', 'file', 'file/inner', 'folder', 'folder/inner']);
    expect(sandbox.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n').filter(Boolean)).toEqual(['file/inner', 'folder', 'new']);
    expect(sandbox.status()).toBe('');
  });

  it('commits a folder that was replaced by a link', async () => {
    const sandbox = makeRepository({ 'real/a': 'x', 'folder/a': 'x' });
    sandbox.remove('folder');
    symlinkSync('real', join(sandbox.root, 'folder'));
    await commit(sandbox, ['folder', 'folder/a']);
    expect(sandbox.git('ls-tree', '-r', 'HEAD')).toMatch(/^120000 .*\tfolder$/m);
    expect(sandbox.status()).toBe('');
  });

  it('commits modes and links', async () => {
    const sandbox = makeRepository({ tool: '#!/bin/sh\n' });
    chmodSync(join(sandbox.root, 'tool'), 0o755);
    symlinkSync('tool', join(sandbox.root, 'link'));
    await commit(sandbox, ['tool', 'link']);
    expect(sandbox.git('ls-tree', 'HEAD')).toMatch(/120000 .*\tlink\n100755 .*\ttool\n/);
  });

  it('commits the removal of a file that is ignored now and stays on disk', async () => {
    const sandbox = makeRepository({ 'secret.env': 'x', '.gitignore': '' });
    sandbox.git('rm', '-q', '--cached', 'secret.env');
    sandbox.write('.gitignore', 'secret.env\n');
    await commit(sandbox, ['secret.env', '.gitignore']);
    expect(sandbox.git('ls-tree', '--name-only', 'HEAD')).toBe('.gitignore\n');
    expect(sandbox.read('secret.env')).toBe('x');
    expect(sandbox.status()).toBe('');
  });

  it('commits the new commit of a submodule', async () => {
    const inner = makeRepository({ 'inner.txt': 'x' });
    const sandbox = makeRepository();
    sandbox.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    sandbox.commit('submodule');
    sandbox.write('sub/inner.txt', 'y');
    const sub = new Sandbox(join(sandbox.root, 'sub'));
    sub.git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qam', 'inside');
    await commit(sandbox, ['sub']);
    expect(sandbox.committed()).toEqual(['sub']);
    expect(sandbox.status()).toBe('');
  });

  it('commits inside a submodule and inside a linked work tree', async () => {
    const sandbox = makeRepository({ a: '1' });
    const other = new Sandbox(join(emptyFolder(), 'tree'));
    sandbox.git('worktree', 'add', '-q', '-b', 'side', other.root);
    sandbox.write('b', 'staged by the user');
    sandbox.git('add', 'b');
    other.write('a', '2');
    await commit(other, ['a']);
    expect(other.committed()).toEqual(['a']);
    expect(sandbox.status()).toBe('A  b\n');
  });

  it("makes no commit while another git holds the user's index, and waits for it a while", async () => {
    const sandbox = makeRepository({ 'a.txt': 'a\n' });
    const head = sandbox.head();
    sandbox.write('a.txt', 'b\n');
    sandbox.write('.git/index.lock', '');
    const failure = await failureOf(commit(sandbox, ['a.txt']));
    expect([failure.reason, sandbox.head()]).toEqual(['lock', head]);
    expect(failure.message).toContain('index.lock');
    setTimeout(() => sandbox.remove('.git/index.lock'), 300);
    expect(await commit(sandbox, ['a.txt'])).toBe(sandbox.head());
    expect(sandbox.status()).toBe('');
  });

  it('makes no commit when nothing changed', async () => {
    const sandbox = makeRepository({ a: '1' });
    const head = sandbox.head();
    expect(await commit(sandbox, [])).toBeNull();
    expect(await commit(sandbox, ['a', 'never there'])).toBeNull();
    expect(sandbox.head()).toBe(head);
  });

  it('does not corrupt line ends under autocrlf', async () => {
    const sandbox = makeRepository({ 'a.txt': 'one\n', '.gitattributes': '*.bin binary\n' });
    sandbox.git('config', 'core.autocrlf', 'true');
    sandbox.write('a.txt', 'one\r\ntwo\r\n');
    sandbox.write('b.bin', 'x\r\ny\n');
    sandbox.write('theirs.txt', 'mine\r\n');
    const before = sandbox.exactly('theirs.txt');
    await commit(sandbox, ['a.txt', 'b.bin']);
    expect(sandbox.git('cat-file', 'blob', 'HEAD:a.txt')).toBe('one\ntwo\n');
    expect(sandbox.git('cat-file', 'blob', 'HEAD:b.bin')).toBe('x\r\ny\n');
    expect(sandbox.read('a.txt')).toBe('one\r\ntwo\r\n');
    expect(sandbox.exactly('theirs.txt')).toBe(before);
    expect(sandbox.status()).toBe('?? theirs.txt\n');
  });

  it('leaves no files of its own in the git folder', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', '2');
    await commit(sandbox, ['a']);
    expect(readdirSync(join(sandbox.root, '.git')).filter((name) => name.includes('readygate'))).toEqual([]);
  });

  it('can be called again after it was interrupted behind the commit', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1', gone: '1' });
    const users = usersWork(sandbox);
    const before = users.picture();
    const parent = sandbox.head();
    const index = join(sandbox.root, '.git/index');
    const old = readFileSync(index);
    sandbox.write('a', '2');
    sandbox.remove('gone');
    const made = await commit(sandbox, ['a', 'gone']);
    // The commit is made, and the process died before the user's index was brought there.
    writeFileSync(index, old);
    const again = await commitReviewed(await sandbox.repo(), { files: ['a', 'gone'], message: 'reviewed', parent });
    expect(again.commit).toBe(made);
    expect(sandbox.line('rev-list', '--count', 'HEAD')).toBe('2');
    expect(users.picture()).toEqual(before);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'gone')).toBe('');
  });
});

describe('the commit message', () => {
  it('survives a first line that begins with #, blank lines and any language', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.git('config', 'commit.cleanup', 'strip');
    sandbox.git('config', 'i18n.commitEncoding', 'EUC-JP');
    sandbox.write('a', '2');
    const message = '#12 修正: "quotes" $(x) `y`\n\n# not a comment\n-- end\n';
    await commit(sandbox, ['a'], message);
    expect(sandbox.git('-c', 'i18n.logOutputEncoding=utf-8', 'log', '-1', '--format=%B').trimEnd()).toBe(message.trimEnd());
  });

  it('gets its trailers in a block of their own', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', '2');
    await commitReviewed(await sandbox.repo(), { files: ['a'], message: 'subject\n\nbody', trailers: { 'Readygate-Session': 's1' } });
    expect(sandbox.line('log', '-1', '--format=%(trailers:key=Readygate-Session,valueonly)')).toBe('s1');
  });

  it('joins trailers that are there already, and takes no subject for one', () => {
    expect(withTrailers('fix: x', { A: 'b' })).toBe('fix: x\n\nA: b\n');
    expect(withTrailers('x\n\nSigned-off-by: me\n', { A: 'b\nc' })).toBe('x\n\nSigned-off-by: me\nA: b c\n');
    expect(withTrailers('x\n\nbody: see\nmore text', { A: 'b' })).toBe('x\n\nbody: see\nmore text\n\nA: b\n');
  });
});

describe('commit hooks of the user', () => {
  it('see exactly the reviewed files as staged', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1' });
    const users = usersWork(sandbox);
    const before = users.picture();
    sandbox.write('a', '2');
    sandbox.hook('pre-commit', 'git diff --cached --name-only > "$(git rev-parse --git-dir)/seen"');
    await commit(sandbox, ['a']);
    expect(sandbox.read('.git/seen')).toBe('a\n');
    expect(users.picture()).toEqual(before);
  });

  it('refuse with their output reported and everything as it was', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1' });
    const users = usersWork(sandbox);
    const before = users.picture();
    const head = sandbox.head();
    sandbox.write('a', '2');
    sandbox.write('new', 'x');
    sandbox.hook('pre-commit', 'echo "lint: a is not good enough"; exit 7');
    const failure = await failureOf(commit(sandbox, ['a', 'new']));
    expect(failure).toMatchObject({ reason: 'hook', hook: 'pre-commit' });
    expect(failure.stderrTail).toContain('lint: a is not good enough');
    expect(sandbox.head()).toBe(head);
    expect(users.picture()).toEqual(before);
    sandbox.unhook('pre-commit');
    await commit(sandbox, ['a', 'new']);
    expect(sandbox.committed()).toEqual(['a', 'new']);
  });

  it('may change and add what is committed; index and work tree then agree with the commit', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, a: '1\n', 'generated.txt': '0\n' });
    const users = usersWork(sandbox);
    const before = users.picture();
    sandbox.write('a', '2\n');
    sandbox.hook('pre-commit', 'echo formatted >> a; echo 2 > generated.txt; git add a generated.txt');
    await commit(sandbox, ['a']);
    expect(sandbox.git('show', 'HEAD:a')).toBe('2\nformatted\n');
    expect(sandbox.committed()).toEqual(['a', 'generated.txt']);
    expect(sandbox.git('status', '--porcelain', '--', 'a', 'generated.txt')).toBe('');
    expect(users.picture()).toEqual(before);
  });

  it('may change a file without adding it; that is a change again', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    sandbox.write('a', '2\n');
    sandbox.hook('pre-commit', 'echo formatted >> a');
    await commit(sandbox, ['a']);
    expect(sandbox.git('show', 'HEAD:a')).toBe('2\n');
    expect(sandbox.status()).toBe(' M a\n');
  });

  it('may change the message', async () => {
    const sandbox = makeRepository({ a: '1\n' });
    sandbox.write('a', '2\n');
    sandbox.hook('commit-msg', 'echo "Change-Id: 1" >> "$1"');
    await commit(sandbox, ['a']);
    expect(sandbox.git('log', '-1', '--format=%B')).toContain('Change-Id: 1');
  });
});

describe('a commit that cannot be made', () => {
  it('says how to set the identity', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.git('config', '--unset', 'user.name');
    sandbox.git('config', '--unset', 'user.email');
    sandbox.git('config', 'user.useConfigOnly', 'true');
    sandbox.write('a', '2');
    const staged = sandbox.staged();
    expect((await failureOf(commit(sandbox, ['a']))).reason).toBe('identity');
    expect(sandbox.staged()).toBe(staged);
  });

  it('is a GitFailed when the object store cannot be written', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', '2');
    // Also for root, to whom permissions do not apply.
    sandbox.remove('.git/objects');
    sandbox.write('.git/objects', 'a file where the folder should be');
    await failureOf(commit(sandbox, ['a']));
  });

  it('is a GitFailed when the git folder cannot be written', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('a', '2');
    sandbox.write('.git/readygate-commit-index/in the way', 'x');
    const head = sandbox.head();
    await failureOf(commit(sandbox, ['a']));
    expect(sandbox.head()).toBe(head);
  });
});
