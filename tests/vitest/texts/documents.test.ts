/** Documents that code and texts point to are there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Files of a user's project, by name. */
const OTHERS = new Set(['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', 'SKILL.md', 'README.md']);

test('every document that is named in capitals exists', () => {
  const files = execFileSync('git', ['ls-files', 'mcp-server', 'hooks', 'scripts', 'bench', 'docs', 'agents', 'skills', '*.md'], {
    encoding: 'utf8',
  });
  const missing: string[] = [];
  let named = 0;
  for (const file of files.split('\n').filter((name) => /\.(ts|tsx|mjs|sh|awk|jq|md)$/.test(name))) {
    for (const [name] of readFileSync(file, 'utf8').matchAll(/\b[A-Z][A-Z-]+\.md\b/g)) {
      named++;
      if (!OTHERS.has(name) && !existsSync(name) && !existsSync(`docs/design/${name}`)) missing.push(`${file}: ${name}`);
    }
  }
  expect(named).toBeGreaterThan(40);
  expect(missing).toEqual([]);
});
