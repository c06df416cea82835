// npm run mutate [-- <file>...]: Stryker over flow/ and guards/, or over the files named (globs). Fetches Stryker into .cache/ first.
// Prints the score and every survivor; .cache/mutation.html shows them in their place.
import fs from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root, run } from './setup.mjs';

const VERSION = '9.6.1';
const FOLDER = path.join(root, '.cache/stryker');
const WANTED = 85;

ensureInstalled();
const program = path.join(FOLDER, 'node_modules/.bin/stryker');
if (!fs.existsSync(program)) {
  fs.mkdirSync(FOLDER, { recursive: true });
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  // Its peer, vitest, is the project's own, which lies in a folder above.
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps', '--ignore-scripts'];
  const code = run('npm', ['install', '--prefix', FOLDER, ...options, ...packages]);
  if (code !== 0) process.exit(code);
}

const asked = process.argv.slice(2);
const settings = {
  mutate: asked.length > 0 ? asked : ['mcp-server/src/flow/**/*.ts', 'mcp-server/src/guards/**/*.ts'],
  plugins: [path.join(FOLDER, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  // TypeScript 7 has no API for Stryker to rewrite the configuration with; the copy works without.
  tsconfigFile: '.cache/none.json',
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A mutated copy of everything but what no test in this run needs.
  ignorePatterns: ['/plugin', '/.e2e', '/.cache', '/docs', '/bench', '/tests/e2e', '/tests/bats'],
  ignoreStatic: true,
  concurrency: Number(process.env.READYGATE_MUTANTS ?? 2),
  tempDirName: '.cache/mutation',
  reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
  htmlReporter: { fileName: '.cache/mutation.html' },
  jsonReporter: { fileName: '.cache/mutation.json' },
  thresholds: { high: 90, low: WANTED, break: WANTED },
  disableTypeChecks: 'mcp-server/src/**/*.ts',
};
const config = path.join(root, '.cache/stryker.config.json');
fs.writeFileSync(config, JSON.stringify(settings, null, 2));
process.exitCode = run(program, ['run', config]);
