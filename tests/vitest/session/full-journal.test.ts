/** A journal that cannot be written must not hide why something was refused. */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sessionAt, World } from './world.ts';

const FULL = '/dev/full';

describe.skipIf(!existsSync(FULL))('where the journal cannot be written', () => {
  test('an artifact and a payload are refused for their own reason', async () => {
    const world = new World();
    const host = await world.host();
    await sessionAt(world, host, 'EXPLORATION', '--no-doc add a greeting');
    const journal = world.path('sessions', world.state().session, 'journal.jsonl');
    rmSync(journal);
    symlinkSync(FULL, journal);
    const { content } = await host.client.callTool({ name: 'save_artifact', arguments: { name: 'design.md', content: '# Design' } });
    const saved = JSON.parse((content as [{ text: string }])[0].text) as Record<string, unknown>;
    expect(saved).toMatchObject({ error: 'guard_blocked', guard: 'RG11' });
    world.box.write('smuggled.txt', 'x');
    expect(await host.submit({ explored_files: ['readme.md'], findings: ['x'] })).toMatchObject({ error: 'guard_blocked', guard: 'RG13' });
  });
});
