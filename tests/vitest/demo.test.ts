import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { emptyFolder } from './git/sandbox.ts';

/** The first thing that README has a new user run. */
test('npm run demo shows a whole session in which all is as it should be', () => {
  const { PATH } = process.env;
  const run = spawnSync(process.execPath, ['scripts/demo.mjs'], { env: { PATH, HOME: emptyFolder('home') }, encoding: 'utf8' });
  expect(run.stdout.trim().split('\n').at(-1), `${run.stdout}${run.stderr}`).toContain('All as it should be.');
  expect([run.status, run.stderr]).toEqual([0, '']);
});
