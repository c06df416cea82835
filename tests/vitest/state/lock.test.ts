import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockFolder } from '../../../mcp-server/src/state/layout.ts';
import { LockTimeout, withLock } from '../../../mcp-server/src/state/lock.ts';
import { readState, StorageFailed } from '../../../mcp-server/src/state/session-file.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, World } from '../session/world.ts';
import { age, done, freshRoot, work } from './store.ts';

const SHORT = 300;

async function held(root: string): Promise<() => Promise<void>> {
  const holder = work('hold', root);
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  return async () => {
    holder.stdin.write('go\n');
    await new Promise((resolve) => holder.on('close', resolve));
  };
}

describe('the lock', () => {
  test('lets no update of several processes be lost', async () => {
    const root = freshRoot();
    await Promise.all([1, 2, 3, 4].map(() => done(work('increment', root, 25))));
    expect(readState(root)).toMatchObject({ kind: 'present', state: { rev: 101 } });
    expect(existsSync(lockFolder(root))).toBe(false);
  });

  test('lets calls of one process in one after the other, in their order', async () => {
    const root = freshRoot();
    const order: number[] = [];
    let inside = 0;
    await Promise.all(
      [1, 2, 3, 4, 5].map((number) =>
        withLock(root, async () => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(number);
          inside--;
        }),
      ),
    );
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  test('that another process holds too long is a timeout, and the work is not done', async () => {
    const root = freshRoot();
    const release = await held(root);
    let ran = false;
    const waiting = withLock(root, async () => (ran = true), SHORT);
    await expect(waiting).rejects.toBeInstanceOf(LockTimeout);
    expect(ran).toBe(false);
    await release();
    await expect(withLock(root, async () => 'now')).resolves.toBe('now');
  });

  test('that is released in time lets the next in', async () => {
    const root = freshRoot();
    const release = await held(root);
    const waiting = withLock(root, async () => 'in');
    await release();
    await expect(waiting).resolves.toBe('in');
  });

  test('that is older than ten seconds is broken', async () => {
    const root = freshRoot();
    mkdirSync(lockFolder(root));
    age(lockFolder(root));
    await expect(withLock(root, async () => 'in', SHORT)).resolves.toBe('in');
    expect(existsSync(lockFolder(root))).toBe(false);
  });

  test('that is dated in the future is watched for ten seconds, then broken', async () => {
    const root = freshRoot();
    mkdirSync(lockFolder(root));
    age(lockFolder(root), -3600);
    await expect(withLock(root, async () => 'in', SHORT)).resolves.toBe('in');
    expect(existsSync(lockFolder(root))).toBe(false);
  });

  test('that is dated in the future and touched by its holder is a timeout', async () => {
    const root = freshRoot();
    mkdirSync(lockFolder(root));
    let ahead = 3600;
    const holder = setInterval(() => age(lockFolder(root), -ahead++), 500);
    await expect(withLock(root, async () => 'in', SHORT)).rejects.toBeInstanceOf(LockTimeout);
    clearInterval(holder);
    expect(existsSync(lockFolder(root))).toBe(true);
  });

  test('whose breaker died is broken all the same', async () => {
    const root = freshRoot();
    const guard = `${lockFolder(root)}.break`;
    for (const folder of [lockFolder(root), guard]) {
      mkdirSync(folder);
      age(folder);
    }
    await expect(withLock(root, async () => 'in')).resolves.toBe('in');
    expect([existsSync(lockFolder(root)), existsSync(guard)]).toEqual([false, false]);
  });

  test('that was taken over meanwhile is not given back', async () => {
    const root = freshRoot();
    await withLock(root, async () => {
      rmdirSync(lockFolder(root));
      // Another folder first, so that the new lock is not given the old one's inode.
      mkdirSync(join(root, '.readygate', 'other'));
      mkdirSync(lockFolder(root));
    });
    expect(existsSync(lockFolder(root))).toBe(true);
  });

  test('is released when the work fails, and the failure is passed on', async () => {
    const root = freshRoot();
    await expect(withLock(root, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(lockFolder(root))).toBe(false);
    await expect(withLock(root, async () => 'in', SHORT)).resolves.toBe('in');
  });

  test('may lose its folder without harm', async () => {
    const root = freshRoot();
    await expect(
      withLock(root, async () => {
        rmSync(root, { recursive: true });
        return 'done';
      }),
    ).resolves.toBe('done');
  });

  test('cannot be taken where there is no folder, and says so', async () => {
    await expect(withLock(`${emptyFolder('gone')}/missing`, async () => 'in', SHORT)).rejects.toBeInstanceOf(StorageFailed);
  });
});

describe('a submission while another process holds the lock', () => {
  test('is lock_timeout after five seconds, changes nothing, and goes through afterwards', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'QUERY_FRAME', '--no-doc add a greeting');
    const release = await held(world.root);
    const before = world.bytes();
    const frame = { action_type: 'add', target_symbols: [], scope: 'x', constraints: [] };
    const [submitted, started] = await Promise.all([host.submit(frame), world.host().then((other) => other.start('another'))]);
    expect(submitted).toMatchObject({ error: 'lock_timeout', phase: 'QUERY_FRAME', message: expect.stringContaining('5 s') });
    expect(started.error).toBe('lock_timeout');
    expect(world.bytes()).toBe(before);
    await release();
    expect((await host.submit(frame)).phase).toBe('REQUEST_UNDERSTANDING');
  });
});
