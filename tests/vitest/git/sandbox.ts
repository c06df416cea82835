import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { GitFailed } from '../../../mcp-server/src/git/failure.ts';
import { inspect, type Repository } from '../../../mcp-server/src/git/repository.ts';

const outer = realpathSync(mkdtempSync(join(tmpdir(), 'readygate git-')));

// Nothing of this machine's configuration may decide what the tests see.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_') || name.startsWith('XDG_')) delete process.env[name];
process.env.HOME = join(outer, 'home');
process.env.GIT_CONFIG_NOSYSTEM = '1';
process.env.GIT_CONFIG_GLOBAL = join(outer, 'home', 'gitconfig');
mkdirSync(process.env.HOME, { recursive: true });

afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', outer]);
  rmSync(outer, { recursive: true, force: true });
});

/** Names that a careless command line or a careless parser would trip over. */
export const AWKWARD_NAMES = [
  'with space.txt',
  ' leading and trailing ',
  `quo"te'.txt`,
  'new\nline.txt',
  'carriage\rreturn.txt',
  'tab\there.txt',
  'back\\slash.txt',
  '日本語.txt',
  'e\u0301 decomposed.txt',
  '-dash.txt',
  '--all',
  '*.js',
  '[a].js',
  '?.js',
  ':(glob)**',
  ':!x',
  'a -> b',
  '#comment',
  '$(touch pwned)',
  'folder with space/日本/-x.txt',
];

let counter = 0;

/** An empty folder of this test file's own. */
export function emptyFolder(name = 'folder'): string {
  const path = join(outer, `${name} ${++counter}`);
  mkdirSync(path, { recursive: true });
  return path;
}

/** A real repository in a temporary folder, and short ways to look at it and change it. */
export class Sandbox {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  async repo(): Promise<Repository> {
    const { root, gitDir, commonDir } = await inspect(this.root);
    return { root, gitDir, commonDir };
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  line(...args: string[]): string {
    return this.git(...args).trimEnd();
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  has(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true });
  }

  /** Commits everything there is. */
  commit(message: string): string {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.head();
  }

  /** Read from the files of a plain repository, since tests ask often; else asked of git. */
  head(): string {
    try {
      const [, ref = ''] = /^ref: (.*)\n$/.exec(readFileSync(join(this.root, '.git/HEAD'), 'utf8')) ?? [];
      const [commit = ''] = /^[0-9a-f]{40}(?=\n$)/.exec(readFileSync(join(this.root, '.git', ref), 'utf8')) ?? [];
      if (commit !== '') return commit;
    } catch {
      // packed, detached, or a linked work tree
    }
    return this.line('rev-parse', 'HEAD');
  }

  branch(): string {
    return this.line('symbolic-ref', '--short', 'HEAD');
  }

  branches(): string[] {
    return this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').filter(Boolean);
  }

  /** The paths a commit changed against its first parent. */
  committed(revision = 'HEAD'): string[] {
    return this.git('diff-tree', '-r', '-z', '--name-only', '--no-renames', `${revision}^1`, revision).split('\0').filter(Boolean);
  }

  /** What git says is staged, and what is in the index there, exactly. */
  staged(): string {
    return this.git('diff', '--cached', '--raw', '--no-renames', '--no-abbrev', '-z');
  }

  status(): string {
    return this.git('-c', 'core.quotepath=false', 'status', '--porcelain', '--untracked-files=all', '--no-renames');
  }

  /** Content, kind and mode of one file of the work tree. */
  exactly(path: string): string {
    const full = join(this.root, path);
    const stats = lstatSync(full);
    if (stats.isSymbolicLink()) return `link ${readlinkSync(full)}`;
    return `${(stats.mode & 0o777).toString(8)} ${readFileSync(full).toString('base64')}`;
  }

  hook(name: string, script: string): void {
    const path = join(this.line('rev-parse', '--absolute-git-dir'), 'hooks', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  unhook(name: string): void {
    rmSync(join(this.line('rev-parse', '--absolute-git-dir'), 'hooks', name));
  }
}

function newRepository(files: Record<string, string>, folder: string): Sandbox {
  mkdirSync(folder, { recursive: true });
  const sandbox = new Sandbox(realpathSync(folder));
  sandbox.git('init', '-q', '-b', 'main');
  sandbox.git('config', 'user.name', 'Test Person');
  sandbox.git('config', 'user.email', 'test@example.com');
  sandbox.git('config', 'commit.gpgSign', 'false');
  for (const [path, content] of Object.entries(files)) sandbox.write(path, content);
  sandbox.git('add', '-A');
  sandbox.git('commit', '-q', '--allow-empty', '-m', 'first');
  return sandbox;
}

/** Repositories by their files: a copy costs a fraction of what git takes to make one. */
const templates = new Map<string, string>();

/** A repository on branch `main` with one commit of these files. */
export function makeRepository(files: Record<string, string> = { 'readme.md': 'hello\n' }, folder = emptyFolder('repo')): Sandbox {
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? newRepository(files, emptyFolder('template')).root;
  templates.set(key, template);
  cpSync(template, folder, { recursive: true });
  const sandbox = new Sandbox(realpathSync(folder));
  // The index knows the files by their inodes.
  sandbox.git('update-index', '-q', '--refresh');
  return sandbox;
}

/** The GitFailed that something throws; anything else fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<GitFailed> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GitFailed);
  return error as GitFailed;
}

/** The user's own work in a repository: changed, staged, both, new, new and staged, deleted, made executable. */
export function usersWork(sandbox: Sandbox): { paths: string[]; picture: () => Record<string, string> } {
  sandbox.write('user/changed.txt', 'changed by the user\n');
  sandbox.write('user/staged.txt', 'staged by the user\n');
  sandbox.git('add', 'user/staged.txt');
  sandbox.write('user/both.txt', 'staged by the user\n');
  sandbox.git('add', 'user/both.txt');
  sandbox.write('user/both.txt', 'then changed again\n');
  sandbox.write('user/new.txt', 'new\n');
  sandbox.write('user/new staged.txt', 'new and staged\n');
  sandbox.git('add', 'user/new staged.txt');
  sandbox.remove('user/deleted.txt');
  sandbox.git('rm', '-q', 'user/deleted staged.txt');
  chmodSync(join(sandbox.root, 'user/tool.sh'), 0o755);
  const present = ['user/changed.txt', 'user/staged.txt', 'user/both.txt', 'user/new.txt', 'user/new staged.txt', 'user/tool.sh'];
  const paths = [...present, 'user/deleted.txt', 'user/deleted staged.txt'];
  return {
    paths,
    picture: () => ({
      ...Object.fromEntries(paths.map((path) => [path, sandbox.has(path) ? sandbox.exactly(path) : 'gone'])),
      '(staged)': sandbox.staged(),
      '(status)': sandbox
        .status()
        .split('\n')
        .filter((line) => line.includes('user/'))
        .join('\n'),
    }),
  };
}

/** The files that `usersWork` changes, as they are in the first commit. */
export const USERS_FILES: Record<string, string> = {
  'user/changed.txt': 'one\n',
  'user/staged.txt': 'one\n',
  'user/both.txt': 'one\n',
  'user/deleted.txt': 'one\n',
  'user/deleted staged.txt': 'one\n',
  'user/tool.sh': '#!/bin/sh\n',
};
