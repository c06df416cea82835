import { describe, expect, test } from 'vitest';
import type { Answer } from '../server/host.ts';
import { type Payload, placeOf, usualReply, World, walk } from './world.ts';

interface Tried {
  place: string;
  what: string;
  error: unknown;
  message: string;
  problems: number;
  changed: boolean;
  commits: boolean;
}

/** A value that no schema takes for this one. */
function wrongType(value: unknown): unknown {
  if (typeof value === 'boolean') return 'perhaps';
  if (typeof value === 'number') return 'many';
  return typeof value === 'string' ? [1] : 7;
}

function spoiled(data: Payload): [string, unknown][] {
  const keys = Object.keys(data);
  return [
    ...keys.map((key): [string, unknown] => [
      `without ${key}`,
      Object.fromEntries(Object.entries(data).filter(([other]) => other !== key)),
    ]),
    ...keys.map((key): [string, unknown] => [`${key} of a wrong type`, { ...data, [key]: wrongType(data[key]) }]),
    ...keys.map((key): [string, unknown] => [`${key} null`, { ...data, [key]: null }]),
    ['1 MB of text', { ...data, padding: 'x'.repeat(1_000_000) }],
    ['1 MB of JSON text', JSON.stringify({ ...data, padding: 'x'.repeat(1_000_000) })],
    ['a list', [data]],
    ['null', null],
  ];
}

/** These have no place inside the payload to point to. */
const WHOLLY_WRONG = new Set(['1 MB of text', '1 MB of JSON text', 'a list', 'null']);

/** Places where a payload without any key of its own is right. */
const EMPTY_IS_RIGHT = new Set(['READY.finish', 'MERGE']);

/** Payloads of other phases that a place takes as well. */
const ALSO_RIGHT: Record<string, string[]> = {
  'READY.implement': ['READY.plan'],
  'READY.finish': ['READY.plan', 'MERGE'],
  MERGE: ['READY.finish'],
};

const WAY = [
  'DOCUMENT_RESEARCH',
  'QUERY_FRAME',
  'EXPLORATION',
  'Q1',
  'SEMANTIC',
  'Q2',
  'VERIFICATION',
  'Q3',
  'IMPACT_ANALYSIS',
  'READY.plan',
  'READY.implement',
  'READY.finish',
  'POST_IMPL_VERIFY',
  'PRE_COMMIT',
  'QUALITY_REVIEW',
  'MERGE',
];

/** Pre-planning is not held up for ever by bad payloads; that has tests of its own. */
const REQUEST = '--no-pre-planning add a greeting';

/** One whole session; at each place everything bad is sent before the right payload. */
async function tryEverything(): Promise<{ tried: Tried[]; trail: string[]; outcome: unknown }> {
  const world = new World();
  const host = await world.host({ lenient: true });
  const seen: Record<string, Payload> = {};
  await collect(seen);
  const tried: Tried[] = [];
  const attempt = async (answer: Answer, what: string, data: unknown) => {
    const [before, head] = [world.bytes(), world.box.head()];
    const got = await host.submit(data);
    tried.push({
      place: placeOf(answer),
      what,
      error: got.error,
      message: got.message ?? '',
      problems: got.problems?.length ?? 0,
      changed: world.bytes() !== before,
      commits: world.box.head() !== head,
    });
    if (world.bytes() !== before) throw new Error(`${placeOf(answer)} took ${what}: ${JSON.stringify(data)?.slice(0, 200)}`);
  };
  const before = async (answer: Answer) => {
    const place = placeOf(answer);
    const others = WAY.filter((other) => other !== place && !(ALSO_RIGHT[place] ?? []).includes(other));
    const mine = EMPTY_IS_RIGHT.has(place) ? [] : spoiled(usualReply(world, answer));
    for (const [what, data] of mine) await attempt(answer, what, data);
    for (const other of others) await attempt(answer, `the payload of ${other}`, seen[other]);
    return undefined;
  };
  const { trail, answer } = await walk(world, host, await host.start(REQUEST), { before });
  return { tried, trail, outcome: answer.outcome };
}

/** The right payload of every place, from a session where nothing goes wrong. */
async function collect(seen: Record<string, Payload>): Promise<void> {
  const world = new World();
  const host = await world.host();
  await walk(world, host, await host.start(REQUEST), {
    before: (answer) => {
      seen[placeOf(answer)] = usualReply(world, answer);
      return undefined;
    },
  });
}

describe('a payload that does not fit', () => {
  test('leaves the state as it was, byte for byte, at every step, is told what is wrong, and the session still ends in its merge', async () => {
    const { tried, trail, outcome } = await tryEverything();
    console.log(`${tried.length} bad payloads were sent`);
    expect(trail).toEqual(WAY);
    expect(outcome).toBe('completed');
    expect(tried.filter((one) => one.changed || one.commits)).toEqual([]);
    const unanswered = tried.filter(({ error, message }) => (error !== 'payload_mismatch' && error !== 'guard_blocked') || message === '');
    // The last accepted payload, sent again, is a repetition and no mistake; the one of MERGE is the same as that of READY.finish.
    const repeats = (place: string): string[] => [WAY[WAY.indexOf(place) - 1] ?? '', ...(place === 'POST_IMPL_VERIFY' ? ['MERGE'] : [])];
    expect(unanswered.filter(({ place, what }) => !repeats(place).some((name) => what === `the payload of ${name}`))).toEqual([]);
    const silent = tried.filter(({ error, problems, what }) => error === 'payload_mismatch' && problems === 0 && !WHOLLY_WRONG.has(what));
    expect(silent).toEqual([]);
  });
});

describe('a payload that is too large', () => {
  test('is refused at the start, too, and nothing is begun', async () => {
    const world = new World();
    const host = await world.host();
    expect((await host.start('x'.repeat(1_000_000))).error).toBe('bad_arguments');
    expect((await host.start('add', { flags: { 'doc-research': 'x'.repeat(1_000_000) } })).error).toBe('bad_arguments');
    expect(world.sessions()).toEqual([]);
  });

  test('an answer never echoes what was sent at length', async () => {
    const world = new World();
    const host = await world.host();
    for (const answer of [
      await host.start(`--${'x'.repeat(50_000)} add`),
      await host.start(`--gate=${'x'.repeat(50_000)} add`),
      await host.start('add', { work_tree: `/${'x'.repeat(4000)}` }),
      await host.start('add', { intent: 'x'.repeat(50_000) }),
      await host.start('add', { flags: { ['x'.repeat(50_000)]: true } }),
    ]) {
      expect(answer.error).toBeTruthy();
      expect(JSON.stringify(answer).length).toBeLessThan(2048);
    }
    expect(world.sessions()).toEqual([]);
  });
});

describe('more than a payload needs', () => {
  test('is ignored with a warning', async () => {
    const world = new World();
    const host = await world.host();
    await host.start('--no-doc add a greeting');
    const answer = await host.submit({
      action_type: 'add',
      target_symbols: [],
      scope: 'x',
      constraints: [],
      mood: 'good',
      extra: { a: 1 },
    });
    expect(answer.phase).toBe('REQUEST_UNDERSTANDING');
    expect(answer.warnings.join()).toMatch(/mood.*extra/);
  });

  test('keys that are special to JavaScript are only keys', async () => {
    const world = new World();
    const host = await world.host();
    await host.start('--no-doc add a greeting');
    const text =
      '{"action_type":"add","target_symbols":[],"scope":"x","constraints":[],"__proto__":{"polluted":1},"constructor":1,"error":"x","hasOwnProperty":2}';
    const answer = await host.submit(text);
    expect(answer.phase).toBe('REQUEST_UNDERSTANDING');
    expect((await host.status()).phase).toBe('REQUEST_UNDERSTANDING');
  });
});
