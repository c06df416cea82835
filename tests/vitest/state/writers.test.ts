/** Several processes at one state, in both languages: none of their updates is lost, whatever happens to one of them. */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockFolder } from '../../../mcp-server/src/state/layout.ts';
import { readState } from '../../../mcp-server/src/state/session-file.ts';
import { LONG, times, tried } from '../soak.ts';
import { age, done, fileOf, freshRoot, prints, type Tongue, work } from './store.ts';

const INCREMENTS = times(50);
const ROUNDS = times(20);

const TONGUES: Tongue[] = ['node', 'bash'];

function revOf(root: string): number {
  const found = readState(root);
  if (found.kind !== 'present') throw new Error(JSON.stringify(found));
  return found.state.rev;
}

/** Nothing but the state and the sessions' folder is left. */
function expectTidy(root: string): void {
  expect(readdirSync(dirname(fileOf(root))).filter((name) => name.startsWith('state.json.'))).toEqual([]);
}

test('four bash and four Node writers lose no update', LONG, async () => {
  const root = freshRoot();
  const writers = TONGUES.flatMap((tongue) => [1, 2, 3, 4].map(() => work('increment', root, INCREMENTS, tongue)));
  await Promise.all(writers.map(done));
  tried('increments of four bash and four Node writers', 8 * INCREMENTS, revOf(root) - 1);
  expect(revOf(root)).toBe(1 + 8 * INCREMENTS);
  expectTidy(root);
});

test('of six contenders for a stale lock never two are inside', LONG, async () => {
  const root = freshRoot();
  const contenders = TONGUES.flatMap((tongue) => [1, 2, 3].map(() => work('enter', root, ROUNDS, tongue)));
  const ends = contenders.map(done);
  let ready = contenders.map((contender) => prints(contender, 'ready'));
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(ready);
    mkdirSync(lockFolder(root));
    age(lockFolder(root));
    const left = contenders.map((contender) => prints(contender, 'left'));
    if (round < ROUNDS) ready = contenders.map((contender) => prints(contender, 'ready'));
    for (const contender of contenders) contender.stdin.write('go\n');
    await Promise.all(left);
  }
  await Promise.all(ends);
  tried('rounds of six contenders for a stale lock', ROUNDS);
  expectTidy(root);
});

describe.each(TONGUES)('a %s writer that is stopped', (tongue) => {
  test.each(['open', 'read', 'rename', 'renamed'])(
    'at "%s", and continued after its lock was taken over, neither overwrites nor unlocks',
    LONG,
    async (point) => {
      for (let round = 0; round < times(1); round++) await stopAndContinue(tongue, point);
      tried(`${tongue} writer stopped at "${point}" and continued`, times(1));
    },
  );
});

async function stopAndContinue(tongue: Tongue, point: string): Promise<void> {
  const root = freshRoot();
  const sleeper = work('stopping', root, point, tongue);
  const sleeperDone = done(sleeper);
  await prints(sleeper, 'stopped');
  sleeper.kill('SIGSTOP');
  age(lockFolder(root));
  await done(work('increment', root, 1));
  const holder = work('hold', root, 0, tongue === 'node' ? 'bash' : 'node');
  await prints(holder, 'held');
  const { ino } = statSync(lockFolder(root));
  // It has given back what it thinks is its lock when it asks for it again, or has ended.
  const released = prints(sleeper, 'knock').catch(() => sleeperDone);
  sleeper.kill('SIGCONT');
  sleeper.stdin.write('go\n');
  await released;
  expect(statSync(lockFolder(root)).ino).toBe(ino);
  holder.stdin.write('go\n');
  await Promise.all([sleeperDone, new Promise((resolve) => holder.on('close', resolve))]);
  expect(revOf(root)).toBe(3);
  expectTidy(root);
}

test.each(TONGUES)('a %s holder that is killed holds the others up until its lock is stale, no longer', async (tongue) => {
  const root = freshRoot();
  const holder = work('hold', root, 0, tongue);
  await prints(holder, 'held');
  holder.kill('SIGKILL');
  const killed = Date.now();
  expect(statSync(lockFolder(root)).mtimeMs).toBeLessThanOrEqual(killed);
  await done(work('increment', root, 1, tongue === 'node' ? 'bash' : 'node'));
  console.log(`${tongue} holder killed: the next writer was done after ${((Date.now() - killed) / 1000).toFixed(1)} s`);
  expect(revOf(root)).toBe(2);
  expect(existsSync(lockFolder(root))).toBe(false);
});
