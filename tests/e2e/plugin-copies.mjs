// The plugin under test is the repository itself; variants of it are copies without what only developers need.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const PLUGIN = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const LEFT_OUT = ['.git', 'node_modules', '.e2e', '.cache', 'coverage', 'tests', '.readygate'];

/** Copies what an installation needs, and nothing that would only be there on a developer's machine. */
export function copyPlugin(folder) {
  fs.cpSync(PLUGIN, folder, { recursive: true, filter: (source) => !LEFT_OUT.includes(path.relative(PLUGIN, source)) });
  return folder;
}

/** A copy whose PreToolUse hooks are only those of one type, 'command' or 'mcp_tool'. */
export function copyWithOneLayer(folder, type) {
  const file = path.join(copyPlugin(folder), 'hooks/hooks.json');
  const declared = JSON.parse(fs.readFileSync(file, 'utf8'));
  declared.hooks.PreToolUse = declared.hooks.PreToolUse.map((group) => ({
    ...group,
    hooks: group.hooks.filter((hook) => hook.type === type),
  })).filter((group) => group.hooks.length > 0);
  fs.writeFileSync(file, JSON.stringify(declared));
  return folder;
}
