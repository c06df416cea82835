/** One table for both readers of the shapes: what pre-planning masks in prose, and what the ledger masks in commands. */
import { describe, expect, test } from 'vitest';
import { maskSecrets } from '../../../mcp-server/src/evidence/secrets.ts';
import { maskText } from '../../../mcp-server/src/pre-planning/mask.ts';

/** Put together here, so that scanners of this repository have nothing to find. */
const join = (...parts: string[]): string => parts.join('');

const readers = [
  ['prose', maskText],
  ['commands', maskSecrets],
] as const;

const LONG = 'aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5';

const SECRETS: [text: string, secret: string][] = [
  [`echo ${join('hf', '_', LONG)}`, LONG],
  [`echo ${join('dop', '_v1_', '0123456789abcdef0123456789abcdef')}`, '0123456789abcdef'],
  [`echo ${join('whsec', '_', LONG)}`, LONG],
  [`echo ${join('xoxe', '-1-', LONG)}`, LONG],
  [`echo ${join('ghp', '_', LONG)}`, LONG],
  [`echo ${join('sk', '-proj-', LONG)}`, LONG],
  ['mysql pwd=hunter2secret', 'hunter2secret'],
  ['login --password hunter2', 'hunter2'],
  ["login --password 'hunter 2'", 'hunter 2'],
  ['login --api-key=hunter22', 'hunter22'],
  ['login --token abc123def456', 'abc123def456'],
  ['curl x?auth_key=hunter2secret', 'hunter2secret'],
  ['DB_PASSWORD=hunter22 npm test', 'hunter22'],
  ['curl -H "Authorization: Bearer abc12345"', 'abc12345'],
  ['psql postgres://app:p4ss%40word@db/x', 'p4ss%40word'],
];

const NEAR: string[] = [
  'npm test -- --grep "password reset"',
  'cat src/token.ts',
  'TOKEN=$CI_TOKEN npm test',
  'login --password $PASSWORD',
  'login --password "$PASSWORD"',
  'PWD=/srv/app npm test',
  'git log --author=me',
  'python -m secrets',
  'https://example.com:8080/a',
  'npm_config_registry_url',
  'git@github.com:ada/app.git',
  'hf_hub_download whsec_id',
];

/** Words after an option's name are prose there, and a value in a command. */
const PROSE: string[] = [
  '--password to set it',
  'the --token option is new',
  'Bearer authentication',
  'Basic understanding of v2',
  'password: required',
];

describe.each(readers)('in %s', (_where, mask) => {
  test.each(SECRETS)('%s is masked', (text, secret) => {
    const masked = mask(text);
    expect(masked).not.toContain(secret);
    expect(mask(masked)).toBe(masked);
  });

  test.each(NEAR)('%s stays', (text) => {
    expect(mask(text)).toBe(text);
  });

  test('a long text that almost looks like secrets takes no quadratic work', () => {
    for (const part of ['a', 'a_', 'token-', '--password ', 'Bearer ', 'pwd']) expect(mask(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

test.each(PROSE)('%s stays in prose', (text) => {
  expect(maskText(text)).toBe(text);
});
