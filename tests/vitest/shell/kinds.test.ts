import { describe, expect, test } from 'vitest';
import { analyzeShell } from '../../../mcp-server/src/guards/shell/analyze.ts';
import { CONTEXT } from './world.ts';

function kinds(command: string): string {
  return [...new Set(analyzeShell(command, { ...CONTEXT, pluginRoot: '/opt/readygate' }).writes.map((write) => write.kind))]
    .sort()
    .join(' ');
}

describe('git commands fall into the guards that care', () => {
  test.each([
    ['git commit -m "x"', 'history'],
    ['git checkout -b fix/main-menu', 'history'],
    ['git checkout feature/remove-tag', 'history'],
    ['git switch -c docs/stash-notes', 'history'],
    ['git branch -D old', 'history'],
    ['git stash', 'history'],
    ['git stash pop', 'history'],
    ['git reset --hard', 'history'],
    ['git reset HEAD~1', 'history'],
    ['git worktree add ../w', 'history'],
    ['git update-ref refs/heads/x HEAD', 'history'],
    ['git fetch origin main:main', 'history'],
    ['git tag v1', 'history'],
    ['gh pr checkout 3', 'history'],
    ['git checkout -- src/a.js', 'tree'],
    ['git checkout src/a.js', 'tree'],
    ['git restore src/a.js', 'tree'],
    ['git restore --staged src/a.js', 'git-index'],
    ['git reset HEAD src/a.js', 'git-index'],
    ['git add -A', 'git-index'],
    ['git rm --cached x', 'git-index'],
    ['git config user.name x', 'git-config'],
    ['git remote add a b', 'git-config'],
    ['git notes add -m x', 'git-refs'],
    ['git config core.hooksPath /dev/null', 'hooks-off'],
    ['git config --global core.hooksPath /dev/null', 'hooks-off'],
  ])('%s → %s', (command, kind) => {
    expect(kinds(command)).toBe(kind);
  });

  test.each([
    'git log --grep "git commit"',
    'git log fix/main-menu',
    'git show stash@{0}',
    'git branch --list "*merge*"',
    'git fetch --all',
    'git diff checkout..reset',
    'echo git push',
    'git -C /tmp/other push',
    'git stash list',
    'git tag -l "v*"',
  ])('%s is free', (command) => {
    expect(kinds(command)).toBe('');
  });
});

describe('tampering is told apart from editing', () => {
  test.each([
    ['echo x > .readygate/config.yml', 'guard'],
    ['rm -rf .readygate', 'guard'],
    ['echo x > /opt/readygate/hooks/pre-tool.sh', 'guard'],
    ['echo x > .git/hooks/pre-commit', 'hooks-off'],
    ['rm -rf .git', 'hooks-off'],
    ['echo {} > .claude/settings.local.json', 'hooks-off'],
    ['echo {} > ~/.claude/settings.json', 'hooks-off'],
    ['rm .git/index', 'git-index'],
    ['echo x >> .git/config', 'git-config'],
    ['git clean -fdx', 'guard tree'],
    ['echo x > .claude/notes.md', 'tree'],
    ['echo x > "$(printf .ready)gate/state.json"', 'guard'],
  ])('%s → %s', (command, kind) => {
    expect(kinds(command)).toBe(kind);
  });
});

test('a finding names the target, where it lies and what writes', () => {
  const { writes } = analyzeShell('cd src && echo x > ../docs/a.md', CONTEXT);
  expect(writes).toEqual([{ target: '../docs/a.md', resolved: '/home/dev/app/src/../docs/a.md', by: '>', kind: 'tree' }]);
});

test('git ignore rules that are given replace the common build folders', () => {
  const context = { ...CONTEXT, isIgnored: (path: string) => path.startsWith('/home/dev/app/gen/') };
  expect(analyzeShell('touch gen/x', context).writes).toEqual([]);
  expect(analyzeShell('touch dist/x', context).writes).toHaveLength(1);
});

test('a folder that does not exist is not entered', () => {
  const context = { ...CONTEXT, isDirectory: (path: string) => path === '/tmp' };
  expect(analyzeShell('cd /tmp; touch x', context).writes).toEqual([]);
  expect(analyzeShell('cd /tmp/none; touch x', context).writes).toHaveLength(1);
  expect(analyzeShell('cd /tmp/none && touch x', context).writes).toEqual([]);
  expect(analyzeShell('mkdir /tmp/new; cd /tmp/new; touch x', context).writes).toEqual([]);
});
