import { chmodSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type WalkedFolder, type WalkOptions, walkBaseline, walkChanged } from '../../../mcp-server/src/git/walk.ts';
import { AWKWARD_NAMES, emptyFolder, Sandbox } from './sandbox.ts';

async function changes(folder: Sandbox, baseline: WalkedFolder, options?: WalkOptions): Promise<string[]> {
  const { files } = await walkChanged(folder.root, JSON.parse(JSON.stringify(baseline)) as WalkedFolder, options);
  return files.map(({ path, status }) => `${status} ${path}`);
}

describe('walking a folder without git', () => {
  it('sees added, modified and deleted files, and leaves .git, .readygate and node_modules out', async () => {
    const folder = new Sandbox(emptyFolder());
    for (const path of ['a', 'b', 'deep/c', '.git/x', '.readygate/x', 'deep/node_modules/x']) folder.write(path, '1');
    const baseline = await walkBaseline(folder.root);
    expect(Object.keys(baseline.files).sort()).toEqual(['a', 'b', 'deep/c']);
    expect(await changes(folder, baseline)).toEqual([]);
    folder.write('a', '2');
    folder.remove('b');
    folder.write('deep/d', '1');
    for (const path of ['.git/y', '.readygate/y', 'deep/node_modules/y']) folder.write(path, '1');
    expect(await changes(folder, baseline)).toEqual(['modified a', 'deleted b', 'added deep/d']);
  });

  it('takes awkward names', async () => {
    const folder = new Sandbox(emptyFolder());
    const baseline = await walkBaseline(folder.root);
    for (const name of AWKWARD_NAMES) folder.write(name, 'x');
    expect(await changes(folder, baseline)).toEqual(AWKWARD_NAMES.map((name) => `added ${name}`).sort());
  });

  it('reads a file again only when its time or size moved, and then believes the content', async () => {
    const folder = new Sandbox(emptyFolder());
    folder.write('touched', 'same');
    folder.write('changed', 'old!');
    const baseline = await walkBaseline(folder.root);
    utimesSync(join(folder.root, 'touched'), 1000, 1000);
    folder.write('changed', 'new!');
    expect(await changes(folder, baseline)).toEqual(['modified changed']);
  });

  it('sees a changed mode and a changed link', async () => {
    const folder = new Sandbox(emptyFolder());
    folder.write('tool', 'x');
    symlinkSync('one', join(folder.root, 'link'));
    const baseline = await walkBaseline(folder.root);
    chmodSync(join(folder.root, 'tool'), 0o755);
    folder.remove('link');
    symlinkSync('two', join(folder.root, 'link'));
    expect(await changes(folder, baseline)).toEqual(['modified link', 'modified tool']);
  });

  it('does not follow links, so a circle of folders ends', async () => {
    const folder = new Sandbox(emptyFolder());
    folder.write('a/b', 'x');
    symlinkSync('..', join(folder.root, 'a/up'));
    expect(Object.keys((await walkBaseline(folder.root)).files).sort()).toEqual(['a/b', 'a/up']);
  });

  it('says when there were too many files, and then calls no old file new', async () => {
    const folder = new Sandbox(emptyFolder());
    for (let n = 0; n < 10; n++) folder.write(`f${n}`, 'x');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const baseline = await walkBaseline(folder.root, { limit: 5 });
    expect(baseline.truncated).toBe(true);
    expect(Object.keys(baseline.files)).toHaveLength(5);
    expect(await changes(folder, baseline)).toEqual([]);
    folder.write('new', 'x');
    folder.write('f0', 'y');
    expect(await changes(folder, baseline)).toEqual(['modified f0', 'added new']);
  });

  it('knows files beyond the reading budget by size and time', async () => {
    const folder = new Sandbox(emptyFolder());
    folder.write('big', 'x'.repeat(100));
    const baseline = await walkBaseline(folder.root, { readBytes: 10 });
    expect(baseline.files.big).toMatch(/:-$/);
    expect(await changes(folder, baseline)).toEqual([]);
    utimesSync(join(folder.root, 'big'), 1000, 1000);
    expect(await changes(folder, baseline)).toEqual(['modified big']);
  });
});
