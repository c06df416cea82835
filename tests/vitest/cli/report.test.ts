/** readygate report: one file that holds everything of a session, and runs nothing of it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readStateFile, serialize } from '../../../mcp-server/src/state/session-file.ts';
import { JournalIndex } from '../../../mcp-server/src/web/journal-index.ts';
import { emptyFolder } from '../git/sandbox.ts';
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

  test('keeps the steps of a phase apart, and has no heading over nothing', () => {
    const page = (): string => readygate(world.root, ['report', '--out', '-']).out;
    const out = page();
    for (const step of [12, 13, 14]) expect(out).toContain(`<th scope="row">${step} READY</th>`);
    const place = world.path('sessions', session, 'pre_planning.json');
    const planned = fs.readFileSync(place);
    expect(out).toContain('Known, assumed, missing');
    fs.writeFileSync(place, '{"collected_information":{"codebase":[]}}');
    expect(page()).not.toContain('Known, assumed, missing');
    fs.writeFileSync(place, planned);
  });

  test('shows nothing but plain files of the session’s folder, and waits for nothing', () => {
    const outside = path.join(emptyFolder('outside'), 'secret');
    fs.writeFileSync(outside, 'OUTSIDE');
    const place = (name: string) => path.join(world.path('sessions', session), name);
    fs.symlinkSync(outside, place('linked.md'));
    execFileSync('mkfifo', [place('pipe.md')]);
    fs.mkdirSync(place('folder.md'));
    const planned = fs.readFileSync(place('pre_planning.json'));
    fs.rmSync(place('pre_planning.json'));
    execFileSync('mkfifo', [place('pre_planning.json')]);
    const { code, out } = readygate(world.root, ['report', '--out', '-']);
    expect(code).toBe(0);
    expect(out).toContain('<summary>design.md');
    expect(out).not.toMatch(/OUTSIDE|linked\.md|pipe\.md|folder\.md|hello\.txt:1/);
    for (const name of ['linked.md', 'pipe.md', 'pre_planning.json']) fs.rmSync(place(name));
    fs.rmdirSync(place('folder.md'));
    fs.writeFileSync(place('pre_planning.json'), planned);
    execFileSync('mkfifo', [path.join(world.root, 'pipe.html')]);
    expect(readygate(world.root, ['report', '--out', 'pipe.html'])).toMatchObject({ code: 1, err: expect.stringContaining('EEXIST') });
    fs.rmSync(path.join(world.root, 'pipe.html'));
  });

  test('takes a journal that is a link or a FIFO for none', () => {
    const journal = world.path('sessions', session, 'journal.jsonl');
    const kept = `${journal}.kept`;
    fs.renameSync(journal, kept);
    const refused = () => {
      for (const command of ['report', 'log', 'verify']) expect(readygate(world.root, [command, session]).code, command).toBe(1);
      expect(readygate(world.root, ['attest', '--seal', session])).toMatchObject({ code: 1, err: expect.stringContaining('no journal') });
      expect(new JournalIndex(world.root, session).refresh().last).toBeNull();
    };
    fs.symlinkSync(kept, journal);
    refused();
    fs.rmSync(journal);
    execFileSync('mkfifo', [journal]);
    refused();
    fs.rmSync(journal);
    fs.renameSync(kept, journal);
    expect(readygate(world.root, ['verify', session]).code).toBe(0);
  });

  test('shows a warning that a newer version wrote by its key', () => {
    const file = world.path('sessions', session, 'state.json');
    const before = fs.readFileSync(file, 'utf8');
    const found = readStateFile(file);
    if (found.kind !== 'present') throw new Error('the session has no state');
    const newer = { key: 'warning.of_tomorrow', params: { path: 'a' } };
    fs.writeFileSync(
      file,
      serialize({ ...found.state, warnings: [newer, { key: 'warning.retry', params: { id: 'x', retry: 1, max: 2 } }] }),
    );
    const { code, out, err } = readygate(world.root, ['report', '--out', '-']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('<li>warning.of_tomorrow</li>');
    expect(out).toContain('x was not found: retry 1 of 2');
    expect(readygate(world.root, ['status', session])).toMatchObject({ code: 0, out: expect.stringContaining('! warning.of_tomorrow') });
    fs.writeFileSync(file, before);
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
