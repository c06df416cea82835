import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTaskBranch } from '../../../mcp-server/src/git/branches.ts';
import { commitReviewed } from '../../../mcp-server/src/git/commit.ts';
import { emptyFolder, Sandbox } from './sandbox.ts';

export const TASK = { branch: 'readygate/s1', base: 'main' };

/** On the task branch, with these files committed there. */
export async function taskWith(sandbox: Sandbox, files: Record<string, string>): Promise<void> {
  const repo = await sandbox.repo();
  await createTaskBranch(repo, { name: TASK.branch, base: TASK.base });
  for (const [path, content] of Object.entries(files)) sandbox.write(path, content);
  await commitReviewed(repo, { files: Object.keys(files), message: 'task' });
}

/** Moves main on without touching this work tree. */
export function mainMoves(sandbox: Sandbox, files: Record<string, string>): void {
  const other = new Sandbox(join(emptyFolder(), 'tree'));
  sandbox.git('worktree', 'add', '-q', other.root, 'main');
  for (const [path, content] of Object.entries(files)) other.write(path, content);
  other.git('add', '-Af');
  other.git('commit', '-qm', 'main moves');
  sandbox.git('worktree', 'remove', '--force', other.root);
}

export function ownFiles(sandbox: Sandbox): string[] {
  return readdirSync(join(sandbox.root, '.git')).filter((name) => name.includes('readygate') || /^(MERGE|AUTO_MERGE)/.test(name));
}
