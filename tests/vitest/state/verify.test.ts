/** readygate verify and readygate log, on the journals of real sessions. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { appendJournal } from '../../../mcp-server/src/state/journal.ts';
import { hostEnvironment } from '../server/host.ts';
import { sessionAt, World, walk } from '../session/world.ts';

function readygate(world: World, ...args: string[]): { code: number | null; out: string; data: Record<string, unknown> } {
  const cli = join(dirname(inject('serverFile')), 'cli.cjs');
  const run = (more: string[]) =>
    spawnSync(process.execPath, [cli, ...args, ...more], {
      cwd: world.root,
      env: hostEnvironment({ project: world.root }),
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = run([]);
  return { code: status, out: stdout + stderr, data: JSON.parse(run(['--json']).stdout) };
}

interface Finished {
  world: World;
  session: string;
  file: string;
  /** As the session left it. */
  journal: readonly string[];
  lines: () => string[];
  rewrite: (change: (lines: string[]) => readonly string[]) => void;
}

let made: Finished | undefined;

/** A session that has ended: one for all tests, its journal as the session left it. */
async function finished(): Promise<Finished> {
  made ??= await finish();
  made.rewrite(() => made?.journal ?? []);
  return made;
}

async function finish(): Promise<Finished> {
  const world = new World();
  const host = await world.host();
  const { answer } = await walk(world, host, await host.start('--fast --no-doc add a greeting'));
  const file = world.path('sessions', answer.session_id, 'journal.jsonl');
  const lines = (): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const rewrite: Finished['rewrite'] = (change) => writeFileSync(file, `${change(lines()).join('\n')}\n`);
  return { world, session: answer.session_id, file, journal: lines(), lines, rewrite };
}

describe('readygate verify', () => {
  test('finds the journal of a session sound, while it runs and when it has ended', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'POST_IMPL_VERIFY', '--fast --no-doc add a greeting');
    expect(readygate(world, 'verify')).toMatchObject({ code: 0, data: { sound: true, session: at.session_id, warnings: [] } });
    await walk(world, host, await host.status());
    expect(readygate(world, 'verify')).toMatchObject({ code: 0, data: { sound: true, session: at.session_id, warnings: [] } });
    await host.start('another');
    expect(readygate(world, 'verify', at.session_id)).toMatchObject({ code: 0, data: { session: at.session_id } });
    expect(readygate(world, 'verify', 'no-such-session')).toMatchObject({ code: 1, data: { error: 'no_session' } });
  });

  const changes: [string, (lines: string[]) => string[], { line: number; what: string }][] = [
    [
      'a changed line',
      (all) => all.map((line, index) => (index === 2 ? line.replace('"rev":', '"rev":1') : line)),
      { line: 4, what: 'chain' },
    ],
    ['a missing line', (all) => all.toSpliced(2, 1), { line: 3, what: 'chain' }],
    ['a missing first line', (all) => all.slice(1), { line: 1, what: 'chain' }],
    ['a line that is there twice', (all) => all.toSpliced(2, 0, all[2] ?? ''), { line: 4, what: 'chain' }],
    ['two lines in the wrong order', (all) => [all[0] ?? '', all[2] ?? '', all[1] ?? '', ...all.slice(3)], { line: 2, what: 'chain' }],
    ['a wrong number', (all) => [...all.slice(0, -1), (all.at(-1) ?? '').replace(/"seq":\d+/, '"seq":99')], { line: -1, what: 'order' }],
  ];
  test.each(changes)('says where: %s', async (_name, change, { line, what }) => {
    const { world, rewrite, lines } = await finished();
    const expected = line < 0 ? lines().length : line;
    rewrite(change);
    const { code, out, data } = readygate(world, 'verify');
    expect({ code, broken: data.broken }).toEqual({ code: 1, broken: { line: expected, what } });
    expect(out).toContain(`line ${expected}`);
    expect(data.sound).toBe(false);
  });

  test('takes lines that a crash cut off for what they are, also in the middle of a character', async () => {
    const { world, session, file, lines } = await finished();
    const whole = lines().length;
    appendFileSync(file, Buffer.from('{"seq":99,"at":"2026-01-01T00:00:00.000Z","event":"日本').subarray(0, -1));
    expect(readygate(world, 'verify')).toMatchObject({
      code: 0,
      data: { sound: true, warnings: [expect.stringContaining(`${whole + 1}`)] },
    });
    appendJournal(world.root, session, [{ event: 'block', rev: 1 }], new Date());
    appendJournal(world.root, session, [{ event: 'block', rev: 1 }], new Date());
    expect(readygate(world, 'verify')).toMatchObject({ code: 0, data: { sound: true, lines: whole + 2, broken: null } });
  });

  test('warns of an end that was cut away', async () => {
    const { world, rewrite } = await finished();
    rewrite((all) => all.slice(0, -1));
    expect(readygate(world, 'verify')).toMatchObject({ code: 0, data: { warnings: [expect.stringContaining('end of the journal')] } });
  });
});

describe('readygate log', () => {
  test('tells people what happened when, and machines the same', async () => {
    const { world, lines, session } = await finished();
    const { code, out, data } = readygate(world, 'log');
    expect(code).toBe(0);
    for (const part of [session, 'start', '13 READY', 'report → READY', 'commit on readygate/', 'SESSION_COMPLETE, completed'])
      expect(out).toContain(part);
    expect(out).toMatch(/^2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d {2}\s*\d+(\.\d)? m?s {2}/m);
    expect(data.lines).toEqual(lines().map((line) => JSON.parse(line)));
  });

  test('stops where the journal cannot be trusted any more', async () => {
    const { world, rewrite, file } = await finished();
    rewrite((all) => all.toSpliced(3, 1));
    expect(readygate(world, 'log').out).toContain('Line 4');
    truncateSync(file, 0);
    expect(readygate(world, 'log')).toMatchObject({ code: 0, data: { lines: [] } });
  });
});
