/** In which language people are spoken to. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { languageIn, languageOf } from '../../../mcp-server/src/messages/language.ts';
import { readygate } from '../cli/program.ts';
import { emptyFolder } from '../git/sandbox.ts';
import { sessionAt, World, walk } from '../session/world.ts';

const JAPANESE = /[\u3040-\u30ff]/;
const JA = { LANG: 'ja_JP.UTF-8' };

describe('the language', () => {
  test.each([
    ['auto', { LANG: 'ja_JP.UTF-8' }, 'ja'],
    ['auto', { LANG: 'ja' }, 'ja'],
    ['auto', { LC_MESSAGES: 'ja_JP', LANG: 'en_US.UTF-8' }, 'ja'],
    ['auto', { LC_ALL: 'C', LC_MESSAGES: 'ja_JP', LANG: 'ja_JP' }, 'en'],
    ['auto', { LC_ALL: '', LANG: 'ja_JP.UTF-8' }, 'ja'],
    ['auto', { LANG: 'jam_JM.UTF-8' }, 'en'],
    ['auto', {}, 'en'],
    ['en', JA, 'en'],
    ['ja', {}, 'ja'],
  ] as const)('%s under %o is %s', (choice, env, language) => {
    expect(languageOf(choice, env)).toBe(language);
  });

  test.each([
    ['language: ja', 'ja'],
    ['language: "ja"   # ours', 'ja'],
    ["enforce: never\r\nlanguage: 'ja'\r\nevidence: warn\r\n", 'ja'],
    ['# language: ja', 'en'],
    ['guard:\n  language: ja', 'en'],
    ['language: fr', 'en'],
    ['\0\0\0', 'en'],
  ])('of a configuration that says %j is %s, also in folders inside', (text, language) => {
    const root = emptyFolder();
    fs.mkdirSync(path.join(root, '.git'));
    fs.mkdirSync(path.join(root, '.readygate'));
    fs.mkdirSync(path.join(root, 'deep/er'), { recursive: true });
    fs.writeFileSync(path.join(root, '.readygate/config.yml'), text);
    expect([languageIn(root, {}), languageIn(path.join(root, 'deep/er'), {})]).toEqual([language, language]);
  });
});

describe('a Japanese user', () => {
  test('is told every step of a whole session in Japanese, in answers as short as the English ones', async () => {
    const world = new World();
    const host = await world.host({ owner: 'c', env: JA });
    const english: string[] = [];
    const { answer, trail } = await walk(world, host, await host.start('挨拶を追加する'), {
      before: (now) => {
        if (!JAPANESE.test(now.instruction)) english.push(now.phase);
        return undefined;
      },
    });
    expect([answer.outcome, english]).toEqual(['completed', []]);
    expect(answer.instruction).toMatch(JAPANESE);
    expect(trail.length).toBeGreaterThan(14);
    expect(readygate(world.root, ['status'], JA).out).toContain('結果');
    expect(readygate(world.root, ['log'], JA).out).toContain('セッション');
  });

  test('gets errors, guards and questions without a session in Japanese, too', async () => {
    const world = new World();
    world.box.write('.readygate/config.yml', 'language: ja\nenforce: always\n');
    const host = await world.host({ owner: 'c' });
    expect((await host.submit({})).message).toMatch(JAPANESE);
    expect((await host.start('')).message).toMatch(JAPANESE);
    world.box.write('.readygate/enforce', '');
    const edit = { tool_name: 'Edit', tool_input: { file_path: path.join(world.root, 'readme.md') }, cwd: world.root };
    const said = await host.client.callTool({ name: 'guard', arguments: edit });
    expect(JSON.stringify(said.content)).toMatch(/RG00.*[\u3040-\u30ff]/);
  });

  test('keeps the session’s language when another client looks at it', async () => {
    const world = new World();
    await sessionAt(world, await world.host({ owner: 'c', env: JA }), 'EXPLORATION', '--no-doc 挨拶');
    expect((await (await world.host({ owner: 'd' })).status()).instruction).toMatch(JAPANESE);
  });

  test('finds every command’s help in Japanese', () => {
    const { root } = new World();
    const commands = (JSON.parse(readygate(root, ['help', '--json']).out) as { commands: string[] }).commands;
    expect(commands.length).toBeGreaterThan(9);
    expect(readygate(root, [], JA).out).toMatch(JAPANESE);
    for (const name of ['report', 'attest', 'uninstall']) expect(readygate(root, ['help', name], JA).out, name).toMatch(JAPANESE);
  });
});
