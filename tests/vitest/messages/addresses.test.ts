/** User and password of an address: masked in whatever people are shown. */
import { expect, test } from 'vitest';
import { runProgram } from '../../../mcp-server/src/issue/programs.ts';
import { withoutUserInfo } from '../../../mcp-server/src/messages/addresses.ts';
import { emptyFolder } from '../git/sandbox.ts';

test.each([
  ['https://robot:S3CRET@example.com/x', 'https://***@example.com/x'],
  ['http://S3CRET@example.com:4318', 'http://***@example.com:4318'],
  ['https://robot:S3@CRET@example.com?q=a@b', 'https://***@example.com?q=a@b'],
  ["fatal: unable to access 'https://robot:S3CRET@h/r.git/': refused", "fatal: unable to access 'https://***@h/r.git/': refused"],
  ['a https://u:S3CRET@h/a and ssh://git:S3CRET@h/b', 'a https://***@h/a and ssh://***@h/b'],
  ['https://example.com/@scope/name', 'https://example.com/@scope/name'],
  ['git@github.com:o/r.git, mail a@example.com', 'git@github.com:o/r.git, mail a@example.com'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutUserInfo(text)).toBe(shown);
  expect(withoutUserInfo(shown)).toBe(shown);
});

test('why a program failed names no password, whether it says so itself or was called with it', async () => {
  const cwd = emptyFolder();
  for (const script of ['echo "no route to https://robot:S3CRET@h/x" >&2; exit 1', 'exit 1 # https://robot:S3CRET@h/x'])
    expect(await runProgram('/bin/sh', ['-c', script], { cwd })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('://***@h/x'),
    });
});
