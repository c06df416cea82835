/** What layer 1 refuses of shell commands and MCP calls, layer 2 refuses too, on generated states × calls. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seed } from '../seed.ts';
import { SOAK, tried } from '../soak.ts';
import { type Batch, layer1Of, layer2Of } from './layers.ts';
import { buildWorld, type Row, type SessionSpec } from './world.ts';

/** READYGATE_STATES=500 makes it ten thousand calls. */
const STATES = Number(process.env.READYGATE_STATES ?? (SOAK ? 500 : 40));
const CALLS_PER_STATE = 20;
const HOME = '{base}/home';

const spec: fc.Arbitrary<SessionSpec> = fc.record({
  gate: fc.constantFrom('closed', 'closed', 'closed', 'open'),
  phase: fc.constantFrom('Q1', 'READY', 'MERGE'),
  step: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 2, max: 19 }) }, { weight: 1, arbitrary: fc.constantFrom(null, 1) }),
  branch: fc.constantFrom('', 'readygate/x'),
  owner: fc.constantFrom(null, 'me', 'someone'),
  age_h: fc.constantFrom(0, 0, 0, 25),
  mutating_tools: fc.subarray(['mcp__x__*', 'mcp__*__go', 'mcp__y__do*it*']),
});

const PLACES =
  `a.txt src/a.js ./src/../b in/b out/f.txt far/x chain/x dangling-in dangling-out nested/src/x module/lib/x linked ../outside/x
  /tmp/x /dev/null ~/n ~/.claude/settings.json .readygate/state.json .readygate .git/hooks/x .git .git/config .git/HEAD .claude/settings.local.json
  .claude/x node_modules/x dist/y *.js {base}/repo/src/a.js {base}/alias/src/a.js {base}/repo {base} {base}/second/a $PWD/q $D/r "$D" - it's`.split(
    /\s+/,
  );
const place = fc.constantFrom(...PLACES);
const writer = fc.oneof(
  ...[
    'echo x > @',
    'rm -rf @',
    'cp a.txt @',
    'mv @ /tmp',
    'tee -a @ < a',
    'touch @',
    'sed -i s/a/b/ @',
    'git -C @ commit -m x',
    'git -C @ add .',
    'git checkout @',
    'git checkout -- @',
    'ln -s a @',
    'find @ -delete',
    'tar xf a -C @',
    'python3 -c \'open("@", "w")\'',
  ].map((form) => place.map((path) => form.replace('@', path))),
  fc.constantFrom(
    'git stash',
    'git config core.hooksPath x',
    'git config user.name x',
    'git push',
    'npm i x',
    'npx prettier --write .',
    'readygate clean',
    "claude -p '/readygate:abort'",
    "echo '/readygate:abort' | claude",
    "echo '[core] hooksPath=x' >> .git/config",
  ),
);
const reader = fc.constantFrom(
  'ls',
  'cat a.txt',
  'git status',
  'echo "a > b"',
  'npm test',
  'true',
  'git log --grep commit',
  'D=src',
  'D=/tmp',
);
const mover = place.map((path) => `cd ${path}`);
const joined = fc.constantFrom(' && ', '; ', ' || ', ' | ', '\n');
const command = fc
  .array(fc.oneof({ weight: 3, arbitrary: writer }, { weight: 2, arbitrary: reader }, { weight: 1, arbitrary: mover }), {
    minLength: 1,
    maxLength: 4,
  })
  .chain((parts) => joined.map((by) => parts.join(by)))
  .chain((text) =>
    fc.constantFrom(
      text,
      `(${text})`,
      `bash -c '${text.replaceAll("'", "'\\''")}'`,
      `if true; then ${text}; fi`,
      `{ ${text}; } 2>&1`,
      `"${text}`,
    ),
  );
const folder = fc.constantFrom(
  '{base}/repo',
  '{base}/repo/src',
  '{base}/repo/module/lib',
  '{base}/repo/nested',
  '{base}/outside',
  '{base}/linked',
);

const shellCall: fc.Arbitrary<Row> = fc.record({ tool: fc.constantFrom('Bash', 'Bash', 'Monitor', 'PowerShell'), command, cwd: folder });
const path = place.map((at) => (at.startsWith('{base}') || at.startsWith('/') ? at : `{base}/repo/${at}`));
const argument = fc.oneof(
  path,
  place,
  path.map((at) => `file://${at}`),
);
/** Tools of foreign servers that run commands: layer 1 goes by their names, layer 2 reads the command. */
const SHELLS = ['mcp__x__run_command', 'mcp__y__bash'];
const mcpShellCall: fc.Arbitrary<Row> = fc.record({
  tool: fc.constantFrom(...SHELLS),
  input: command.map((text) => ({ command: text })),
  cwd: folder,
});
const mcpFileCall: fc.Arbitrary<Row> = fc.record({
  tool: fc.constantFrom(
    ...[
      'write_file',
      'readFile',
      'moveFile',
      'replace_symbol_body',
      'go',
      'do_not_it',
      'create_issue',
      'patch',
      'edit',
      'search_and_replace',
      'git_commit',
      'git_add',
      'git_log',
    ].flatMap((name) => [`mcp__x__${name}`, `mcp__y__${name}`]),
    'mcp__plugin_readygate_gate__write_file',
    'SendMessage',
    'CronCreate',
  ),
  input: fc.oneof(
    fc.record({ path: argument }),
    fc.record({ repo_path: argument }),
    fc.record({ source: argument, destination: argument }),
    fc.record({ paths: fc.array(argument, { maxLength: 3 }), other: fc.constant(5) }),
    fc.record({ message: fc.constantFrom('/readygate:override x', 'hello') }),
    fc.constant({}),
  ),
  cwd: folder,
});

const mcpCall = fc.oneof({ weight: 3, arbitrary: mcpFileCall }, { weight: 1, arbitrary: mcpShellCall });

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

function batches(call: fc.Arbitrary<Row>): Batch[] {
  const batch = fc.record({
    root: fc.constantFrom('repo', 'repo', 'repo', 'linked'),
    spec,
    calls: fc.array(call, { minLength: CALLS_PER_STATE, maxLength: CALLS_PER_STATE }),
  });
  return fc.sample(batch, { seed, numRuns: STATES }).map(({ root, spec: state, calls }) => ({
    root,
    spec: state,
    rows: calls.map((row) => ({ ...row, own: 'env', project: `{base}/${root}` })),
  }));
}

const guardOf = (said: string): string => /RG\d\d/.exec(said)?.[0] ?? 'pass';

/** Every call with what both layers say of it. */
function judged(call: fc.Arbitrary<Row>, kind: string) {
  const all = batches(call);
  const said2 = layer2Of(world.base, all);
  const said1 = layer1Of(world.base, all, HOME, kind);
  expect(said1.length).toBe(said2.length);
  const rows = all.flatMap(({ root, spec: state, rows: calls }) => calls.map((row) => ({ root, state, row })));
  return rows.map((row, n) => ({ ...row, layer1: guardOf(said1[n] ?? ''), layer2: guardOf(said2[n] ?? '') }));
}

const refusedBy = (all: readonly { layer1: string; layer2: string }[], layer: 'layer1' | 'layer2') =>
  all.filter((each) => each[layer] !== 'pass').length;

test(`shell: ${STATES * CALLS_PER_STATE} states × calls (READYGATE_SEED=${seed})`, { timeout: 1_800_000 }, () => {
  const all = judged(shellCall, 'shell');
  console.log(`seed ${seed}: of ${all.length} layer 1 refused ${refusedBy(all, 'layer1')}, layer 2 ${refusedBy(all, 'layer2')}`);
  expect(all.filter(({ layer1, layer2 }) => layer1 !== 'pass' && layer2 === 'pass').slice(0, 5)).toEqual([]);
  tried('shell commands, states × calls, both layers', all.length);
  // Where both refuse, only how far each could read may differ.
  expect(refusedBy(all, 'layer1')).toBeGreaterThan(0.6 * refusedBy(all, 'layer2'));
});

test(`MCP tools and messages: ${STATES * CALLS_PER_STATE} states × calls (READYGATE_SEED=${seed})`, { timeout: 1_800_000 }, () => {
  const all = judged(mcpCall, 'mcp');
  console.log(`seed ${seed}: of ${all.length} layer 1 refused ${refusedBy(all, 'layer1')}, layer 2 ${refusedBy(all, 'layer2')}`);
  const isShell = (row: Row) => SHELLS.includes(row.tool ?? '');
  const agree = ({ row, layer1, layer2 }: (typeof all)[number]) => (isShell(row) && layer2 !== 'pass') || layer1 === layer2;
  expect(all.filter((each) => !agree(each)).slice(0, 5)).toEqual([]);
  tried('MCP tools and messages, states × calls, both layers', all.length);
  expect(all.some(({ row, layer1, layer2 }) => isShell(row) && layer1 === 'pass' && layer2 === 'RG04')).toBe(true);
});
