/** Layer 1 and layer 2 give the same verdict, with the same words, on generated states × calls. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '../../../mcp-server/src/guards/catalog.ts';
import { seed } from '../seed.ts';
import { SOAK, THOROUGH, times, tried } from '../soak.ts';
import { layer1Of, layer2, layer2Of, payload, withSessions } from './layers.ts';
import { buildWorld, REPO, type SessionSpec, toCall } from './world.ts';

/** READYGATE_STATES=10000 makes it four hundred thousand calls. */
const STATES = Number(process.env.READYGATE_STATES ?? (SOAK ? 600 : THOROUGH ? 250 : 60));
const CALLS_PER_STATE = 40;
const HOOK_RUNS = times(100);

const ROOTS = ['repo', 'linked', 'plain', 'second', 'repo/module'];
const PLAIN = `repo src deep a.js in out out.txt far chain loop dangling-out dangling-in nested module inner module-tree tree garbage empty
  gone outside to-repo to-file to-new linked part other second plain alias to-src lib .git missing -dash ~ {path} home .claude settings.json
  settings.local.json .readygate state.json hooks config modules module to-gate to-hooks`.split(/\s+/);
const PARTS = [...PLAIN, '日本 語', 'line\nbreak', 'it\'s "quoted"', 'back\\slash', '\u0001\u007f'];
const SHAPES = ['..', '..', '.', ''];

/** `usual` most of the time, so that a call is refused often; else one of the rest. */
const mostly = <T>(weight: number, usual: fc.Arbitrary<T>, ...others: T[]) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const name = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PARTS) }, { weight: 3, arbitrary: fc.constantFrom(...SHAPES) });
/** Places that guard the gate itself, and such as are near them. */
const GUARDED =
  `.readygate .readygate/config.yml .readygate/sessions/s-1/a.md .git/hooks/pre-commit .git/hooks .git/HOOKS/x .git/modules/module/hooks/x
  .git/config .git/config.worktree .git/info/exclude .claude/settings.json .CLAUDE/Settings.local.json .claude/settings.txt .claude/x/settings.json
  src/.claude/settings.json in/../.readygate/x out/../.readygate/x src/../.git/hooks/x`.split(/\s+/);
const tail = fc.array(name, { maxLength: 6 }).map((parts) => parts.join('/'));
const start = mostly(2, fc.constant('{base}/repo/'), '{base}/', '{base}/outside/', '', '~/', '/');
const target = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(start, fc.constantFrom(...GUARDED)).map((pair) => pair.join('')) },
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
  gate: mostly(6, fc.constant('closed'), 'open', 'ajar'),
  branch: fc.constantFrom('', 'readygate/x'),
  phase: fc.constantFrom('BRANCH_INTERVENTION', 'Q1', 'READY', 'MERGE'),
  step: mostly<number | null>(9, fc.integer({ min: 2, max: 19 }), null, 1, 20),
  session: fc.constantFrom('s-1', '20260101-fix-ünïcode', 'a b'),
  owner: fc.constantFrom(null, 'me', 'env', 'someone'),
  age_h: mostly(2, fc.constant(0), -48, 1, 23.9, 24.1, 1000),
  language: fc.constantFrom('en', 'ja', 'fr'),
});
/** What is written; git's own settings matter only where they name hooks. */
const content = fc.constantFrom('x', '[core] HooksPath = /tmp');
const call = fc.record({ tool, path: target, cwd: folder, content });
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

test(`${STATES * CALLS_PER_STATE} states × calls: the functions of the hook and of the server agree (READYGATE_SEED=${seed})`, {
  timeout: 1_800_000,
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
    const said2 = layer2Of(world.base, own);
    const said1 = layer1Of(world.base, own, home, 'file');
    expect(said1.length).toBe(said2.length);
    const rows = own.flatMap((each) => each.rows.map((row) => ({ state: each.spec, row })));
    const differences = rows.flatMap((each, i) => (said1[i] === said2[i] ? [] : [{ ...each, layer1: said1[i], layer2: said2[i] }]));
    expect(differences.slice(0, 5)).toEqual([]);
    refused += said2.filter((text) => text !== 'pass').length;
  }
  tried('file tools, states × calls, both layers', STATES * CALLS_PER_STATE);
  const share = refused / (STATES * CALLS_PER_STATE);
  console.log(`seed ${seed}: ${refused} of ${STATES * CALLS_PER_STATE} refused`);
  expect(share, 'both verdicts are well tested').toBeGreaterThan(0.15);
  expect(share).toBeLessThan(0.85);
});

/** At an open gate the hook looks closer only if the raw payload names a guarded place; a link to one is left to layer 2. */
function leavesToLayer2(sessions: Readonly<Record<string, SessionSpec>>, raw: string): boolean {
  const open = Object.values(sessions).every(({ gate }) => gate === 'open');
  return open && !/\.readygate|\.git\/|\.claude\/[ps]/.test(raw);
}

test(`${HOOK_RUNS} calls through the hook itself: the same words as the server's (READYGATE_SEED=${seed})`, { timeout: 1_800_000 }, () => {
  const run = fc.record({
    sessions: fc.dictionary(fc.constantFrom(...ROOTS), spec, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
    project: folder,
    call,
  });
  const differences = fc.sample(run, { seed, numRuns: HOOK_RUNS }).flatMap(({ sessions, project, call: made }) =>
    withSessions(world.base, sessions, () => {
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
      const said2 = layer2(world.base, row);
      const fits = said1 === said2 || (said1 === 'pass' && leavesToLayer2(sessions, payload(asked)));
      return fits && stdout === '' && (status === 0 || status === 2) ? [] : [{ sessions, row, said1, said2, status, stdout, stderr }];
    }),
  );
  expect(differences.slice(0, 5)).toEqual([]);
  tried('calls through the hook itself', HOOK_RUNS);
});
