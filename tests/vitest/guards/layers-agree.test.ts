/** Layer 1 and layer 2 give the same verdict, with the same words, on generated states × calls. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '../../../mcp-server/src/guards/catalog.ts';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { buildWorld, type Case, placeSessions, REPO, type SessionSpec, stateText, toCall } from './world.ts';

const STATES = 250;
const CALLS_PER_STATE = 40;
const HOOK_RUNS = 200;
const seed = Number(process.env.READYGATE_SEED ?? Date.now() % 2 ** 31);

const ROOTS = ['repo', 'linked', 'plain', 'second', 'repo/module'];
const PLAIN = `repo src deep a.js in out out.txt far chain loop dangling-out dangling-in nested module inner module-tree tree garbage empty
  gone outside to-repo to-file to-new linked part other second plain alias to-src lib .git missing -dash ~ {path}`.split(/\s+/);
const PARTS = [...PLAIN, '日本 語', 'line\nbreak', 'it\'s "quoted"', 'back\\slash', '\u0001\u007f'];
const SHAPES = ['..', '..', '.', ''];

/** `usual` most of the time, so that a call is refused often; else one of the rest. */
const mostly = <T>(weight: number, usual: fc.Arbitrary<T>, ...others: T[]) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PARTS) }, { weight: 3, arbitrary: fc.constantFrom(...SHAPES) });
const tail = fc.array(name, { maxLength: 6 }).map((parts) => parts.join('/'));
const start = mostly(2, fc.constant('{base}/repo/'), '{base}/', '{base}/outside/', '', '~/', '/');
const target = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(start, tail).map((pair) => pair.join('')) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, '', 5, '{base}/repo/a\u0000b', `{base}/repo/${'y/'.repeat(4200)}`) },
);
const folder = fc.constantFrom(
  '{base}',
  '{base}/repo',
  '{base}/repo/src',
  '{base}/outside',
  '{base}/repo/nested',
  '{base}/repo/module',
  '{base}/linked',
);
const tool = mostly(15, fc.constantFrom(...Object.keys(catalog.file_tools)), 'Bash');
const spec: fc.Arbitrary<SessionSpec> = fc.record({
  gate: mostly(15, fc.constant('closed'), 'open', 'ajar'),
  phase: fc.constantFrom('BRANCH_INTERVENTION', 'Q1', 'READY', 'MERGE'),
  step: mostly<number | null>(9, fc.integer({ min: 2, max: 19 }), null, 1, 20),
  session: fc.constantFrom('s-1', '20260101-fix-ünïcode', 'a b'),
  owner: fc.constantFrom(null, 'me', 'env', 'someone'),
  age_h: mostly(2, fc.constant(0), -48, 1, 23.9, 24.1, 1000),
  language: fc.constantFrom('en', 'ja', 'fr'),
});
const call = fc.record({ tool, path: target, cwd: folder });
const batch = fc.record({
  root: mostly(2, fc.constant('repo'), ...ROOTS),
  spec,
  home: fc.constantFrom('{base}/home', '{base}/repo'),
  calls: fc.array(call, { minLength: CALLS_PER_STATE, maxLength: CALLS_PER_STATE }),
});

let world: ReturnType<typeof buildWorld>;
beforeAll(() => {
  world = buildWorld();
});
afterAll(() => world.remove());

const payload = ({ tool_name, tool_input, cwd, session_id }: ReturnType<typeof toCall>) =>
  JSON.stringify({ session_id, cwd, hook_event_name: 'PreToolUse', tool_name, tool_input });

function layer2(row: Omit<Case, 'name' | 'deny'>): string {
  const verdict = judgeToolCall(toCall(world.base, row));
  return verdict.decision === 'deny' ? verdict.message : 'pass';
}

function withSessions<T>(sessions: Record<string, SessionSpec>, act: () => T): T {
  const takeAway = placeSessions(world.base, { sessions });
  try {
    return act();
  } finally {
    takeAway();
  }
}

/** What the functions of the hook say to all batches that have one home, in order. */
function layer1(
  batches: readonly { root: string; spec: SessionSpec; rows: readonly Omit<Case, 'name' | 'deny'>[] }[],
  home: string,
): string[] {
  const dir = fs.mkdtempSync(`${world.base}/batches-`);
  batches.forEach(({ root, spec: state, rows }, n) => {
    fs.mkdirSync(`${dir}/${n}`);
    fs.mkdirSync(`${world.base}/${root}/.readygate`, { recursive: true });
    fs.writeFileSync(`${dir}/${n}/root`, `${world.base}/${root}\n`);
    fs.writeFileSync(`${dir}/${n}/state`, stateText(state, Date.now()));
    fs.writeFileSync(`${dir}/${n}/payloads`, rows.map((row) => `${payload(toCall(world.base, row))}\n`).join(''));
  });
  const { stdout, stderr } = spawnSync('/bin/bash', [`${REPO}/tests/vitest/guards/judge-many.bash`, REPO, dir], {
    env: { PATH: process.env.PATH, HOME: home.replace('{base}', world.base), CLAUDE_CODE_SESSION_ID: 'env' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  for (const root of ROOTS) fs.rmSync(`${world.base}/${root}/.readygate`, { recursive: true, force: true });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

test(`${STATES * CALLS_PER_STATE} states × calls: the functions of the hook and of the server agree (READYGATE_SEED=${seed})`, {
  timeout: 600_000,
}, () => {
  const batches = fc.sample(batch, { seed, numRuns: STATES }).map(({ root, spec: state, home, calls }) => ({
    root,
    spec: state,
    home,
    rows: calls.map((each) => ({ ...each, home, own: 'env', project: `{base}/${root}` })),
  }));
  let refused = 0;
  for (const home of ['{base}/home', '{base}/repo']) {
    const own = batches.filter((each) => each.home === home);
    const said2 = own.flatMap(({ root, spec: state, rows }) => withSessions({ [root]: state }, () => rows.map(layer2)));
    const said1 = layer1(own, home);
    expect(said1.length).toBe(said2.length);
    const rows = own.flatMap((each) => each.rows.map((row) => ({ state: each.spec, row })));
    const differences = rows.flatMap((each, i) => (said1[i] === said2[i] ? [] : [{ ...each, layer1: said1[i], layer2: said2[i] }]));
    expect(differences.slice(0, 5)).toEqual([]);
    refused += said2.filter((text) => text !== 'pass').length;
  }
  const share = refused / (STATES * CALLS_PER_STATE);
  console.log(`seed ${seed}: ${refused} of ${STATES * CALLS_PER_STATE} refused`);
  expect(share, 'both verdicts are well tested').toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.85);
});

test(`${HOOK_RUNS} calls through the hook itself: the same words as the server's (READYGATE_SEED=${seed})`, { timeout: 600_000 }, () => {
  const run = fc.record({
    sessions: fc.dictionary(fc.constantFrom(...ROOTS), spec, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    project: folder,
    call,
  });
  const differences = fc.sample(run, { seed, numRuns: HOOK_RUNS }).flatMap(({ sessions, project, call: made }) =>
    withSessions(sessions, () => {
      const row = { ...made, project, own: 'env' };
      const asked = toCall(world.base, row);
      const { status, stdout, stderr } = spawnSync('/bin/bash', [`${REPO}/hooks/pre-tool.sh`, 'file'], {
        cwd: asked.cwd,
        input: payload(asked),
        env: {
          PATH: process.env.PATH,
          HOME: asked.home,
          CLAUDE_PROJECT_DIR: asked.project_dir,
          CLAUDE_CODE_SESSION_ID: 'env',
          CLAUDE_PLUGIN_ROOT: REPO,
        },
        encoding: 'utf8',
      });
      const said1 = status === 2 ? stderr.trimEnd() : 'pass';
      const said2 = layer2(row);
      return said1 === said2 && stdout === '' && (status === 0 || status === 2)
        ? []
        : [{ sessions, row, said1, said2, status, stdout, stderr }];
    }),
  );
  expect(differences.slice(0, 5)).toEqual([]);
});
