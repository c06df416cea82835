/** Stale branches are resolved under the session's lock: what it takes must not grow with their number squared. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { staleBranches } from '../../../mcp-server/src/git/branches.ts';
import { resolveStale, type StaleChoice } from '../../../mcp-server/src/git/stale.ts';
import { emptyFolder, makeRepository, type Sandbox } from './sandbox.ts';

const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
const programs = emptyFolder('programs');
const log = join(programs, 'log');
writeFileSync(join(programs, 'git'), `#!/bin/sh\necho git >>'${log}'\nexec '${real}' "$@"\n`);
chmodSync(join(programs, 'git'), 0o755);
const path = process.env.PATH ?? '';
afterAll(() => {
  process.env.PATH = path;
});

/** How many git processes it takes. */
async function processesOf(work: () => Promise<unknown>): Promise<number> {
  rmSync(log, { force: true });
  process.env.PATH = `${programs}:${path}`;
  try {
    await work();
  } finally {
    process.env.PATH = path;
  }
  return readFileSync(log, 'utf8').trimEnd().split('\n').length;
}

function withBranches(count: number): Sandbox {
  const box = makeRepository();
  for (let at = 0; at < count; at++) {
    const name = `readygate/b${at}`;
    box.git('switch', '-q', '-c', name, 'main');
    box.write(`${at}.txt`, 'x');
    box.commit(name);
    box.git('config', `branch.${name}.readygateBase`, 'main');
  }
  box.git('switch', '-q', 'main');
  return box;
}

async function costOf(count: number, choice: StaleChoice): Promise<number> {
  const box = withBranches(count);
  const repo = await box.repo();
  let left: unknown;
  const processes = await processesOf(async () => {
    left = await resolveStale(repo, { choice });
  });
  expect(left).toMatchObject({ failed: null, done: { length: choice === 'continue' ? 0 : count } });
  return processes;
}

describe('the git processes for stale branches', () => {
  it.each<[StaleChoice, number]>([
    ['continue', 1],
    ['delete', 12],
    ['merge', 45],
  ])('to %s them: the same for each one more, however many there are', async (choice, each) => {
    const [one, two, three] = [await costOf(1, choice), await costOf(2, choice), await costOf(3, choice)];
    expect(three - two).toBe(two - one);
    expect(three - two).toBeLessThanOrEqual(each);
  });

  it('to list them: one for each, and a few for all', async () => {
    const repo = await withBranches(4).repo();
    expect(await processesOf(() => staleBranches(repo))).toBeLessThanOrEqual(4 + 5);
  });
});
