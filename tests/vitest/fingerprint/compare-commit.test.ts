import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareWithCommit } from '../../../mcp-server/src/fingerprint/compare-commit.ts';
import { clearLeftovers } from '../../../mcp-server/src/git/scratch_index.ts';
import { makeRepository } from '../git/sandbox.ts';

const names = Array.from({ length: 20 }, (_, at) => `file ${at}.txt`);
const all = (content: string): Record<string, string> => Object.fromEntries(names.map((name) => [name, content]));

describe('comparing with a commit', () => {
  it('sees every change, however many comparisons run at once, and leaves no file behind', async () => {
    const box = makeRepository(all('then\n'));
    const repo = await box.repo();
    const head = box.head();
    for (const name of names.slice(1)) box.write(name, 'now\n');
    const found = await Promise.all(Array.from({ length: 24 }, () => compareWithCommit(repo, head, names)));
    expect(found.map(({ same }) => [...same])).toEqual(found.map(() => [names[0]]));
    expect(readdirSync(repo.gitDir).filter((name) => name.startsWith('readygate-'))).toEqual([]);
  });

  it('removes what a crashed one left a day ago, and nothing younger', async () => {
    const box = makeRepository();
    const repo = await box.repo();
    const left = ['readygate-compare-1-abc-index', 'readygate-compare-1-abc-index.lock', 'readygate-compare-index'];
    for (const name of [...left, 'readygate-merge-index']) box.write(`.git/${name}`, 'x');
    const ours = () =>
      readdirSync(repo.gitDir)
        .filter((name) => name.startsWith('readygate-'))
        .sort();
    await clearLeftovers(repo);
    expect(ours()).toEqual([...left, 'readygate-merge-index']);
    await clearLeftovers(repo, Date.now() + 25 * 60 * 60_000);
    expect(ours()).toEqual(['readygate-merge-index']);
  });
});
