/** The marker of guard RG00 follows the configuration, and nothing else is taken for a wish to be rid of it. */
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { syncEnforceMarker } from '../../../mcp-server/src/session/enforce-marker.ts';
import { World } from './world.ts';

const ALWAYS = 'enforce: always\n';

/** Whether the marker is there after each of these configurations; null deletes the file. */
async function markers(world: World, configurations: (string | null)[]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const text of configurations) {
    if (text === null) rmSync(world.path('config.yml'));
    else world.box.write('.readygate/config.yml', text);
    await syncEnforceMarker(world.root);
    found.push(existsSync(world.path('enforce')));
  }
  return found;
}

test.each([
  ['comes and goes with the wish', [ALWAYS, ALWAYS, 'enforce: never\n', ALWAYS, 'language: en\n'], [true, true, false, true, false]],
  [
    'stays while the file cannot be read',
    [ALWAYS, `${ALWAYS}language: "en\n`, '- a list\n', 'enforce: allways\n'],
    [true, true, true, true],
  ],
  ['is not made from a file that cannot be read', [`${ALWAYS}language: "en\n`], [false]],
  ['goes with the file', [ALWAYS, null], [true, false]],
])('our marker %s', async (_what, configurations, expected) => {
  expect(await markers(new World(), configurations)).toEqual(expected);
});

test('the user\u2019s own marker stays', async () => {
  const world = new World();
  world.box.write('.readygate/enforce', '');
  expect(await markers(world, [ALWAYS, 'enforce: never\n', null])).toEqual([true, true, true]);
});
