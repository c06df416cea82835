// A small project of its own for every run: a git repository, a home and a temp folder, gone when the test ends.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: 'code', id: 'c1', metadata: {}, outputs: [], execution_count: null, source: ['1+1'] }],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

/** Small, but real: a module, and a check that fails until the task is done. */
const PROJECT = {
  'README.md': '# Greeter\n\nRun `node check.mjs`.\n',
  'greet.mjs': "export const greet = (name) => 'Hello ' + name;\n",
  'check.mjs': "import { greet } from './greet.mjs';\n\nif (greet('Ada') !== 'Hello, Ada!') throw new Error(greet('Ada'));\n",
  'todo.txt': 'milk\n',
  'notes.ipynb': NOTEBOOK,
};

const readJson = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null);

export function makeWorkspace(t) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-e2e-')));
  const [home, tmp, repo] = ['home', 'tmp', 'repo'].map((name) => path.join(root, name));
  for (const folder of [home, tmp, repo]) fs.mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(PROJECT)) fs.writeFileSync(path.join(repo, name), text);
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) => execFileSync('git', args, { cwd: repo, encoding: 'utf8', stdio: 'pipe', env }).trimEnd();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.invalid');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  if (process.env.E2E_KEEP) t.diagnostic(`kept: ${root}`);
  else t.after(() => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  return {
    root,
    home,
    tmp,
    repo,
    git,
    file: (name) => path.join(repo, name),
    write: (name, text) => fs.writeFileSync(path.join(repo, name), text),
    exists: (name) => fs.existsSync(path.join(repo, name)),
    read: (name) => fs.readFileSync(path.join(repo, name), 'utf8'),
    /** The active session's state; null when there is none. */
    state: () => readJson(path.join(repo, '.readygate/state.json')),
    archived: (session) => readJson(path.join(repo, '.readygate/sessions', session, 'state.json')),
  };
}
