/** A damaged state.json: kept aside, its session brought back, nothing else touched. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { judgeToolCall } from '../../../mcp-server/src/guards/judge.ts';
import { checkJournal } from '../../../mcp-server/src/state/check-journal.ts';
import { appendJournal, sha256 } from '../../../mcp-server/src/state/journal.ts';
import { archivedState, journalFile, sessionFolder, snapshotFile } from '../../../mcp-server/src/state/layout.ts';
import { type Recovered, recover } from '../../../mcp-server/src/state/recover.ts';
import { readState, readStateFile, type SessionFile, serialize } from '../../../mcp-server/src/state/session-file.ts';
import { withState } from '../../../mcp-server/src/state/with-state.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { type Answer, type Host, hostEnvironment } from '../server/host.ts';
import { sessionAt, usualReply, World, walk } from '../session/world.ts';
import { fileOf, freshRoot, freshState } from './store.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const HOOK = fileURLToPath(new URL('../../../hooks/pre-tool.sh', import.meta.url));

/** Writes states as a session does: each with its line in the journal. */
async function steps(root: string, states: SessionFile[]): Promise<void> {
  for (const state of states) {
    await withState(root, async (fence) => {
      const text = fence.commit(state);
      appendJournal(root, state.session, [{ event: 'transition', rev: state.rev, state: sha256(text) }], NOW);
    });
  }
}

async function twoSteps(): Promise<{ root: string; states: SessionFile[] }> {
  const root = freshRoot();
  const states = [2, 3].map((rev) => freshState(root, { rev, instruction: `step ${rev}` }));
  await steps(root, states);
  return { root, states };
}

const mend = (root: string): Promise<Recovered | null> => withState(root, async (fence) => recover(fence, NOW));

const kept = (root: string): string[] => readdirSync(dirname(fileOf(root))).filter((name) => name.startsWith('state.json.corrupt-'));

function present(root: string): SessionFile {
  const found = readState(root);
  if (found.kind !== 'present') throw new Error(JSON.stringify(found));
  return found.state;
}

/** The hook as the host starts it. It must let the call pass: a damaged state gates nothing. */
function hookCode(root: string): number | null {
  const input = JSON.stringify({
    session_id: 'me',
    cwd: root,
    tool_name: 'Edit',
    tool_input: { file_path: join(root, 'a'), old_string: 'a' },
  });
  return spawnSync('/bin/bash', [HOOK, 'file'], { cwd: root, input, env: { ...hostEnvironment({ project: root }) } }).status;
}

describe('a state cut off', () => {
  test('after any byte is never taken for a state', async () => {
    const { root, states } = await twoSteps();
    const whole = readFileSync(fileOf(root));
    // Without its last line end it is still whole.
    for (let length = 0; length < whole.length - 1; length++) {
      writeFileSync(fileOf(root), whole.subarray(0, length));
      expect(readState(root).kind, `${length} bytes`).toBe('corrupt');
    }
    expect(states).toHaveLength(2);
  });

  test('is brought back as it was, wherever it was cut, and the hook lets pass meanwhile', async () => {
    const { root, states } = await twoSteps();
    const whole = readFileSync(fileOf(root));
    const lengths = [
      0,
      1,
      60,
      100,
      101,
      ...Array.from({ length: 25 }, (_, index) => Math.floor((index * whole.length) / 25)),
      whole.length - 2,
    ];
    for (const length of lengths) {
      writeFileSync(fileOf(root), whole.subarray(0, length));
      if (length % 7 === 0) expect(hookCode(root), `${length} bytes`).toBe(0);
      expect(await mend(root), `${length} bytes`).toMatchObject({ kind: 'rebuilt', state: states[1] });
      expect(readFileSync(fileOf(root)).equals(whole)).toBe(true);
    }
    expect(kept(root)).toHaveLength(lengths.length);
    expect(checkJournal(journalFile(root, states[0]?.session ?? '')).broken).toBeNull();
  });
});

/** How a state can be damaged; `outside` is a file that nobody may touch. */
const damages: [string, (file: string, outside: string) => void][] = [
  ['cut off', (file) => truncateSync(file, 500)],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(4000))],
  ['empty', (file) => writeFileSync(file, '')],
  ['no UTF-8', (file) => appendFileSync(file, Buffer.from([0xff, 0xfe]))],
  ['50 MB', (file) => truncateSync(file, 50 * 1024 * 1024)],
  [
    'a folder',
    (file) => {
      rmSync(file);
      mkdirSync(file);
      writeFileSync(join(file, 'inside'), 'x');
    },
  ],
  [
    'a symbolic link out of the tree, to a good state',
    (file, outside) => {
      rmSync(file);
      symlinkSync(outside, file);
    },
  ],
];

function picture(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return `link ${readlinkSync(file)}`;
  return stat.isDirectory() ? `folder ${readdirSync(file).join()}` : `file ${stat.size} ${sha256(readFileSync(file))}`;
}

describe('a state.json that is', () => {
  const essence = ({ session_id, phase, step, instruction, expected_payload }: Answer) => ({
    session_id,
    phase,
    step,
    instruction,
    expected_payload,
  });

  test.each(damages)('%s: the first call mends it and says so, and the session goes on', async (name, damage) => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'READY.implement', '--fast --no-doc add a greeting');
    const file = world.path('state.json');
    const outside = join(emptyFolder('outside'), 'state.json');
    writeFileSync(outside, readFileSync(file));
    const [before, untouched] = [readFileSync(file), statSync(outside).mtimeMs];
    damage(file, outside);
    const damaged = picture(file);
    expect(hookCode(world.root)).toBe(0);
    const first = await host.submit(usualReply(world, at));
    expect(first).toMatchObject({
      error: 'state_corrupt',
      message: expect.stringMatching(/kept as .*state\.json\.corrupt-.*READY \(step 13\)/),
    });
    expect(essence(first)).toEqual(essence(at));
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(kept(world.root).map((name) => picture(world.path(name)))).toEqual([damaged]);
    expect(readFileSync(outside).equals(before)).toBe(true);
    expect(statSync(outside).mtimeMs).toBe(untouched);
    const next = await host.submit(usualReply(world, await host.status()));
    expect(next).toMatchObject({ phase: 'READY', substep: 'finish' });
    if (name === 'cut off') expect((await walk(world, host, next)).answer.outcome).toBe('completed');
    expect(world.journal(at.session_id).filter((line) => line.event === 'recovered')).toMatchObject([{ from: 'snapshot' }]);
  });

  test('damaged does not keep the user from ending the session by a word', async () => {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    const at = await host.start('add a greeting');
    writeFileSync(world.path('state.json'), 'nonsense');
    const spoken = { prompt: '/readygate:abort', session_id: 'claude-1' };
    await host.client.callTool({ name: 'on_prompt', arguments: spoken });
    expect(await host.status()).toMatchObject({ session_id: at.session_id, outcome: 'aborted' });
  });

  test('damaged is mended by every tool', async () => {
    const world = new World();
    const host = await world.host();
    const at = await host.start('add a greeting');
    for (const call of [
      () => host.status(),
      () => host.start('another'),
      () => host.submit({}),
      () => host.status({ session_id: at.session_id }),
    ]) {
      writeFileSync(world.path('state.json'), 'nonsense');
      expect(await call()).toMatchObject({ error: 'state_corrupt', phase: 'DOCUMENT_RESEARCH', session_id: at.session_id });
      expect((await host.status()).error).toBeUndefined();
    }
  });
});

describe('a session is brought back', () => {
  test('as the journal last knew it, when a crash came before the journal', async () => {
    const { root, states } = await twoSteps();
    await withState(root, async (fence) => fence.commit(freshState(root, { rev: 4 })));
    truncateSync(fileOf(root), 100);
    expect(await mend(root)).toMatchObject({ kind: 'rebuilt', state: states[1] });
  });

  test('behind a journal line that a crash cut off', async () => {
    const { root, states } = await twoSteps();
    appendFileSync(journalFile(root, present(root).session), '{"seq":3,"at":"2026-01-0');
    writeFileSync(fileOf(root), '');
    expect(await mend(root)).toMatchObject({ kind: 'rebuilt', state: states[1] });
  });

  test('when its own name cannot be read any more: it is the one that has not ended', async () => {
    const { root, states } = await twoSteps();
    const ended = '20270101-000000-abcdef';
    mkdirSync(sessionFolder(root, ended), { recursive: true });
    writeFileSync(fileOf(root), Buffer.alloc(100));
    expect(await mend(root)).toMatchObject({ kind: 'rebuilt', state: states[1] });
  });
});

/** What must never come back: each makes the copy say more than the journal does. */
const untrusted: [string, (root: string, session: string) => void][] = [
  ['was changed', (root, session) => change(snapshotFile(root, session, 3), '"closed"', '"open"')],
  ['is missing', (root, session) => rmSync(snapshotFile(root, session, 3))],
  ['is damaged', (root, session) => truncateSync(snapshotFile(root, session, 3), 50)],
  ['fits a journal that was changed', (root, session) => change(journalFile(root, session), '"transition"', '"override"')],
  ['has no journal', (root, session) => writeFileSync(journalFile(root, session), '')],
];

function change(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

describe('a session whose last copy', () => {
  test.each(untrusted)('%s is closed, with what there is left readable', async (_name, spoil) => {
    const { root, states } = await twoSteps();
    const { session } = present(root);
    writeFileSync(join(sessionFolder(root, session), 'notes.md'), 'found');
    spoil(root, session);
    truncateSync(fileOf(root), 200);
    expect(await mend(root)).toMatchObject({ kind: 'closed', session });
    expect(existsSync(fileOf(root))).toBe(false);
    expect(kept(root)).toHaveLength(1);
    expect(readFileSync(join(sessionFolder(root, session), 'notes.md'), 'utf8')).toBe('found');
    expect(readStateFile(archivedState(root, session))).toMatchObject({
      state: { phase: 'SESSION_COMPLETE', gate: 'closed', outcome: 'aborted', request: states[0]?.request },
    });
    expect(await mend(root)).toBeNull();
  });
});

test('a damaged state that the user cleans away ends its session, which no later damage brings back', async () => {
  const world = new World();
  const host = await world.host();
  const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
  truncateSync(world.path('state.json'), 300);
  expect((await host.start('--clean')).error).toBeUndefined();
  expect(kept(world.root)).toHaveLength(1);
  expect(readStateFile(archivedState(world.root, at.session_id))).toMatchObject({
    state: { phase: 'SESSION_COMPLETE', outcome: 'aborted' },
  });
  writeFileSync(world.path('state.json'), 'nonsense');
  expect(await host.status()).toMatchObject({ error: 'state_corrupt', session_id: null });
  expect((await host.start('another')).phase).toBe('DOCUMENT_RESEARCH');
});

test('a damaged state without any session is kept, and a session can begin', async () => {
  const world = new World();
  world.box.write('.readygate/state.json', 'nonsense');
  const host = await world.host();
  expect(await host.start('add a greeting')).toMatchObject({ error: 'state_corrupt', message: expect.stringContaining('start one') });
  expect((await host.start('add a greeting')).phase).toBe('DOCUMENT_RESEARCH');
});

test('a state that a crash left at the end of its session gates nothing and is archived by whoever comes next', async () => {
  const world = new World();
  const host = await world.host();
  const at = await sessionAt(world, host, 'POST_IMPL_VERIFY', '--only-verify');
  const last = present(world.root);
  const ended = { ...last, rev: last.rev + 1, phase: 'SESSION_COMPLETE', gate: 'open' as const, outcome: 'verified' as const };
  await withState(world.root, async (fence) => fence.commit(ended));
  expect(hookCode(world.root)).toBe(0);
  expect(await host.status()).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'verified', step: null });
  expect((await host.submit({})).error).toBe('session_complete');
  expect((await host.start('add a greeting')).phase).toBe('DOCUMENT_RESEARCH');
  expect(readStateFile(archivedState(world.root, at.session_id))).toMatchObject({ state: { ...ended, gate: 'closed' } });
});

describe('a gate that a script opened in state.json', () => {
  const forged: [string, (state: SessionFile) => SessionFile][] = [
    ['the gate line alone', (state) => ({ ...state, gate: 'open' })],
    [
      'a whole step of implementing',
      (state) => ({ ...state, gate: 'open', phase: 'READY', step: 13, node: 'READY_IMPLEMENT' }) as SessionFile,
    ],
    ['an override', (state) => ({ ...state, gate: 'open', override: { reason: 'mine' } }) as unknown as SessionFile],
  ];

  test.each(forged)('as %s opens nothing, and is undone by the next call', async (_what, forge) => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'EXPLORATION');
    const before = present(world.root);
    writeFileSync(world.path('state.json'), serialize(forge(before)));
    const edit = { tool_name: 'Write', tool_input: { file_path: join(world.root, 'a.txt'), content: 'x' }, cwd: world.root };
    expect(judgeToolCall({ ...edit, project_dir: world.root })).toMatchObject({ decision: 'deny', guard: 'RG01' });
    expect((await host.submit(usualReply(world, at))).error).toBe('state_corrupt');
    expect(await host.status()).toMatchObject({ phase: 'EXPLORATION', step: 5 });
    expect(present(world.root)).toMatchObject({ gate: 'closed', rev: before.rev });
    expect(kept(world.root)).toHaveLength(1);
  });

  /** A session whose gate was open and is closed again, and the text of its state while it was open. */
  async function closedAgain(): Promise<{ world: World; host: Host; open: string }> {
    const world = new World();
    const host = await world.host({ owner: 'claude-1' });
    await sessionAt(world, host, 'EXPLORATION');
    await host.client.callTool({ name: 'on_prompt', arguments: { prompt: '/readygate:override why not', session_id: 'claude-1' } });
    const open = readFileSync(world.path('state.json'), 'utf8');
    await host.submit({ explored_files: ['readme.md'], findings: ['x'] });
    expect(present(world.root)).toMatchObject({ gate: 'closed', phase: 'Q1' });
    return { world, host, open };
  }

  test.each([
    ['from its text', (world: World, open: string) => writeFileSync(world.path('state.json'), open)],
    [
      'with both copies of it',
      (world: World, open: string) => {
        const { session } = present(world.root);
        for (const parity of [0, 1]) writeFileSync(snapshotFile(world.root, session, parity), open);
        writeFileSync(world.path('state.json'), open);
      },
    ],
  ])('by putting an older state back %s opens nothing', async (_what, putBack) => {
    const { world, host, open } = await closedAgain();
    const { session } = present(world.root);
    const copies = [0, 1].map((parity) => readFileSync(snapshotFile(world.root, session, parity), 'utf8'));
    expect(copies).toContain(open);
    putBack(world, open);
    expect(readState(world.root)).toMatchObject({ kind: 'corrupt', detail: expect.stringContaining('older') });
    const edit = { tool_name: 'Write', tool_input: { file_path: join(world.root, 'a.txt'), content: 'x' }, cwd: world.root };
    const forgot =
      readFileSync(snapshotFile(world.root, session, 0), 'utf8') === readFileSync(snapshotFile(world.root, session, 1), 'utf8');
    expect(judgeToolCall({ ...edit, project_dir: world.root })).toMatchObject({ decision: 'deny', guard: 'RG01' });
    expect((await host.submit({})).error).toBe('state_corrupt');
    const now = await host.status();
    if (forgot) expect(now.phase).toBe('SESSION_COMPLETE');
    else expect(now).toMatchObject({ phase: 'Q1', gate: 'closed' });
    expect(readState(world.root).kind).toBe(forgot ? 'absent' : 'present');
  });

  test('by putting an older state back is found by a process that has read that one before', async () => {
    const { root, states } = await twoSteps();
    const older = readFileSync(fileOf(root), 'utf8');
    expect(present(root)).toMatchObject({ rev: 3 });
    const newer = freshState(root, { rev: 4 });
    await steps(root, [newer]);
    writeFileSync(fileOf(root), older);
    expect(readState(root).kind).toBe('corrupt');
    expect(await mend(root)).toMatchObject({ kind: 'rebuilt', state: newer });
    expect(present(root)).toMatchObject({ rev: 4, session: states[0]?.session });
  });

  test('without a copy that the journal vouches for, the session ends rather than going on open', async () => {
    const world = new World();
    const host = await world.host();
    const { session_id } = await sessionAt(world, host, 'EXPLORATION');
    const before = present(world.root);
    rmSync(join(sessionFolder(world.root, session_id ?? ''), 'snapshots'), { recursive: true });
    writeFileSync(world.path('state.json'), serialize({ ...before, gate: 'open', override: { reason: 'x' } } as unknown as SessionFile));
    expect((await host.submit({})).error).toBe('state_corrupt');
    expect((await host.start('another')).phase).toBe('DOCUMENT_RESEARCH');
  });
});
