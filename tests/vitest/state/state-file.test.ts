import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { describe, expect, test } from 'vitest';
import { lockFolder } from '../../../mcp-server/src/state/layout.ts';
import { readState, type SessionFile, serialize } from '../../../mcp-server/src/state/session-file.ts';
import { withState } from '../../../mcp-server/src/state/with-state.ts';
import schema from '../../../state/state.schema.json' with { type: 'json' };
import { sessionAt, usualReply, World, walk } from '../session/world.ts';
import { age, fileOf, freshRoot, freshState, work } from './store.ts';

/** As STATE.md gives it to bash. */
const GATE_LINE = /^\{"gate":"(closed|open)","phase":"([A-Z0-9_]+)","step":([0-9]+),"session":"([^"]+)","rev":([0-9]+),$/;

const hasJq = spawnSync('jq', ['--version']).status === 0;
if (!hasJq) console.log('skipped: jq reads the state, because jq is not installed');

describe('state.json at every step of a session', () => {
  test('begins with the gate line, is one JSON document, and fits its schema', async () => {
    const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(schema);
    const world = new World();
    const host = await world.host({ owner: 'me' });
    const gates: string[] = [];
    const before = async (): Promise<undefined> => {
      const text = readFileSync(world.path('state.json'), 'utf8');
      const line = GATE_LINE.exec(text.split('\n')[0] ?? '');
      const state = JSON.parse(text);
      expect(line?.slice(1)).toEqual([state.gate, state.phase, String(state.step), state.session, String(state.rev)]);
      expect(validate(state), JSON.stringify(validate.errors)).toBe(true);
      gates.push(`${state.step}${state.gate === 'open' ? ' open' : ''}`);
    };
    const replies = {
      QUALITY_REVIEW: [{ quality_score: 1, issues: ['rude'] }],
      POST_IMPL_VERIFY: [{ passed: false, details: 'red' }],
      'READY.plan': () => ({ tasks: [{ id: 'a', description: 'b', status: 'pending' }] }),
    };
    const { answer } = await walk(world, host, await host.start('add a greeting'), { before, replies });
    expect(gates.filter((gate) => gate.endsWith('open'))).toEqual(['13 open', '14 open', '13 open', '14 open', '13 open', '14 open']);
    const archived = JSON.parse(readFileSync(world.path('sessions', answer.session_id, 'state.json'), 'utf8'));
    expect(validate(archived), JSON.stringify(validate.errors)).toBe(true);
  });

  test.skipIf(!hasJq)('is read by jq', async () => {
    const world = new World();
    const host = await world.host();
    await host.start('add a "greeting"\nin 日本語 \\u0000');
    const ran = spawnSync('jq', ['-r', '.gate, .step, .last_activity'], {
      input: readFileSync(world.path('state.json')),
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe('');
    const state = world.state();
    expect(ran.stdout).toBe(`closed\n3\n${state.last_activity}\n`);
    expect(Number.isInteger(state.last_activity)).toBe(true);
  });
});

describe('reading', () => {
  const good = (root: string) => serialize(freshState(root));
  const rest = (change: Record<string, unknown>) => (root: string) => serialize({ ...freshState(root), ...change } as SessionFile);
  const without = (key: keyof SessionFile) => (root: string) => {
    const { [key]: _, ...others } = freshState(root);
    return serialize(others as SessionFile);
  };
  const damaged: [string, (root: string) => string | Buffer][] = [
    ['an empty file', () => ''],
    ['a file cut off in its first line', (root) => good(root).slice(0, 40)],
    ['a file cut off after its first line', (root) => `${good(root).split('\n')[0]}\n`],
    ['a file cut off in the middle', (root) => good(root).slice(0, 400)],
    ['a file cut off at its last brace', (root) => good(root).trimEnd().slice(0, -1)],
    ['zeros', () => Buffer.alloc(4096)],
    ['zeros at its end', (root) => Buffer.concat([Buffer.from(good(root).slice(0, 300)), Buffer.alloc(300)])],
    ['bytes that are no UTF-8', (root) => Buffer.concat([Buffer.from(good(root)), Buffer.from([0xff, 0xfe])])],
    ['JSON in another form', (root) => JSON.stringify(freshState(root))],
    ['a list', () => '[]\n'],
    ['two documents', (root) => good(root) + good(root)],
    ['a schema older than any', rest({ schema: -1 })],
    ['no schema', without('schema')],
    ['no tasks', without('tasks')],
    ['no counters', without('counters')],
    ['no flags', without('flags')],
    ['a task that is none', rest({ tasks: ['a'] })],
    ['a null for a list', rest({ warnings: null })],
    ['an unknown step of the flow', rest({ node: 'DANCE' })],
    ['a step named like a property of every object', rest({ node: 'constructor' })],
    ['a step that belongs to another phase', rest({ node: 'MERGE' })],
    ['an unknown language', rest({ language: 'xx' })],
    ['a time that is no number', rest({ last_activity: '2026-01-01' })],
  ];
  test.each(damaged)('refuses %s', (_name, make) => {
    const root = freshRoot();
    writeFileSync(fileOf(root), make(root));
    expect(readState(root)).toMatchObject({ kind: 'corrupt', file: fileOf(root), detail: expect.stringMatching(/./) });
  });

  test('knows a newer schema from damage', () => {
    const root = freshRoot();
    writeFileSync(fileOf(root), serialize({ ...freshState(root), schema: 2, tasks: 'in another form' } as unknown as SessionFile));
    expect(readState(root)).toEqual({ kind: 'newer', file: fileOf(root), schema: 2 });
  });

  test('keeps what it does not know', () => {
    const root = freshRoot();
    writeFileSync(fileOf(root), serialize({ ...freshState(root), later: { a: 1 } } as SessionFile));
    expect(readState(root)).toMatchObject({ kind: 'present', state: { later: { a: 1 } } });
  });

  test('finds nothing where nothing is', () => {
    const root = freshRoot();
    rmSync(fileOf(root));
    expect(readState(root)).toEqual({ kind: 'absent' });
    rmSync(join(root, '.readygate'), { recursive: true });
    expect(readState(root)).toEqual({ kind: 'absent' });
  });

  test('gives back what was written', async () => {
    const root = freshRoot();
    const state = freshState(root, { rev: 7, instruction: 'quotes " and \n lines, 日本語, \u2028, \u0000' });
    await withState(root, async (fence) => fence.commit(state));
    expect(readState(root)).toEqual({ kind: 'present', state });
  });
});

describe('a state of a newer schema', () => {
  test('is refused by every tool and left as it is; --clean keeps it under another name', async () => {
    const world = new World();
    const host = await world.host();
    await host.start('add a greeting');
    const newer = readFileSync(world.path('state.json'), 'utf8').replace('"schema": 1', '"schema": 99');
    writeFileSync(world.path('state.json'), newer);
    const answers = [await host.status(), await host.submit({ documents_reviewed: [] }), await host.start('another')];
    for (const answer of answers)
      expect(answer).toMatchObject({ error: 'state_corrupt', message: expect.stringMatching(/newer.*schema 99.*--clean/) });
    expect(readFileSync(world.path('state.json'), 'utf8')).toBe(newer);
    expect((await host.start('--clean')).error).toBeUndefined();
    const kept = readdirSync(world.path()).filter((name) => name.startsWith('state.json.corrupt-'));
    expect(kept.map((name) => readFileSync(world.path(name), 'utf8'))).toEqual([newer]);
    expect((await host.start('another')).phase).toBe('DOCUMENT_RESEARCH');
  });
});

describe('a state of an older schema', () => {
  test('is brought to the present one when it is read, and written so with the next step', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    await host.close();
    const { review_reverts: _, ...counters } = world.state().counters as Record<string, number>;
    writeFileSync(world.path('state.json'), serialize({ ...world.state(), schema: 0, counters } as unknown as SessionFile));
    const next = await world.host();
    expect((await next.status()).phase).toBe('QUERY_FRAME');
    expect((await next.submit(usualReply(world, at))).phase).toBe('REQUEST_UNDERSTANDING');
    expect(world.state()).toMatchObject({ schema: 1, counters: { review_reverts: 0 } });
  });
});

describe('a writer that is killed', () => {
  test('at any moment leaves one whole state behind', async () => {
    const root = freshRoot();
    let last = 0;
    for (let time = 0; time < 25; time++) {
      const writer = work('write', root);
      const marks = 1 + Math.floor(Math.random() * 12);
      await new Promise<void>((resolve) => {
        let seen = 0;
        writer.stdout.on('data', (chunk: Buffer) => {
          seen += chunk.length;
          if (seen >= marks) resolve();
        });
      });
      // A few turns of the loop more or less, so that it dies anywhere in a write.
      for (let turn = Math.floor(Math.random() * 20); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      writer.kill('SIGKILL');
      await new Promise((resolve) => writer.on('close', resolve));
      // Nobody has to wait here until its lock is stale.
      if (existsSync(lockFolder(root))) age(lockFolder(root));
      const found = readState(root);
      if (found.kind !== 'present') throw new Error(JSON.stringify(found));
      expect(found.state.rev).toBeGreaterThan(last);
      last = found.state.rev;
    }
    console.log(`25 writers killed, ${last} states written`);
  });
});
