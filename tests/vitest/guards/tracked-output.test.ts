/** Folders named like build output: what git tracks in them is somebody's work, whatever the form of its index. */
import { expect, test } from 'vitest';
import { ignoredIn } from '../../../mcp-server/src/guards/ignored.ts';
import { emptyFolder, makeRepository, Sandbox } from '../git/sandbox.ts';

const TRACKED = ['build/make.js', 'packages/a/coverage/notes.md', 'src/a.js', 'tools/target', 'z/日本/dist/x.js'];

/** Which of these paths are free. */
function free(root: string, paths: readonly string[]): string[] {
  const isIgnored = ignoredIn(root);
  return paths.filter((path) => isIgnored(`${root}/${path}`));
}

const PATHS = [
  'build',
  'build/make.js',
  'build/new.js',
  'build/node_modules/x.js',
  'packages/a/coverage/lcov.info',
  'packages/b/coverage/lcov.info',
  'coverage',
  'tools/target',
  'target/debug/x',
  'z/日本/dist/x.js',
  'dist/x.js',
  'src/a.js',
];
const FREE = ['build/node_modules/x.js', 'packages/b/coverage/lcov.info', 'coverage', 'target/debug/x', 'dist/x.js'];

test.each([
  ['2', ['init', '--quiet']],
  ['4', ['init', '--quiet']],
  ['2', ['init', '--quiet', '--object-format=sha256']],
])('of an index of version %s, made by git %j', (version, init) => {
  const box = new Sandbox(emptyFolder('output'));
  box.git(...init);
  for (const path of TRACKED) box.write(path, 'x');
  box.git('add', '--force', '--all');
  box.git('update-index', `--index-version=${version}`);
  expect(free(box.root, PATHS)).toEqual(FREE);
  // Extended entries make a version 2 a version 3.
  box.write('src/b.js', 'x');
  box.git('add', '--intent-to-add', 'src/b.js');
  expect(free(box.root, PATHS)).toEqual(FREE);
});

test('what git ignores is free, whatever it tracks there; without an index the names decide', () => {
  const box = makeRepository();
  box.write('build/make.js', 'x');
  box.git('add', '--all');
  box.write('.gitignore', 'build/\n');
  expect(free(box.root, ['build/make.js', 'build/out.js'])).toEqual(['build/make.js', 'build/out.js']);
  expect(free(emptyFolder('plain'), ['build/make.js', 'src/a.js'])).toEqual(['build/make.js']);
});

test('what comes to be tracked is known at once', () => {
  const box = makeRepository();
  box.write('build/make.js', 'x');
  expect(free(box.root, ['build/make.js'])).toEqual(['build/make.js']);
  box.git('add', '--force', '--all');
  expect(free(box.root, ['build/make.js'])).toEqual([]);
});
