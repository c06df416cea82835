import { chmodSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Baseline, changedFiles, ignoredIn, takeBaseline, takeWholeBaseline } from '../../../mcp-server/src/git/baseline.ts';
import { commitReviewed } from '../../../mcp-server/src/git/commit.ts';
import { AWKWARD_NAMES, makeRepository, type Sandbox, USERS_FILES, usersWork } from './sandbox.ts';

const EMPTY: Baseline = { head: null, files: {} };

async function baselineOf(sandbox: Sandbox): Promise<Baseline> {
  // As it comes back from the disk.
  return JSON.parse(JSON.stringify(await takeBaseline(await sandbox.repo()))) as Baseline;
}

async function changes(sandbox: Sandbox, baseline: Baseline): Promise<string[]> {
  const files = await changedFiles(await sandbox.repo(), baseline);
  return files.map(({ path, status, users }) => `${status} ${path}${users ? " (user's)" : ''}`);
}

describe('the baseline', () => {
  it('is empty in a clean repository', async () => {
    const sandbox = makeRepository();
    expect(await baselineOf(sandbox)).toMatchObject({ head: sandbox.head(), files: {} });
  });

  it('holds what is changed, new, deleted, staged, linked and executable, and no ignored file', async () => {
    const sandbox = makeRepository({ ...USERS_FILES, '.gitignore': 'ignored/\n' });
    const { paths } = usersWork(sandbox);
    sandbox.write('ignored/x', 'x');
    symlinkSync('nowhere', join(sandbox.root, 'link'));
    const { files } = await baselineOf(sandbox);
    expect(Object.keys(files).sort()).toEqual([...paths, 'link'].sort());
    expect(files['user/deleted.txt']).toBe('absent');
    expect(files.link).toBe('120000:nowhere');
    expect(files['user/tool.sh']).toMatch(/^100755:/);
    expect(files['user/changed.txt']).toBe(`100644:${sandbox.line('hash-object', '--no-filters', 'user/changed.txt')}`);
  });

  it('keeps the content of the files in git, so that it can be given back', async () => {
    const sandbox = makeRepository();
    for (const name of AWKWARD_NAMES) sandbox.write(name, `content of ${name}`);
    const { files } = await baselineOf(sandbox);
    for (const name of AWKWARD_NAMES) {
      expect(sandbox.git('cat-file', 'blob', files[name]?.split(':')[1] ?? '')).toBe(`content of ${name}`);
    }
  });

  it('is taken even where git can store nothing', async () => {
    const sandbox = makeRepository();
    sandbox.write('new.txt', 'x');
    chmodSync(join(sandbox.root, '.git/objects'), 0o555);
    expect(Object.keys((await baselineOf(sandbox)).files)).toEqual(['new.txt']);
    chmodSync(join(sandbox.root, '.git/objects'), 0o755);
  });

  it('takes a file of any name, __proto__ too', async () => {
    const sandbox = makeRepository();
    sandbox.write('__proto__', 'x');
    const baseline = await baselineOf(sandbox);
    expect(await changes(sandbox, baseline)).toEqual([]);
    sandbox.write('constructor', 'x');
    expect(await changes(sandbox, baseline)).toEqual(['added constructor']);
  });
});

describe('the changed files', () => {
  it('are none while the files of the user stay as they were', async () => {
    const sandbox = makeRepository(USERS_FILES);
    usersWork(sandbox);
    expect(await changes(sandbox, await baselineOf(sandbox))).toEqual([]);
  });

  it('do not count a file that was only touched', async () => {
    const sandbox = makeRepository(USERS_FILES);
    usersWork(sandbox);
    const baseline = await baselineOf(sandbox);
    utimesSync(join(sandbox.root, 'user/changed.txt'), 1, 1);
    expect(await changes(sandbox, baseline)).toEqual([]);
  });

  it('have the right path whatever a name looks like', async () => {
    const sandbox = makeRepository(Object.fromEntries(AWKWARD_NAMES.map((name) => [name, 'one\n'])));
    const baseline = await baselineOf(sandbox);
    for (const name of AWKWARD_NAMES) sandbox.write(name, 'two\n');
    const files = await changedFiles(await sandbox.repo(), baseline);
    expect(files.map((file) => file.path).sort()).toEqual([...AWKWARD_NAMES].sort());
    expect(await changes(sandbox, await baselineOf(sandbox))).toEqual([]);
  });

  it('tell added, modified and deleted apart, staged or not', async () => {
    const sandbox = makeRepository({ a: '1', b: '1', c: '1', d: '1' });
    sandbox.write('a', '2');
    sandbox.write('b', '2');
    sandbox.git('add', 'b');
    sandbox.remove('c');
    sandbox.git('rm', '-q', 'd');
    sandbox.write('e', '1');
    sandbox.write('f', '1');
    sandbox.git('add', 'f');
    expect(await changes(sandbox, EMPTY)).toEqual(['modified a', 'modified b', 'deleted c', 'deleted d', 'added e', 'added f']);
  });

  it('never show .readygate', async () => {
    const sandbox = makeRepository();
    sandbox.write('.readygate/state.json', '{}');
    sandbox.write('.readygate.yml', 'x');
    expect(await changes(sandbox, EMPTY)).toEqual(['added .readygate.yml']);
  });

  it("mark a file of the user's that the session changed, deleted, put back to HEAD, or made executable", async () => {
    const sandbox = makeRepository(USERS_FILES);
    usersWork(sandbox);
    const baseline = await baselineOf(sandbox);
    sandbox.write('user/both.txt', 'by the session\n');
    sandbox.remove('user/new.txt');
    sandbox.write('user/changed.txt', 'one\n');
    sandbox.write('user/deleted.txt', 'one\n');
    chmodSync(join(sandbox.root, 'user/staged.txt'), 0o755);
    expect(await changes(sandbox, baseline)).toEqual([
      "modified user/both.txt (user's)",
      "modified user/changed.txt (user's)",
      "modified user/deleted.txt (user's)",
      "deleted user/new.txt (user's)",
      "modified user/staged.txt (user's)",
    ]);
  });

  it('see a file become a folder, a folder a file, and a link change its target', async () => {
    const sandbox = makeRepository({ file: 'x', 'folder/inner': 'x' });
    symlinkSync('file', join(sandbox.root, 'link'));
    sandbox.commit('link');
    sandbox.remove('file');
    sandbox.write('file/inner', 'x');
    sandbox.remove('folder');
    sandbox.write('folder', 'x');
    sandbox.remove('link');
    symlinkSync('folder', join(sandbox.root, 'link'));
    expect(await changes(sandbox, EMPTY)).toEqual([
      'deleted file',
      'added file/inner',
      'added folder',
      'deleted folder/inner',
      'modified link',
    ]);
  });

  it("see a folder of the user's replaced by a link to one with the same files", async () => {
    const sandbox = makeRepository();
    sandbox.write('theirs/a', 'x');
    sandbox.write('copy/a', 'x');
    const baseline = await baselineOf(sandbox);
    sandbox.remove('theirs');
    symlinkSync('copy', join(sandbox.root, 'theirs'));
    expect(await changes(sandbox, baseline)).toEqual(['added theirs', "deleted theirs/a (user's)"]);
  });

  it('show a file that was only taken out of the index, and one that was added there and deleted again', async () => {
    const sandbox = makeRepository({ a: '1', '.gitignore': '' });
    sandbox.git('rm', '-q', '--cached', 'a');
    sandbox.write('b', '1');
    sandbox.git('add', 'b');
    sandbox.remove('b');
    expect(await changes(sandbox, EMPTY)).toEqual(['modified a', 'deleted b']);
    sandbox.write('.gitignore', 'a\n');
    expect(await changes(sandbox, EMPTY)).toEqual(['modified .gitignore', 'deleted a', 'deleted b']);
  });

  it('count a committed file only when it changed again', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.write('theirs', 'user\n');
    const baseline = await baselineOf(sandbox);
    sandbox.write('a', '2');
    sandbox.write('theirs', 'session\n');
    await commitReviewed(await sandbox.repo(), { files: ['a', 'theirs'], message: 'x' });
    expect(await changes(sandbox, baseline)).toEqual([]);
    sandbox.write('a', '3');
    // As the user had it, but not as it is committed now.
    sandbox.write('theirs', 'user\n');
    expect(await changes(sandbox, baseline)).toEqual(['modified a', "modified theirs (user's)"]);
  });

  it('show a submodule as one path, when its commit moves and when something inside changes', async () => {
    const inner = makeRepository({ 'inner.txt': 'x' });
    const sandbox = makeRepository();
    sandbox.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    sandbox.commit('submodule');
    expect(await changes(sandbox, EMPTY)).toEqual([]);
    sandbox.write('sub/inner.txt', 'the user was here');
    const baseline = await baselineOf(sandbox);
    expect(await changes(sandbox, EMPTY)).toEqual(['modified sub']);
    expect(await changes(sandbox, baseline)).toEqual([]);
    sandbox.write('sub/inner.txt', 'and now the session');
    expect(await changes(sandbox, baseline)).toEqual(["modified sub (user's)"]);
  });

  it('leave another repository inside this one alone', async () => {
    const sandbox = makeRepository();
    makeRepository({ 'x.txt': 'x' }, join(sandbox.root, 'nested'));
    expect(await changes(sandbox, EMPTY)).toEqual([]);
  });

  it('work in a linked work tree', async () => {
    const sandbox = makeRepository({ a: '1' });
    sandbox.git('worktree', 'add', '-q', '-b', 'side', join(sandbox.root, '../side tree'));
    const other = Object.assign(Object.create(Object.getPrototypeOf(sandbox)), { root: join(sandbox.root, '../side tree') }) as Sandbox;
    other.write('a', '2');
    expect(await changes(other, EMPTY)).toEqual(['modified a']);
    expect(await changes(sandbox, EMPTY)).toEqual([]);
  });

  it('tell what was ignored when the session began, and no file that it made, however short .gitignore has become', async () => {
    const sandbox = makeRepository({ '.gitignore': '.env\ndeps/\n*.log\n', 'a.txt': 'a\n' });
    for (const name of ['.env', 'deps/x/i.js', 'deps/y.js', 'logs/a.log']) sandbox.write(name, 'theirs\n');
    const baseline = JSON.parse(JSON.stringify(await takeWholeBaseline(await sandbox.repo()))) as Baseline;
    sandbox.write('.gitignore', '');
    sandbox.write('new.txt', 'new\n');
    const files = await changedFiles(await sandbox.repo(), baseline);
    expect(files.filter(({ wasIgnored }) => wasIgnored).map(({ path }) => path)).toEqual([
      '.env',
      'deps/x/i.js',
      'deps/y.js',
      'logs/a.log',
    ]);
    expect(files.filter(({ wasIgnored }) => !wasIgnored).map(({ path }) => path)).toEqual(['.gitignore', 'new.txt']);
    sandbox.git('add', '.env');
    expect((await changedFiles(await sandbox.repo(), baseline)).find(({ path }) => path === '.env')?.wasIgnored).toBeUndefined();
    const ignored = ignoredIn({ head: null, files: {}, ignored: ['deps/', 'a b.log'] });
    expect(['deps/x', 'deps/', 'a b.log'].filter(ignored)).toHaveLength(3);
    expect(['deps', 'depsx/a', 'x/deps/a', 'a b.log/x', ''].filter(ignored)).toEqual([]);
  });

  it('are not misled by configuration of the user', async () => {
    const sandbox = makeRepository({ 'dir/a': 'same content here\n' });
    for (const [name, value] of [
      ['status.showUntrackedFiles', 'no'],
      ['status.renames', 'copies'],
      ['color.ui', 'always'],
      ['status.short', 'true'],
      ['diff.noprefix', 'true'],
      ['status.relativePaths', 'true'],
    ]) {
      sandbox.git('config', name as string, value as string);
    }
    sandbox.git('mv', 'dir/a', 'dir/b');
    sandbox.write('c', 'x');
    expect(await changes(sandbox, EMPTY)).toEqual(['added c', 'deleted dir/a', 'added dir/b']);
  });

  it('use the longer hash where the repository does', async () => {
    const sandbox = makeRepository({}, undefined);
    sandbox.remove('.git');
    sandbox.git('init', '-q', '-b', 'main', '--object-format=sha256');
    sandbox.git('config', 'user.name', 'T');
    sandbox.git('config', 'user.email', 't@example.com');
    sandbox.write('a', '1');
    sandbox.commit('first');
    sandbox.write('a', '2');
    const baseline = await baselineOf(sandbox);
    expect(baseline.files.a).toBe(`100644:${sandbox.line('hash-object', 'a')}`);
    expect(await changes(sandbox, baseline)).toEqual([]);
  });
});
