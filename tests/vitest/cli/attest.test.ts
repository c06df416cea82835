/** readygate attest: a merge of a real session, checked where it was made and in a fresh clone, and every way to fake it. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyFolder, Sandbox } from '../git/sandbox.ts';
import { sessionAt, World, walk } from '../session/world.ts';
import { readygate } from './program.ts';

interface Verdict {
  verdict: string;
  commits: { commit: string; session: string | null; flaws: string[]; outcome: string | null }[];
}

const attest = (cwd: string, ...args: string[]): Verdict & { code: number | null } => {
  const { code, out } = readygate(cwd, ['attest', ...args, '--json']);
  return { code, ...(JSON.parse(out) as Verdict) };
};

function cloneOf(world: World, fetchSeals: boolean): Sandbox {
  const folder = emptyFolder('clone');
  world.box.git('clone', '-q', world.root, folder);
  const clone = new Sandbox(fs.realpathSync(folder));
  if (fetchSeals) clone.git('fetch', '-q', 'origin', 'refs/readygate/attest/*:refs/readygate/attest/*');
  return clone;
}

describe('readygate attest', () => {
  const world = new World();
  let session = '';
  // Servers end with the test that starts them, so the first test makes what all look at.
  beforeEach(async () => {
    if (session !== '') return;
    const host = await world.host({ owner: 'c' });
    const { answer } = await walk(world, host, await host.start('--fast --no-doc add a greeting'));
    expect(answer).toMatchObject({ phase: 'SESSION_COMPLETE', outcome: 'completed' });
    session = answer.session_id;
  });
  const journal = () => world.path('sessions', session, 'journal.jsonl');

  test('finds a session’s merge and the commit that it brings in sound where they were made', () => {
    const found = attest(world.root, 'main');
    expect(found).toMatchObject({ code: 0, verdict: 'sound' });
    expect(found.commits.map(({ session: id, flaws, outcome }) => [id, flaws, outcome])).toEqual([
      [session, [], 'completed'],
      [session, [], 'completed'],
    ]);
    expect(readygate(world.root, ['attest']).out).toMatch(/✓ [0-9a-f]{12} Merge [\s\S]*from sessions, all checked: 2 of 2/);
  });

  test('in a clone needs the sealed journal, and tells how to get it', () => {
    expect(attest(cloneOf(world, false).root, 'main').commits[0]?.flaws).toEqual(['no_journal']);
    expect(readygate(cloneOf(world, false).root, ['attest', 'main']).err).toContain('readygate attest --seal');
    expect(readygate(world.root, ['attest', '--seal'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`refs/readygate/attest/${session}`),
    });
    expect(readygate(world.root, ['attest', '--seal', session]).out).toContain('sealed already');
    const clone = cloneOf(world, true);
    expect(attest(clone.root, 'main')).toMatchObject({ code: 0, verdict: 'sound' });
    expect(attest(clone.root, 'main', '--signed').commits[0]?.flaws).toEqual(['unsigned']);
    expect(attest(clone.root, 'HEAD~1..HEAD')).toMatchObject({ code: 0, verdict: 'sound' });
  });

  test.each<[string, (box: Sandbox) => void, string]>([
    ['a commit of somebody else’s at the tip', (box) => box.commit('by hand'), 'no_session'],
    ['a commit that only borrows the trailer', (box) => box.commit(`by hand\n\nReadygate-Session: ${session}`), 'not_recorded'],
    ['a trailer that names no session', (box) => box.commit('x\n\nReadygate-Session: ../../etc'), 'no_journal'],
    ['an amended merge', (box) => box.git('commit', '-q', '--amend', '--no-edit', '--date', '2020-01-01T00:00:00Z'), 'not_recorded'],
  ])('refuses %s', (_name, forge, flaw) => {
    const clone = cloneOf(world, true);
    for (const [key, value] of [
      ['user.name', 'Other'],
      ['user.email', 'o@example.com'],
    ] as const)
      clone.git('config', key, value);
    clone.write('new.txt', 'x');
    forge(clone);
    const found = attest(clone.root, 'HEAD');
    expect([found.code, found.verdict, found.commits[0]?.flaws]).toEqual([1, 'flawed', [flaw]]);
  });

  test('refuses a merge whose branch brings in somebody else’s commit', () => {
    const clone = cloneOf(world, true);
    clone.git('config', 'user.name', 'Other');
    clone.git('config', 'user.email', 'o@example.com');
    clone.git('switch', '-q', '-c', 'side', 'HEAD^2');
    clone.write('smuggled.txt', 'x');
    clone.commit('smuggled');
    clone.git('switch', '-q', '--detach', 'HEAD~2');
    clone.git('merge', '-q', '--no-ff', '-m', `Merge\n\nReadygate-Session: ${session}`, 'side');
    const found = attest(clone.root, 'HEAD');
    expect(found.code).toBe(1);
    expect(found.commits.map(({ flaws }) => flaws)).toEqual([['not_recorded'], ['no_session'], []]);
  });

  test('a range counts foreign commits only with --every, and is nothing without any session', () => {
    const clone = cloneOf(world, true);
    clone.git('config', 'user.name', 'Other');
    clone.git('config', 'user.email', 'o@example.com');
    clone.write('new.txt', 'x');
    clone.commit('by hand');
    expect(attest(clone.root, 'HEAD~2..HEAD')).toMatchObject({ code: 0, verdict: 'sound' });
    expect(attest(clone.root, 'HEAD~2..HEAD', '--every')).toMatchObject({ code: 1, verdict: 'flawed' });
    expect(attest(clone.root, 'HEAD~1..HEAD')).toMatchObject({ code: 1, verdict: 'none' });
    expect(readygate(clone.root, ['attest', 'a', 'b']).code).toBe(64);
    expect(readygate(emptyFolder(), ['attest']).code).toBe(1);
  });

  test.each([
    ['a revision', 'no-such-branch', 'no-such-branch'],
    ['the end of a range', 'main..no-such-branch', 'no-such-branch'],
    ['the beginning of a range', 'gone...main', 'gone'],
    ['a file', 'main:readme.md', 'main:readme.md'],
  ])('says in its own words that %s names no commit', (_name, range, revision) => {
    const refused = readygate(world.root, ['attest', range]);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`no commit ${revision} in ${world.root}`) });
    expect(refused.err).not.toMatch(/fatal|git failed/);
    expect(JSON.parse(readygate(world.root, ['attest', range, '--json']).out)).toMatchObject({ error: 'unknown_revision', revision });
  });

  test('a journal that was changed is neither believed nor sealed', async () => {
    const copy = new World(new Sandbox(cloneOf(world, false).root));
    const file = copy.path('sessions', session, 'journal.jsonl');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const text = fs.readFileSync(journal(), 'utf8');
    fs.writeFileSync(file, text.replace('"event":"start"', '"event":"START"'));
    expect(attest(copy.root, 'main').commits[0]?.flaws).toEqual(['broken']);
    expect(readygate(copy.root, ['attest', '--seal'])).toMatchObject({ code: 1, err: expect.stringContaining('not sealed') });
    fs.writeFileSync(file, `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    expect(attest(copy.root, 'main').commits[0]?.flaws).toContain('unfinished');
    expect(readygate(copy.root, ['attest', '--seal', session]).err).toContain('has not ended yet');
  });

  test('a journal that was checked out with the commits proves nothing', () => {
    const clone = cloneOf(world, false);
    const file = `.readygate/sessions/${session}/journal.jsonl`;
    clone.write(file, fs.readFileSync(journal(), 'utf8'));
    expect(attest(clone.root, 'main')).toMatchObject({ code: 0 });
    clone.git('add', '-f', file);
    expect(attest(clone.root, 'main').commits[0]?.flaws).toEqual(['no_journal']);
    clone.git('rm', '-q', '--cached', file);
    fs.renameSync(`${clone.root}/.readygate`, `${clone.root}/planted`);
    fs.symlinkSync('planted', `${clone.root}/.readygate`);
    expect(attest(clone.root, 'main').commits[0]?.flaws).toEqual(['no_journal']);
  });

  test('work that was accepted unverified is told apart', async () => {
    const other = new World();
    const host = await other.host({ owner: 'c' });
    const red = { passed: false, details: 'red' };
    const replies = {
      POST_IMPL_VERIFY: () => red,
      'READY.plan': () => ({ tasks: [{ id: 'greet', description: 'x', status: 'pending' }] }),
    };
    let answer = await sessionAt(other, host, 'POST_IMPL_VERIFY', '--fast --no-doc -ni add a greeting');
    for (let failures = 0; failures < 6; failures++) {
      answer = (await walk(other, host, answer, { replies, until: 'POST_IMPL_VERIFY' })).answer;
      answer = await host.submit(red);
    }
    await walk(other, host, await host.submit({ user_decision: 'accept' }));
    expect(attest(other.root, 'main').commits[0]?.flaws).toEqual(['unverified']);
    expect(attest(other.root, 'main', '--allow-unverified')).toMatchObject({ code: 0, verdict: 'sound' });
  });
});
