// npm run e2e:setup: fetches the client that the e2e tests drive into .e2e/, an ignored folder (about 400 MB).
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, run } from './setup.mjs';

export const CLIENT = '@anthropic-ai/claude-code@2.1.332';

/** The client's program: E2E_CLAUDE_BIN, else the one in .e2e/, else null. */
export function clientPath() {
  if (process.env.E2E_CLAUDE_BIN) return process.env.E2E_CLAUDE_BIN;
  const file = path.join(root, '.e2e/node_modules/.bin/claude');
  return fs.existsSync(file) ? file : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const there = clientPath();
  if (there) console.log(`The client is there: ${there}`);
  else {
    fs.mkdirSync(path.join(root, '.e2e'), { recursive: true });
    process.exitCode = run('npm', ['install', '--prefix', '.e2e', '--no-audit', '--no-fund', '--no-package-lock', CLIENT]);
  }
}
