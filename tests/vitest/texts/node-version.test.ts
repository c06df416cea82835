/** `engines` in package.json says which Node the server needs: every text and every check says the same. */
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isNewEnough } from '../../../mcp-server/src/cli/doctor-programs.ts';

const read = (file: string): string => fs.readFileSync(file, 'utf8');
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
const NEEDED = engines.node.replace(/^>=/, '');
const [major = 0, minor = 0] = NEEDED.split('.').map(Number);

/** Every version that a text asks for: `Node.js 20.3 or newer`, `older than 20.3`, `Node 20.3 以降`, `20.3 より古い`. */
const asked = (text: string): string[] =>
  [...text.matchAll(/(?:\]\(https:\/\/nodejs\.org\)|Node(?:\.js)?) (\d[\d.]*\d)|(\d[\d.]*\d) より古い|older than (\d[\d.]*\d)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );

describe('the version of Node', () => {
  test.each(['README.md', 'README.ja.md', 'docs/hosts.md', 'scripts/setup.mjs'])('%s asks for it', (file) => {
    expect(asked(read(file))).toEqual([NEEDED]);
  });

  test.each(['en', 'ja'])('the messages in %s ask for it', (language) => {
    const messages = JSON.parse(read(`state/messages/${language}.json`)) as Record<string, string>;
    const of = (key: string): string[] => asked(messages[key] ?? '');
    expect([of('hook.start.no_node'), of('hook.cli.no_node')]).toEqual([[NEEDED], [NEEDED]]);
    expect(of('hook.start.old_node')).toEqual([NEEDED, NEEDED]);
  });

  test('doctor takes it and what is newer, and nothing older', () => {
    const versions = [
      `v${major}.${minor}.0`,
      `v${major}.${minor + 7}.1`,
      `v${major + 1}.0.0`,
      `v${major}.${minor - 1}.9`,
      `v${major - 1}.99.0`,
    ];
    expect(versions.map(isNewEnough)).toEqual([true, true, true, false, false]);
  });

  test('the hook and the set-up compare the minor version, too', () => {
    expect(read('hooks/session-start.sh')).toContain(`>= ${major * 1000 + minor}))`);
    expect(read('scripts/setup.mjs')).toContain(`major < ${major} || (major === ${major} && minor < ${minor})`);
  });
});
