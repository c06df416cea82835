// npm run check: everything that can be known without running the program. Prints one line a check; exits 1 if any fails.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './setup.mjs';

const bin = (name) => path.join(root, 'node_modules/.bin', name);

function has(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

function shellFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  return (stdout ?? '').split('\0').filter((file) => {
    if (!file || !fs.existsSync(path.join(root, file)) || file.startsWith('plugin/') || file.startsWith('tests/vitest/intel/fixtures/'))
      return false;
    if (/\.(sh|bash)$/.test(file) || file === '.ci/run') return true;
    return file.startsWith('bin/') && fs.readFileSync(path.join(root, file), 'utf8').startsWith('#!/bin/bash');
  });
}

const files = shellFiles();

/** name, program, arguments; `optional` programs are not npm packages and are skipped, and said, where they are missing. */
const checks = [
  { name: 'types', program: process.execPath, args: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  { name: 'types of the page', program: process.execPath, args: ['node_modules/typescript/bin/tsc', '-p', 'mcp-server/src/web/page'] },
  { name: 'biome', program: bin('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'unused exports (knip)', program: bin('knip'), args: ['--no-progress'] },
  { name: 'bundle matches source', program: process.execPath, args: ['scripts/build.mjs', '--check'] },
  { name: 'guards documented', program: process.execPath, args: ['scripts/guards-doc.mjs', '--check'] },
  { name: 'bash 3.2 and BSD tools', program: process.execPath, args: ['scripts/bash32.mjs'] },
  { name: 'artifacts documented', program: process.execPath, args: ['scripts/artifacts-doc.mjs', '--check'] },
  { name: 'shellcheck', program: 'shellcheck', args: ['-x', ...files], optional: true },
  { name: 'shfmt', program: 'shfmt', args: ['-i', '2', '-d', ...files], optional: true },
];

/** Runs all checks. Returns {passed, failed, skipped}. */
export function runChecks() {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, program, args, optional } of checks) {
    if (optional && !has(program)) {
      console.log(`skip  ${name}: ${program} is not installed`);
      count.skipped += 1;
      continue;
    }
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
    if (status === 0) count.passed += 1;
    else count.failed += 1;
    console.log(`${status === 0 ? 'ok   ' : 'FAIL '} ${name}`);
    if (status !== 0) console.log(`${stdout ?? ''}${stderr ?? ''}`.trimEnd());
  }
  return count;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  process.exitCode = runChecks().failed === 0 ? 0 : 1;
}
