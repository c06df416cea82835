/** readygate uninstall: what it shows, whom it asks, and that nothing is left. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CliResult } from '../../../mcp-server/src/cli/command.ts';
import { uninstallCommand } from '../../../mcp-server/src/cli/uninstall.ts';
import { emptyFolder, makeRepository } from '../git/sandbox.ts';
import { sessionAt, World } from '../session/world.ts';
import { readygate, terminal } from './program.ts';

const OLD = 'readygate/20200101-000000-aaaaaa';

/** A repository with everything that Readygate ever leaves, beside what is the user's. */
function used(): World {
  const world = new World(makeRepository());
  const { box } = world;
  const before = fs.readFileSync(path.join(box.root, '.git/info/exclude'), 'utf8');
  fs.writeFileSync(path.join(box.root, '.git/info/exclude'), `${before}mine.txt\n.readygate/\nalso-mine\n`);
  box.write('.readygate/config.yml', 'enforce: never\n');
  box.write('.readygate/sessions/20200101-000000-aaaaaa/journal.jsonl', '{}\n');
  box.git('switch', '-q', '-c', OLD);
  box.write('only-here.txt', 'unfinished\n');
  box.git('add', 'only-here.txt');
  box.git('commit', '-q', '-m', 'unfinished');
  box.git('switch', '-q', 'main');
  box.git('config', `branch.${OLD}.readygateBase`, 'main');
  box.git('config', `branch.${OLD}.readygateKept`, 'leave_branch');
  box.git('config', 'branch.main.description', 'mine');
  box.git('update-ref', 'refs/readygate/trash/x', 'HEAD');
  return world;
}

const traces = ({ box }: World): string[] => [
  ...(box.has('.readygate') ? ['.readygate'] : []),
  ...box
    .git('config', '--local', '--list', '--name-only')
    .split('\n')
    .filter((key) => /readygate(base|kept)$/i.test(key)),
  ...box.git('for-each-ref', '--format=%(refname)', 'refs/readygate').split('\n').filter(Boolean),
  ...(box.read('.git/info/exclude').includes('.readygate') ? ['exclude'] : []),
];

const run = (world: World, args: string[], answers: string[]): Promise<CliResult> =>
  uninstallCommand.run(args, terminal(world.root, answers).context);

describe('readygate uninstall', () => {
  let world: World;
  beforeAll(() => {
    world = used();
  });

  test('shows everything, also as JSON, and leaves it when nobody agrees', async () => {
    const { code, out } = readygate(world.root, ['uninstall', '--dry-run']);
    expect(code).toBe(0);
    for (const part of [
      'kept discards): 1',
      'config.yml',
      'info/exclude',
      'readygatebase',
      'refs/readygate/trash/x',
      `${OLD}: commits that are nowhere else: 1`,
    ])
      expect(out).toContain(part);
    const shown = JSON.parse(readygate(world.root, ['uninstall', '--dry-run', '--json']).out) as { traces: { config: string[] } };
    expect(shown.traces.config).toHaveLength(2);
    expect(readygate(world.root, ['uninstall'])).toMatchObject({ code: 1, err: expect.stringContaining('in a terminal') });
    expect(readygate(world.root, ['uninstall', '--yes'], { CLAUDECODE: '1' }).code).toBe(1);
    const declined = await run(world, [], ['y']);
    expect(declined).toMatchObject({
      code: 1,
      text: expect.stringContaining('run this again and type remove'),
      data: { error: 'declined' },
    });
    expect((await run(world, ['--branches=1'], [])).code).toBe(64);
    expect(traces(world)).toHaveLength(5);
  });

  test('removes every trace, and nothing of the user’s; branches stay until they are confirmed, too', async () => {
    const linked = emptyFolder('linked');
    fs.rmdirSync(linked);
    world.box.git('worktree', 'add', '-q', '--detach', linked);
    fs.mkdirSync(path.join(linked, '.readygate'));
    expect((await run(world, ['--branches'], ['remove', 'no'])).data).toMatchObject({ removed: true, branches: [] });
    expect(traces(world)).toEqual([]);
    expect(fs.existsSync(path.join(linked, '.readygate'))).toBe(false);
    expect(world.box.read('.git/info/exclude')).toContain('mine.txt\nalso-mine\n');
    expect(world.box.line('config', 'branch.main.description')).toBe('mine');
    expect(world.box.branches()).toContain(OLD);
    expect((await run(world, ['--branches'], ['remove', 'delete branches'])).data).toMatchObject({
      removed: true,
      branches: [OLD],
      failed: [],
    });
    expect(world.box.branches()).toEqual(['main']);
    expect(world.box.read('readme.md')).toBe('hello\n');
    expect(readygate(world.root, ['uninstall'])).toMatchObject({ code: 0, out: expect.stringContaining('Nothing of Readygate') });
  });

  test('keeps the user’s own files when it is told to, and nothing else', async () => {
    const world = used();
    world.box.write('.readygate/doc_research/note.md', 'mine\n');
    const shown = readygate(world.root, ['uninstall', '--dry-run']).out;
    expect(shown).toContain('(--keep-own leaves them): config.yml, doc_research');
    expect(readygate(world.root, ['uninstall', '--dry-run', '--keep-own']).out).toContain('which stay: config.yml, doc_research');
    const folder = world.path();
    const done = await run(world, ['--keep-own'], ['remove']);
    expect(done).toMatchObject({ code: 0, data: { kept: [{ folder, files: ['config.yml', 'doc_research'] }] } });
    expect(done.text).toContain(`stay in ${folder}: config.yml, doc_research`);
    expect(fs.readdirSync(folder).sort()).toEqual(['config.yml', 'doc_research']);
    expect(world.box.read('.readygate/doc_research/note.md')).toBe('mine\n');
    expect(traces(world)).toEqual(['.readygate']);
    world.box.git('branch', '-D', OLD);
    expect((await run(world, ['--keep-own'], [])).text).toContain('Nothing of Readygate');
    // Without own files the folder goes, too.
    fs.rmSync(folder, { recursive: true });
    world.box.write('.readygate/state.json', '{}');
    expect((await run(world, ['--keep-own'], ['remove'])).data).toMatchObject({ removed: true, kept: [] });
    expect(traces(world)).toEqual([]);
  });

  test('tells of a status line that is still on, also where nothing else is left', () => {
    const config = emptyFolder('claude');
    const env = { CLAUDE_CONFIG_DIR: config };
    const clean = makeRepository();
    expect(readygate(clean.root, ['uninstall'], env).out).toBe('Nothing of Readygate is in this repository.\n');
    expect(readygate(clean.root, ['statusline', '--install', '--yes'], env).code).toBe(0);
    expect(readygate(clean.root, ['uninstall'], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('readygate statusline --remove'),
    });
  });

  test('is not led astray by a tag of a branch’s name, and counts no branch that the user named so', async () => {
    const world = used();
    world.box.git('tag', OLD, 'main');
    world.box.git('branch', 'readygate/mine', 'main');
    const shown = readygate(world.root, ['uninstall', '--dry-run', '--json']);
    expect(shown.code, shown.err).toBe(0);
    const { traces: found } = JSON.parse(shown.out) as { traces: { branches: { name: string; alone: number }[] } };
    expect(found.branches).toMatchObject([{ name: OLD, alone: 1 }]);
  });

  test('says in git’s words what git refuses', () => {
    const world = used();
    world.box.write('.git/config', '[core\n');
    const refused = readygate(world.root, ['uninstall', '--dry-run', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: 'git_failed', message: expect.stringContaining('bad config') });
  });

  test('of an active session needs the person, whatever --yes says; the work stays', async () => {
    const busy = new World();
    await sessionAt(busy, await busy.host({ owner: 'c' }), 'READY.implement', '--fast --no-doc add a greeting');
    busy.edit();
    const before = busy.bytes();
    expect(readygate(busy.root, ['uninstall', '--yes'])).toMatchObject({ code: 1, err: expect.stringContaining('is active') });
    expect(busy.bytes()).toBe(before);
    const { context, asked } = terminal(busy.root, ['remove', 'delete branches']);
    const branch = busy.box.branch();
    expect((await uninstallCommand.run(['--branches'], context)).code).toBe(0);
    expect(asked[0]).toContain('is active and ends with this');
    expect(traces(busy)).toEqual([]);
    expect([busy.box.branch(), busy.box.read('hello.txt')]).toEqual([branch, 'hello\n']);
  });

  test('works without git', async () => {
    const folder = emptyFolder('plain');
    fs.mkdirSync(path.join(folder, '.readygate/sessions'), { recursive: true });
    expect((await uninstallCommand.run([], terminal(folder, ['remove']).context)).code).toBe(0);
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
