import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { excludeReadygate, inspect, repositoryAt } from '../../../mcp-server/src/git/repository.ts';
import { emptyFolder, makeRepository, Sandbox } from './sandbox.ts';

describe('inspecting a folder', () => {
  it('finds nothing where there is no repository', async () => {
    const folder = emptyFolder();
    expect(await inspect(folder)).toMatchObject({ kind: 'none', root: realpathSync(folder), head: null, branch: null, failure: null });
  });

  it('does not throw for a folder that is not there', async () => {
    expect(await inspect(join(emptyFolder(), 'nowhere'))).toMatchObject({
      kind: 'none',
      failure: expect.objectContaining({ message: expect.stringContaining('nowhere') }),
    });
  });

  it('says what is wrong when git is missing', async () => {
    const sandbox = makeRepository();
    const path = process.env.PATH;
    process.env.PATH = emptyFolder();
    const found = await inspect(sandbox.root);
    process.env.PATH = path;
    expect(found).toMatchObject({ kind: 'none', failure: expect.objectContaining({ reason: 'missing' }) });
  });

  it('knows a bare repository', async () => {
    const sandbox = new Sandbox(emptyFolder());
    sandbox.git('init', '-q', '--bare');
    expect(await inspect(sandbox.root)).toMatchObject({ kind: 'bare' });
  });

  it('knows a branch that has no commit yet', async () => {
    const sandbox = new Sandbox(emptyFolder());
    sandbox.git('init', '-q', '-b', 'trunk');
    expect(await inspect(sandbox.root)).toMatchObject({ kind: 'unborn', branch: 'trunk', head: null });
  });

  it('knows a detached HEAD', async () => {
    const sandbox = makeRepository();
    sandbox.git('switch', '-q', '--detach');
    expect(await inspect(sandbox.root)).toMatchObject({ kind: 'detached', branch: null, head: sandbox.head() });
  });

  it('answers from a folder inside and through a symbolic link with the real root', async () => {
    const sandbox = makeRepository({ 'a/b/c.txt': 'x' });
    const link = join(emptyFolder(), 'link');
    symlinkSync(sandbox.root, link);
    expect(await inspect(join(link, 'a/b'))).toMatchObject({ kind: 'branch', branch: 'main', root: sandbox.root });
  });

  it('is not led astray by a line break in a name, where git answers in lines', async () => {
    const box = makeRepository({ 'a.txt': 'x' }, emptyFolder('two\nlines'));
    const found = await inspect(box.root);
    expect(found).toMatchObject({ kind: 'branch', branch: 'main', root: box.root, head: box.head(), gitDir: join(box.root, '.git') });
  });

  it('is asked once where it lies, and again when it is another one', async () => {
    const box = makeRepository();
    const first = await repositoryAt(box.root);
    box.write('new.txt', 'x');
    box.commit('a move of HEAD is no move of the repository');
    expect(await repositoryAt(box.root)).toBe(first);
    const elsewhere = join(emptyFolder(), 'git');
    renameSync(join(box.root, '.git'), elsewhere);
    box.write('.git', `gitdir: ${elsewhere}\n`);
    expect((await repositoryAt(box.root)).gitDir).toBe(elsewhere);
  });

  it('gives a linked work tree its own root and git folder, and the shared one', async () => {
    const sandbox = makeRepository();
    const other = join(emptyFolder(), 'tree');
    sandbox.git('worktree', 'add', '-q', '-b', 'side', other);
    expect(await inspect(other)).toMatchObject({
      kind: 'branch',
      branch: 'side',
      root: realpathSync(other),
      gitDir: join(sandbox.root, '.git/worktrees/tree'),
      commonDir: join(sandbox.root, '.git'),
    });
  });

  it('lets a submodule answer for itself', async () => {
    const inner = makeRepository({ 'inner.txt': 'x' });
    const outer = makeRepository();
    outer.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub module');
    outer.commit('submodule');
    expect(await inspect(join(outer.root, 'sub module'))).toMatchObject({
      root: join(outer.root, 'sub module'),
      gitDir: join(outer.root, '.git/modules/sub module'),
    });
  });

  it('takes the inside of a git folder for no work tree', async () => {
    const sandbox = makeRepository();
    expect((await inspect(join(sandbox.root, '.git/refs'))).kind).toBe('none');
  });

  it('sees a merge, a cherry-pick and a rebase that are not finished', async () => {
    const sandbox = makeRepository({ 'f.txt': 'one\n' });
    sandbox.git('switch', '-q', '-c', 'side');
    sandbox.write('f.txt', 'side\n');
    sandbox.commit('side');
    sandbox.git('switch', '-q', 'main');
    sandbox.write('f.txt', 'main\n');
    sandbox.commit('main');
    expect((await inspect(sandbox.root)).in_progress).toBeNull();
    for (const [command, name] of [
      [['merge', 'side'], 'merge'],
      [['cherry-pick', 'side'], 'cherry-pick'],
      [['rebase', 'side'], 'rebase'],
    ] as const) {
      expect(() => sandbox.git(...command)).toThrow();
      expect((await inspect(sandbox.root)).in_progress).toBe(name);
      sandbox.git(command[0], '--abort');
    }
  });
});

describe('keeping .readygate out of git', () => {
  it('adds one line once and keeps what is there', async () => {
    const sandbox = makeRepository();
    sandbox.write('.git/info/exclude', '# mine\n*.log');
    await excludeReadygate(await sandbox.repo());
    await excludeReadygate(await sandbox.repo());
    expect(sandbox.read('.git/info/exclude')).toBe('# mine\n*.log\n.readygate/\n');
    sandbox.write('.readygate/state.json', '{}');
    expect(sandbox.status()).toBe('');
  });

  it('makes the info folder when it is missing', async () => {
    const sandbox = makeRepository();
    rmSync(join(sandbox.root, '.git/info'), { recursive: true, force: true });
    await excludeReadygate(await sandbox.repo());
    expect(sandbox.read('.git/info/exclude')).toBe('.readygate/\n');
  });

  it('is content with a spelling of the user', async () => {
    const sandbox = makeRepository();
    sandbox.write('.git/info/exclude', '/.readygate\r\n');
    await excludeReadygate(await sandbox.repo());
    expect(sandbox.read('.git/info/exclude')).toBe('/.readygate\r\n');
  });

  it('works for a linked work tree', async () => {
    const sandbox = makeRepository();
    const other = new Sandbox(join(emptyFolder(), 'tree'));
    sandbox.git('worktree', 'add', '-q', '-b', 'side', other.root);
    await excludeReadygate(await other.repo());
    mkdirSync(join(other.root, '.readygate'));
    writeFileSync(join(other.root, '.readygate/x'), 'x');
    expect(other.status()).toBe('');
  });

  it('turns an unwritable place into a GitFailed', async () => {
    const sandbox = makeRepository();
    rmSync(join(sandbox.root, '.git/info'), { recursive: true, force: true });
    sandbox.write('.git/info', 'a file where the folder should be');
    await expect(excludeReadygate(await sandbox.repo())).rejects.toMatchObject({ name: 'GitFailed' });
  });
});
