import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedSince, type Fingerprint, takeFingerprint } from '../../../mcp-server/src/fingerprint/fingerprint.ts';
import { readFingerprint, writeFingerprint } from '../../../mcp-server/src/fingerprint/stored.ts';
import { AWKWARD_NAMES, emptyFolder, makeRepository, Sandbox, USERS_FILES, usersWork } from '../git/sandbox.ts';
import '../seed.ts';
import { LONG, times, tried } from '../soak.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'src/c.txt': 'three\n', 'tool.sh': '#!/bin/sh\n', '.gitignore': 'build/\n*.log\n' };
const SESSION = '20260101-000000-abcdef';

/** A folder with what is needed to watch it; `git` is false for one without a repository. */
class Watched {
  readonly box: Sandbox;
  readonly git: boolean;
  private taken: Fingerprint | null = null;

  constructor(box: Sandbox, git: boolean) {
    this.box = box;
    this.git = git;
  }

  path(name: string): string {
    return join(this.box.root, name);
  }

  private async repo() {
    return this.git ? await this.box.repo() : null;
  }

  /** Through the disk and back, as a session has it. */
  async take(): Promise<void> {
    const { root } = this.box;
    writeFingerprint(root, SESSION, await takeFingerprint(await this.repo(), root));
    this.taken = readFingerprint(root, SESSION);
  }

  async changed(ignoring?: (path: string) => boolean): Promise<string[]> {
    if (!this.taken) throw new Error('no fingerprint was taken');
    const files = await changedSince(await this.repo(), this.box.root, this.taken, ignoring);
    return files.map(({ path, status }) => `${status} ${path}`);
  }
}

async function watched(files: Record<string, string> = FILES): Promise<Watched> {
  const watch = new Watched(makeRepository(files), true);
  await watch.take();
  return watch;
}

async function folder(files: Record<string, string> = FILES): Promise<Watched> {
  const box = new Sandbox(emptyFolder('plain'));
  for (const [path, content] of Object.entries(files)) box.write(path, content);
  const watch = new Watched(box, false);
  await watch.take();
  return watch;
}

/** Other bytes of the same number, and the time put back: only the inode's change time tells. */
function rewriteUnseen(file: string, content: string): void {
  const { atime, mtime, size } = lstatSync(file);
  writeFileSync(file, content);
  utimesSync(file, atime, mtime);
  expect([lstatSync(file).size, lstatSync(file).mtimeMs]).toEqual([size, mtime.getTime()]);
}

/** Git remembers change times in whole seconds: what happens within the same one it cannot tell. */
async function nextSecond(file: string): Promise<void> {
  const last = Math.floor(lstatSync(file).ctimeMs / 1000);
  const probe = `${file}.probe`;
  // Asked of the file system itself: its clock lags a little behind ours.
  do {
    await pause(20);
    writeFileSync(probe, '');
  } while (Math.floor(lstatSync(probe).ctimeMs / 1000) <= last);
  rmSync(probe);
}

/** So that times can be put back exactly, and so long ago that no clock tick is shared. */
function age(watch: Watched, ...names: string[]): void {
  for (const name of names) utimesSync(watch.path(name), new Date(1_600_000_000_000), new Date(1_600_000_000_000));
}

const changes: [string, string[], (watch: Watched) => void][] = [
  ['nothing', [], () => {}],
  ['content', ['modified a.txt'], ({ box }) => box.write('a.txt', 'changed\n')],
  ['content of the same size', ['modified a.txt'], ({ box }) => box.write('a.txt', 'eno\n')],
  ['a new file', ['added new.txt'], ({ box }) => box.write('new.txt', 'x')],
  ['a new empty file', ['added new.txt'], ({ box }) => box.write('new.txt', '')],
  ['a new folder', ['added deep/er/new.txt'], ({ box }) => box.write('deep/er/new.txt', 'x')],
  ['a deleted file', ['deleted src/c.txt'], ({ box }) => box.remove('src/c.txt')],
  ['a renamed file', ['deleted a.txt', 'added z.txt'], (watch) => renameSync(watch.path('a.txt'), watch.path('z.txt'))],
  ['the executable bit', ['modified tool.sh'], (watch) => chmodSync(watch.path('tool.sh'), 0o755)],
  [
    'a file that became a link',
    ['modified b.txt'],
    (watch) => {
      rmSync(watch.path('b.txt'));
      symlinkSync('a.txt', watch.path('b.txt'));
    },
  ],
  ['a new link', ['added link'], (watch) => symlinkSync('/nowhere', watch.path('link'))],
  [
    'a touched file that holds the same',
    [],
    (watch) => {
      utimesSync(watch.path('a.txt'), new Date(), new Date());
      watch.box.write('b.txt', 'two\n');
    },
  ],
  ['a file that was changed and put back', [], ({ box }) => ['x', 'one\n'].forEach((content) => void box.write('a.txt', content))],
  ['our own folder', [], ({ box }) => box.write('.readygate/sessions/x/notes.md', 'x')],
];

describe('a work tree with git', () => {
  it.each(changes)('sees %s', async (_what, told, change) => {
    const watch = await watched();
    change(watch);
    expect((await watch.changed()).sort()).toEqual([...told].sort());
  });

  it('sees a rewrite whose size and times were put back', async () => {
    const box = makeRepository(FILES);
    const watch = new Watched(box, true);
    box.write('untracked.txt', 'one\n');
    box.write('b.txt', 'dirty\n');
    age(watch, 'a.txt', 'b.txt', 'untracked.txt');
    box.status();
    await watch.take();
    await nextSecond(watch.path('a.txt'));
    for (const [name, content] of [
      ['a.txt', 'eno\n'],
      ['b.txt', 'ytrid\n'],
      ['untracked.txt', 'eno\n'],
    ] as const)
      rewriteUnseen(watch.path(name), content);
    expect(await watch.changed()).toEqual(['modified a.txt', 'modified b.txt', 'modified untracked.txt']);
  });

  it('does not see ignored files, and sees that ignoring began', async () => {
    const watch = await watched();
    watch.box.write('build/out.js', 'x');
    watch.box.write('npm.log', 'x');
    expect(await watch.changed()).toEqual([]);
    watch.box.write('.gitignore', 'build/\n*.log\nsecret.txt\n');
    watch.box.write('secret.txt', 'x');
    expect(await watch.changed()).toEqual(['modified .gitignore']);
  });

  it('sees that something else is staged though the files are the same, and no refresh of the index', async () => {
    const box = makeRepository(FILES);
    box.write('dirty.txt', 'x\n');
    box.write('a.txt', 'dirty\n');
    const watch = new Watched(box, true);
    await watch.take();
    box.git('add', '-A');
    expect(await watch.changed()).toEqual(['index a.txt', 'index dirty.txt']);
    box.git('rm', '--cached', '-q', 'b.txt', 'a.txt');
    expect(await watch.changed()).toEqual(['index a.txt', 'index b.txt', 'index dirty.txt']);
    box.write('b.txt', 'changed\n');
    expect(await watch.changed()).toEqual(['index a.txt', 'modified b.txt', 'index dirty.txt']);
    box.write('b.txt', 'two\n');
    box.git('reset', '-q');
    box.git('update-index', '-q', '--really-refresh');
    expect(await watch.changed()).toEqual([]);
    box.git('add', '--intent-to-add', 'dirty.txt');
    expect(await watch.changed()).toEqual(['index dirty.txt']);
  });

  it('sees what is staged and changed in the same breath', async () => {
    const watch = await watched();
    watch.box.write('a.txt', 'changed\n');
    watch.box.write('new.txt', 'x\n');
    watch.box.git('add', '-A');
    watch.box.git('mv', 'b.txt', 'moved.txt');
    expect(await watch.changed()).toEqual(['modified a.txt', 'deleted b.txt', 'added moved.txt', 'added new.txt']);
  });

  it("leaves the user's own work alone, and sees a change of it", async () => {
    const box = makeRepository({ ...FILES, ...USERS_FILES });
    const users = usersWork(box);
    const watch = new Watched(box, true);
    await watch.take();
    expect(await watch.changed()).toEqual([]);
    box.write('user/changed.txt', 'by the session\n');
    box.write('user/deleted.txt', 'back again\n');
    box.remove('user/new.txt');
    chmodSync(watch.path('user/tool.sh'), 0o644);
    box.git('checkout', '-q', 'HEAD', '--', 'user/staged.txt');
    expect(await watch.changed()).toEqual([
      'modified user/changed.txt',
      'added user/deleted.txt',
      'deleted user/new.txt',
      'modified user/staged.txt',
      'modified user/tool.sh',
    ]);
    expect(users.paths).toContain('user/staged.txt');
  });

  it('knows files by their exact names', async () => {
    const watch = await watched();
    for (const name of AWKWARD_NAMES) watch.box.write(name, 'x');
    expect((await watch.changed()).sort()).toEqual(AWKWARD_NAMES.map((name) => `added ${name}`).sort());
    await watch.take();
    expect(await watch.changed()).toEqual([]);
    watch.box.commit('awkward');
    await watch.take();
    for (const name of AWKWARD_NAMES) watch.box.write(name, 'y');
    expect((await watch.changed()).sort()).toEqual(AWKWARD_NAMES.map((name) => `modified ${name}`).sort());
  });

  it('is not fooled by marks that keep git from looking', async () => {
    const watch = await watched();
    watch.box.git('update-index', '--assume-unchanged', 'a.txt');
    watch.box.git('update-index', '--skip-worktree', 'b.txt');
    expect(await watch.changed()).toEqual([]);
    watch.box.write('a.txt', 'changed\n');
    watch.box.write('b.txt', 'changed\n');
    expect(await watch.changed()).toEqual(['modified a.txt', 'modified b.txt']);
  });

  it('takes files that git was told not to look at as they are', async () => {
    const box = makeRepository(FILES);
    box.git('update-index', '--skip-worktree', 'a.txt');
    box.write('a.txt', 'local settings\n');
    const watch = new Watched(box, true);
    await watch.take();
    expect(await watch.changed()).toEqual([]);
    box.write('a.txt', 'other settings\n');
    expect(await watch.changed()).toEqual(['modified a.txt']);
  });

  it('goes by the files, not by HEAD: a commit of them is no change, a checkout of others is', async () => {
    const box = makeRepository(FILES);
    box.git('checkout', '-q', '-b', 'other');
    box.write('a.txt', 'of other\n');
    box.write('more.txt', 'of other\n');
    box.commit('other');
    box.git('checkout', '-q', 'main');
    box.write('b.txt', 'dirty\n');
    box.write('new.txt', 'new\n');
    const watch = new Watched(box, true);
    await watch.take();
    box.commit('the user commits in another window');
    expect(await watch.changed()).toEqual([]);
    box.git('reset', '-q', '--mixed', 'HEAD~1');
    expect(await watch.changed()).toEqual([]);
    box.git('stash', '-qu');
    expect(await watch.changed()).toEqual(['modified b.txt', 'deleted new.txt']);
    box.git('stash', 'pop', '-q');
    expect(await watch.changed()).toEqual([]);
    box.git('checkout', '-q', 'other');
    expect(await watch.changed()).toEqual(['modified a.txt', 'added more.txt']);
  });

  it('sees through line ends that git converts', async () => {
    const box = makeRepository({ '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': 'one\r\n', 'b.txt': 'two\r\n' });
    const watch = new Watched(box, true);
    await watch.take();
    box.git('rm', '--cached', '-q', 'a.txt');
    expect(await watch.changed()).toEqual(['index a.txt']);
    box.write('b.txt', 'changed\r\n');
    expect(await watch.changed()).toEqual(['index a.txt', 'modified b.txt']);
  });

  it('sees into a submodule, and not into another repository', async () => {
    const inner = makeRepository({ 'in.txt': 'x\n' });
    const box = makeRepository(FILES);
    box.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    box.commit('with a submodule');
    const watch = new Watched(box, true);
    await watch.take();
    makeRepository({ 'x.txt': 'x\n' }, join(box.root, 'nested'));
    expect(await watch.changed()).toEqual([]);
    box.write('sub/in.txt', 'changed\n');
    expect(await watch.changed()).toEqual(['modified sub']);
    await watch.take();
    expect(await watch.changed()).toEqual([]);
    box.write('sub/in.txt', 'changed again\n');
    expect(await watch.changed()).toEqual(['modified sub']);
  });

  it('works before the first commit', async () => {
    const box = new Sandbox(emptyFolder('unborn'));
    box.git('init', '-q');
    box.write('a.txt', 'x\n');
    const watch = new Watched(box, true);
    await watch.take();
    expect(await watch.changed()).toEqual([]);
    box.write('a.txt', 'y\n');
    box.write('b.txt', 'y\n');
    expect(await watch.changed()).toEqual(['modified a.txt', 'added b.txt']);
  });

  it('passes over what it is told to', async () => {
    const watch = await watched();
    watch.box.write('a.txt', 'changed\n');
    watch.box.write('cache/x', 'x');
    expect(await watch.changed((path) => path.startsWith('cache/'))).toEqual(['modified a.txt']);
  });

  it("leaves the index, and everything else of git's, as it is", async () => {
    const watch = await watched();
    watch.box.write('a.txt', 'changed\n');
    watch.box.git('rm', '--cached', '-q', 'b.txt');
    const before = [watch.box.staged(), watch.box.status()];
    await watch.changed();
    expect([watch.box.staged(), watch.box.status()]).toEqual(before);
  });
});

describe('a folder without git', () => {
  it.each(changes)('sees %s', async (_what, told, change) => {
    const watch = await folder();
    change(watch);
    expect((await watch.changed()).sort()).toEqual([...told].sort());
  });

  it('sees a rewrite whose size and times were put back', async () => {
    const watch = await folder();
    age(watch, 'a.txt', 'b.txt');
    await watch.take();
    rewriteUnseen(watch.path('a.txt'), 'eno\n');
    expect(await watch.changed()).toEqual(['modified a.txt']);
  });

  it('passes over what it is told to', async () => {
    const watch = await folder();
    watch.box.write('cache/x', 'x');
    expect(await watch.changed((path) => path.startsWith('cache/'))).toEqual([]);
  });
});

it(
  'finds exactly what differs, for any mixture of changes',
  async () => {
    const names = ['a.txt', 'b.txt', 'src/c.txt', 'new.txt', 'deep/new.txt', 'user.txt', 'user new.txt'];
    const contents = fc.constantFrom('one\n', 'two\n', 'three\n', '');
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), name: fc.constantFrom(...names), content: contents }),
      fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom(...names) }),
      fc.record({ do: fc.constant('stage' as const), name: fc.constantFrom(...names) }),
      fc.record({ do: fc.constant('commit' as const), name: fc.constantFrom(...names) }),
    );
    const picture = (box: Sandbox): Map<string, string> =>
      new Map(names.filter((name) => box.has(name)).map((name) => [name, readFileSync(join(box.root, name), 'utf8')]));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const box = makeRepository({ ...FILES, 'user.txt': 'one\n' });
        box.write('user.txt', 'dirty\n');
        box.write('user new.txt', 'two\n');
        const watch = new Watched(box, true);
        await watch.take();
        const before = picture(box);
        for (const { name, ...what } of steps) {
          if (what.do === 'write') box.write(name, what.content);
          else if (what.do === 'remove') rmSync(join(box.root, name), { force: true });
          else if (what.do === 'stage') box.git('add', '-A');
          else box.commit('in between');
        }
        const after = picture(box);
        const differing = names.filter((name) => before.get(name) !== after.get(name)).sort();
        const found = (await watch.changed()).filter((line) => !line.startsWith('index '));
        expect(found.map((line) => line.replace(/^\w+ /, ''))).toEqual(differing);
      }),
      { numRuns: times(12) },
    );
    tried('random changes against the fingerprint', times(12));
  },
  LONG.timeout,
);

describe('the stored fingerprint', () => {
  it.each(['', 'not json', 'null', '[]', '{"kind":"git"}', '{"kind":"walk","folder":{}}', '{"kind":"other"}'])('%j is none', (text) => {
    const root = emptyFolder();
    mkdirSync(join(root, '.readygate/sessions', SESSION), { recursive: true });
    writeFileSync(join(root, '.readygate/sessions', SESSION, 'fingerprint.json'), text);
    expect(readFingerprint(root, SESSION)).toBeNull();
  });

  it('that is not there is none', () => {
    expect(readFingerprint(emptyFolder(), SESSION)).toBeNull();
  });
});
