import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkIn, linesIn } from '../../../mcp-server/src/evidence/command-check.ts';
import { emptyFolder } from '../git/sandbox.ts';
import '../seed.ts';
import { times, tried } from '../soak.ts';

const PIPE_STATUS = '${'.concat('PIPESTATUS[0]}');

const SHOWN = [
  'npm test',
  'npm run build && npm test',
  'cd packages/app && npx vitest run',
  'npm test && echo all good',
  'echo start; npm test',
  'npm ci && npm test',
  'source venv/bin/activate && pytest -q',
  'timeout 300 env CI=1 npm test',
  'CI=1 npm test 2>&1',
  'npm test > out.log 2>&1',
  'npm test > out.log 2>&1 && tail -5 out.log',
  'set -o pipefail; npm test 2>&1 | tail -20',
  'set -euo pipefail\nnpm test | tee log',
  'bash -o pipefail -c "npm test | tail"',
  'bash -ec "npm test; echo done"',
  'bash -c "cargo test"',
  'npm test || exit 1\necho done',
  'npm test || { echo failed; exit 1; }; echo ok',
  'npm test; exit $?',
  'npm test; code=$?; echo "exit $code"; exit $code',
  `npm test | tail -5; exit ${PIPE_STATUS}`,
  `npm test | tail -5; c=${PIPE_STATUS}; true; exit $c`,
  'if npm test; then echo ok; else echo no; exit 1; fi',
  '(cd app && npm test)',
  '{ npm test; }',
  'check() { npm test; }; check',
  'make',
  './run.sh',
  'go test ./...',
  'python -m pytest tests',
  'python -c "import app; app.main()"',
  "python3 - <<'EOF'\nimport app\nassert app.add(1, 2) == 3\nEOF",
  'node dist/cli.js --version-check',
  'bash -n script.sh',
  'eval "npm test"',
  'curl -sf http://localhost:3000/health',
  'diff expected.txt actual.txt',
  '$RUNNER tests',
  'xargs -n 1 npm test < list',
  'time npm test',
  'npx tsc --noEmit',
];

describe('a command whose exit code 0 shows that something was checked', () => {
  it.each(SHOWN)('%s', (command) => {
    expect(checkIn(command)).toBe('shown');
  });

  const folder = emptyFolder('programs');
  beforeAll(() => {
    mkdirSync(join(folder, 'app'));
    for (const name of ['npm', 'cargo']) {
      writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n');
      chmodSync(join(folder, name), 0o755);
    }
  });

  // The host runs a command as `eval '…' && pwd`, which takes the effect from set -e.
  it.each(SHOWN.filter((command) => /npm test|cargo/.test(command) && !/npm ci|npm run build|npx/.test(command)))(
    'bash fails when the check fails: %s',
    (command) => {
      const env = { PATH: `${folder}:/usr/bin:/bin`, COMMAND: command };
      const { status } = spawnSync('bash', ['-c', 'eval "$COMMAND" < /dev/null && pwd'], { cwd: folder, env, stdio: 'ignore' });
      expect(status).not.toBe(0);
    },
  );
});

describe('a command whose exit code is not that of the check in it', () => {
  it.each([
    'npm test || true',
    'npm test || echo failed',
    'npm test || { echo failed; exit 0; }',
    'npm test; true',
    'npm test; echo "exit: $?"',
    'npm test\necho done',
    'npm test | tail -20',
    'npm test 2>&1 | tee out.log',
    'npm test | grep -c passed',
    '! npm test',
    '! (npm test)',
    'npm test &',
    'nohup npm test > log 2>&1 &',
    'npm test & echo started',
    'npm test & wait',
    'set -e; npm test; echo done',
    '(set -e; npm test; echo done)',
    'set -o pipefail; set +o pipefail; npm test | tail',
    'for t in a b; do npm test $t; done',
    'while ! npm test; do sleep 1; done',
    'if npm test; then echo ok; else echo no; fi',
    'if npm test; then echo ok; fi',
    'bash -c "npm test; true"',
    'bash -c "npm test | tail"',
    'eval "npm test; true"',
    'echo $(npm test)',
    'npm test || (exit 1); echo done',
    'code=0; npm test || code=1; exit 0',
    'npm test; code=$?; exit $other',
    't() { npm test; true; }; t',
    'npm test && true || true',
    't() { true; }; t',
  ])('%s', (command) => {
    expect(checkIn(command)).toBe('hidden');
  });
});

describe('a command that checks nothing', () => {
  it.each([
    '',
    'true',
    'echo "12 tests passed"',
    'ls -la && cat package.json',
    'git status && git diff',
    'git log --oneline | head',
    'cd src && pwd',
    'grep -rn "test" src',
    'sleep 5',
    'timeout 5 true',
    'env true',
    'bash -c true',
    'bash -c "echo ok"',
    'eval true',
    'command -v npm',
    'node --version',
    'npm -v',
    'npm test -- --help',
    'npm install',
    'npm ls --depth=0',
    'pip install -r requirements.txt',
    'pytest --collect-only',
    'cargo fetch',
    'node -e 0',
    'node -e "console.log(\'all tests passed\')"',
    'python3 -c pass',
    "python3 - <<'EOF'\nprint('ok')\nEOF",
    'test -f package.json',
    '[ 1 = 1 ]',
    '[[ -f x ]]',
    'A=1',
    '> out.txt',
    'cat <<EOF\nnpm test\nEOF',
    'echo npm test',
    '# npm test',
    'mkdir -p out && touch out/x',
    'docker ps',
  ])('%s', (command) => {
    expect(checkIn(command)).toBe('none');
  });
});

describe('reading commands', () => {
  it('never throws, whatever the text is', () => {
    const pieces = fc.constantFrom(
      'npm test',
      '|',
      '||',
      '&&',
      ';',
      '&',
      '(',
      ')',
      '{',
      '}',
      '!',
      'set -o pipefail',
      '$(',
      '`',
      '"',
      "'",
      'exit $?',
      '<<EOF',
      '\n',
      'EOF',
      'if',
      'then',
      'fi',
      'bash -c',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join(' ')),
        ),
        (text) => {
          expect(['shown', 'hidden', 'none']).toContain(checkIn(text));
          linesIn(text);
        },
      ),
      { numRuns: times(2000) },
    );
    tried('garbage given to the check of commands', times(2000));
  });

  it('lists the simple commands without their wrappers', () => {
    expect(linesIn('cd app && CI=1 timeout 60 npm test 2>&1 | tail -5')).toEqual(['cd app', 'npm test', 'tail -5']);
  });
});

describe('a command that nobody writes by hand', () => {
  it('is looked at in a time that grows with its length, however many wrappers it has', () => {
    expect(checkIn(`${'env '.repeat(10_000)}npm test`)).toBe('shown');
    expect(checkIn(`${'sudo '.repeat(10_000)}ls`)).toBe('none');
  });

  it('that nests too deeply says nothing, and nothing is thrown', () => {
    expect(checkIn(`: ${'${'.repeat(6_000)}`)).toBe('none');
    expect(linesIn(`: ${'${'.repeat(6_000)}`)).toEqual([]);
  });
});
