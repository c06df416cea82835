/** readygate report: one file that holds everything of a session, and runs nothing of it. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { World, walk } from '../session/world.ts';
import { readygate } from './program.ts';

const EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">';

describe('readygate report', () => {
  const world = new World();
  let session = '';
  // Servers end with the test that starts them, so the first test makes what all look at.
  beforeEach(async () => {
    if (session !== '') return;
    const host = await world.host({ owner: 'c', lenient: true });
    const tasks = [{ id: 'greet', description: EVIL, status: 'pending' }];
    session = (await walk(world, host, await host.start(`--fast --no-doc ${EVIL}`), { replies: { 'READY.plan': { tasks } } })).answer
      .session_id;
    const folder = world.path('sessions', session);
    fs.writeFileSync(path.join(folder, 'design.md'), `# Design\n\n</pre>${EVIL}\n`);
    const planning = {
      assumptions: [{ info_id: 'a1', assumed_value: `UTC ${EVIL}`, reasoning: 'usual', confidence: 0.7 }],
      information_gaps: [{ info_id: 'g1', description: 'load', impact: 'unknown size' }],
      collected_information: {
        codebase: [{ info_id: 'f1', description: 'greeting', summary: 'hello.txt greets', pointer: 'hello.txt:1' }],
        context: [],
        external: [],
      },
    };
    fs.writeFileSync(path.join(folder, 'pre_planning.json'), JSON.stringify(planning));
  });

  test('writes a page that shows it all, escaped, under a policy that runs nothing', () => {
    const { code, out } = readygate(world.root, ['report']);
    expect(code).toBe(0);
    const file = world.path('reports', `${session}.html`);
    expect(out).toContain(file);
    const page = fs.readFileSync(file, 'utf8');
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).not.toMatch(/<script|<img/);
    for (const part of [
      session,
      '&lt;script&gt;alert(1)',
      'completed',
      'POST_IMPL_VERIFY',
      'Fact',
      'hello.txt:1',
      'Assumption, confidence 0.7',
      'Gap',
      'unknown size',
      '<details><summary>design.md',
    ])
      expect(page).toContain(part);
    for (const shape of ['fact', 'assumption', 'gap']) expect(page).toContain(`<li class="${shape}">`);
    expect(page).not.toMatch(/\{[a-z_]+\}|undefined|\[object/);
    expect(page).not.toMatch(/https?:\/\//);
    // The work tree is as it was.
    expect(world.changed()).toEqual([]);
  });

  test('goes where it is told, to stdout, and in Japanese', () => {
    expect(readygate(world.root, ['report', session, '--out', 'deep/r.html']).code).toBe(0);
    expect(fs.readFileSync(path.join(world.root, 'deep/r.html'), 'utf8')).toMatch(/^<!doctype html>/);
    const japanese = readygate(world.root, ['report', '--out', '-'], { LC_ALL: 'ja_JP.UTF-8' }).out;
    expect(japanese).toContain('<html lang="ja">');
    expect(japanese).toContain('フェーズごとの時間');
  });

  test('writes over nothing but a report, and nothing that is no page', () => {
    for (const name of ['state.json', 'enforce', 'config.yml'])
      expect(readygate(world.root, ['report', session, '--out', `.readygate/${name}`]).code).toBe(64);
    fs.writeFileSync(path.join(world.root, 'mine.html'), '<!doctype html>\n<html lang="en"><p>mine</p></html>\n');
    const refused = readygate(world.root, ['report', session, '--out', 'mine.html', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: 'storage_failed', message: expect.stringContaining('--out') });
    expect(fs.readFileSync(path.join(world.root, 'mine.html'), 'utf8')).toContain('<p>mine</p>');
    fs.rmSync(path.join(world.root, 'mine.html'));
    for (let times = 0; times < 2; times++) expect(readygate(world.root, ['report', session, '--out', 'again.html']).code).toBe(0);
  });

  test('says what is wrong', () => {
    expect(readygate(world.root, ['report', 'no-such-session']).code).toBe(1);
    expect(readygate(world.root, ['report', '--out']).code).toBe(64);
    expect(readygate(world.root, ['report', '--out', 'readme.md/x.html'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('readme.md/x.html'),
    });
    expect(readygate(new World().root, ['report']).code).toBe(1);
  });
});
