import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newestArchived } from '../../../mcp-server/src/state/archive.ts';
import { RawServer } from '../server/raw.ts';
import { sessionAt, usualReply, World, walk } from '../session/world.ts';

const hasStrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
if (!hasStrace) console.log('skipped: which files a submission opens, because strace cannot run here');

/** A thousand finished sessions of last year beside the one there is. */
function fillArchive(world: World, state: string): void {
  for (let index = 0; index < 1000; index++) {
    const id = `20200101-${String(index).padStart(6, '0')}-abcdef`;
    mkdirSync(world.path('sessions', id));
    writeFileSync(world.path('sessions', id, 'state.json'), state);
  }
}

describe('finished sessions', () => {
  test('the newest is found among a thousand, past folders that are none', async () => {
    const world = new World();
    const host = await world.host();
    const { answer } = await walk(world, host, await host.start('--only-verify'));
    fillArchive(world, readFileSync(world.path('sessions', answer.session_id, 'state.json'), 'utf8'));
    mkdirSync(world.path('sessions', 'zzz-not-a-session'));
    mkdirSync(world.path('sessions', '29990101-000000-abcdef'));
    writeFileSync(world.path('sessions', 'zzzz'), 'a file');
    expect(newestArchived(world.root)?.session).toBe(answer.session_id);
  });

  test('a folder without a journal goes at the next start, unless it keeps what is the user\u2019s', async () => {
    const world = new World();
    const folders = ['20300101-000000-aaaaaa', '20300101-000000-bbbbbb', '20300101-000000-cccccc'];
    const [ghost = '', undone = '', noted = ''] = folders;
    for (const id of folders) world.box.write(`.readygate/sessions/${id}/baseline.json`, '{}');
    for (const name of ['fingerprint.json', 'issue.json', 'request.md', 'baseline.json.12.abc.tmp', 'snapshots/1.json'])
      world.box.write(`.readygate/sessions/${ghost}/${name}`, '{}');
    world.box.write(`.readygate/sessions/${undone}/undone/3/src/a.js`, 'mine');
    world.box.write(`.readygate/sessions/${noted}/notes.md`, 'mine');
    const { session_id } = await (await world.host()).start('--fast --no-doc add a greeting');
    expect(world.sessions()).toEqual([session_id, undone, noted].sort());
    expect(world.box.read(`.readygate/sessions/${undone}/undone/3/src/a.js`)).toBe('mine');
  });

  test.skipIf(!hasStrace)('cost a submission nothing: none of them is opened or listed', async () => {
    const world = new World();
    const host = await world.host();
    const at = await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    await host.close();
    fillArchive(world, readFileSync(world.path('state.json'), 'utf8'));
    const log = join(world.root, '.git', 'strace');
    const through = ['strace', '-f', '-qq', '-e', 'trace=open,openat', '-o', log];
    const server = new RawServer({ project: world.root }, { through });
    await server.initialize();
    const answer = await server.answer(server.call('submit_phase', { data: usualReply(world, at) }));
    expect(answer.result?.structuredContent?.phase).toBe('Q1');
    server.child.stdin.end();
    await server.exit;
    const opened = readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes('.readygate/sessions'));
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.filter((line) => !line.includes(at.session_id))).toEqual([]);
  });
});
