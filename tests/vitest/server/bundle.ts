/** Builds the server once for a whole run, away from plugin/, so that tests always run the present source. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The built plugin/server.cjs. */
    serverFile: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'readygate server-'));
  execFileSync(process.execPath, ['scripts/build.mjs', '--out', join(folder, 'plugin')], { stdio: ['ignore', 'ignore', 'inherit'] });
  // The programs find the rest of the plugin beside them.
  for (const name of ['hooks', 'state', 'bin', '.claude-plugin']) symlinkSync(resolve(name), join(folder, name));
  project.provide('serverFile', join(folder, 'plugin', 'server.cjs'));
  return () => rmSync(folder, { recursive: true, force: true });
}
