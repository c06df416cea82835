import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder } from '../git/sandbox.ts';
import { World } from '../session/world.ts';
import { RawServer } from './raw.ts';

const caches = (data: string): string[] => (existsSync(join(data, 'code-cache')) ? readdirSync(join(data, 'code-cache')) : []);

/** A server that has written its code cache. */
async function warmed(data: string): Promise<string> {
  const server = new RawServer({ project: new World().root, env: { CLAUDE_PLUGIN_DATA: data } });
  await server.initialize();
  await expect.poll(() => caches(data).filter((name) => /^[0-9a-f]{32}-.*\.bin$/.test(name)).length, { timeout: 30_000 }).toBe(1);
  server.child.stdin.end();
  await server.exit;
  return join(data, 'code-cache', caches(data)[0] ?? '');
}

async function answers(data: string): Promise<void> {
  const server = new RawServer({ project: new World().root, env: { CLAUDE_PLUGIN_DATA: data } });
  await server.initialize();
  const { result } = await server.answer(server.call('start_session', { request: '--only-verify', intent: 'IMPLEMENT' }));
  expect(result?.structuredContent?.phase).toBe('POST_IMPL_VERIFY');
  server.child.stdin.end();
  expect(await server.exit).toEqual({ code: 0, signal: null });
  expect(server.stderr).toBe('');
}

describe('the code cache', () => {
  test('is written beside the data of the plugin, under the hash of the program, and used again', async () => {
    const data = emptyFolder('data');
    const file = await warmed(data);
    expect(file).toMatch(/[0-9a-f]{32}-v\d+\.\d+\.\d+-\w+\.bin$/);
    await answers(data);
    expect(caches(data)).toHaveLength(1);
  });

  test('that is cut off, empty or full of other bytes is no obstacle', async () => {
    const data = emptyFolder('data');
    const file = await warmed(data);
    const good = readFileSync(file);
    const middle = Buffer.from(good);
    middle.fill(0x5a, Math.floor(good.length / 2), Math.floor(good.length / 2) + 4096);
    const noisy = Buffer.from(good);
    for (let at = 64; at < noisy.length; at += 997) noisy[at] = (noisy[at] ?? 0) ^ 0xff;
    for (const bytes of [
      Buffer.alloc(0),
      good.subarray(0, 100),
      good.subarray(0, good.length >> 1),
      middle,
      noisy,
      Buffer.alloc(good.length),
    ]) {
      writeFileSync(file, bytes);
      await answers(data);
    }
  });

  test('of an older program is removed', async () => {
    const data = emptyFolder('data');
    mkdirSync(join(data, 'code-cache'));
    writeFileSync(join(data, 'code-cache', 'older.bin'), 'x');
    await warmed(data);
    expect(caches(data)).toHaveLength(1);
    expect(caches(data)).not.toContain('older.bin');
  });

  test('is done without where there is no folder to write to', async () => {
    const file = join(emptyFolder('data'), 'a file');
    writeFileSync(file, 'x');
    chmodSync(file, 0o444);
    await answers(file);
    await answers('');
  });
});
