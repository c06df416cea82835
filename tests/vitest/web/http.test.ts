import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_WRONG, StartCode } from '../../../mcp-server/src/web/code.ts';
import { fileOf, freshRoot } from '../state/store.ts';
import { dashboard, decide, get, request } from './dashboard.ts';
import { ACTIVE, ANALYSIS, showcase, waiting } from './showcase.ts';

const bytes = (root: string): string => readFileSync(fileOf(root), 'latin1');

describe('what is read', () => {
  test('needs no code, and every answer says what the page may do', async () => {
    const running = await dashboard(showcase());
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg', '/api/overview', '/api/events', '/api/texts?lang=ja', '/nowhere']) {
      const { headers, status } = await request(running, path);
      expect(status, path).toBe(path === '/nowhere' ? 404 : 200);
      const policy = String(headers['content-security-policy']);
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).toContain("require-trusted-types-for 'script'");
      expect(policy, path).not.toMatch(/unsafe|\*|https?:/);
      expect(headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-origin'], path).toBeUndefined();
    }
  });

  test('the page loads nothing from elsewhere, and holds nothing inline that the policy would refuse', async () => {
    const { text } = await request(await dashboard(showcase()), '/');
    expect([...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual(['/icon.svg', '/page.css', '/page.js']);
    expect(text).not.toMatch(/<style|style=|onload|<script>[^<]/);
  });

  test('the page speaks the language of the configuration; with none the browser decides', async () => {
    const root = showcase();
    const running = await dashboard(root);
    expect((await request(running, '/')).text).toContain('<html lang="en">');
    writeFileSync(join(root, '.readygate/config.yml'), 'language: ja\n');
    expect((await request(running, '/')).text).toContain('<html lang="ja" data-language="ja">');
  });

  test('the overview shows where the session stands and what the person can decide', async () => {
    const shown = await get(await dashboard(waiting()), '/api/overview');
    expect(shown).toMatchObject({ active: ACTIVE, may_decide: true, problem: null });
    expect(shown.session).toMatchObject({
      node: 'VERIFY_ESCALATION',
      step: 16,
      decisions: ['decide', 'abort'],
      task_count: 4,
      tasks_done: 1,
    });
  });

  test('without a session, and with a damaged state, it says so', async () => {
    const root = freshRoot();
    writeFileSync(fileOf(root), 'no state');
    const running = await dashboard(root);
    expect(await get(running, '/api/overview')).toMatchObject({
      session: null,
      active: null,
      problem: expect.stringContaining('state.json'),
    });
    expect((await request(running, '/api/events')).status).toBe(404);
    expect(await get(running, '/api/past')).toEqual({ sessions: [], total: 0, next: null });
  });

  test('artifacts come as text', async () => {
    const running = await dashboard(showcase());
    expect(await get(running, '/api/artifact?name=analysis.md')).toEqual({ name: 'analysis.md', text: ANALYSIS, cut: false });
    expect((await get(running, '/api/artifacts')) as unknown).toMatchObject([{ name: expect.any(String) }, { name: expect.any(String) }]);
  });

  test.each([
    '../state.json',
    '..%2F..%2Fstate.json',
    '%2e%2e/%2e%2e/secret.md',
    '../../../secret.md',
    '/etc/passwd',
    'journal.jsonl',
    'pre_planning.json',
    'discarded/1/x.md',
    'link.md',
    'folder.md',
    '.hidden.md',
    'analysis.md%00.md',
    '',
  ])('a path that leads elsewhere is refused: %s', async (name) => {
    const root = showcase();
    writeFileSync(join(root, 'secret.md'), 'secret');
    const folder = join(root, '.readygate', 'sessions', ACTIVE);
    symlinkSync(join(root, 'secret.md'), join(folder, 'link.md'));
    mkdirSync(join(folder, 'folder.md'));
    const running = await dashboard(root);
    expect((await request(running, `/api/artifact?name=${name}`)).status).toBe(404);
    expect((await request(running, `/api/artifact?session=..%2F..&name=${name}`)).status).toBe(404);
    expect(JSON.stringify(await get(running, '/api/artifacts'))).not.toContain('link.md');
  });
});

/** Timers of this process: each page that looks has one for the disk and one for the beat. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('the stream tells at once where things stand, and nothing is watched when nobody looks any more', async () => {
  const { port } = await dashboard(showcase());
  const before = timers();
  const streams = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise<http.ClientRequest>((resolve, reject) => {
          const sent = http.get({ host: '127.0.0.1', port, path: '/api/live', agent: false }, (answer) => {
            expect(answer.headers['content-type']).toContain('text/event-stream');
            answer.on('error', () => {});
            answer.once('data', (chunk) => (String(chunk).includes('event: tick') ? resolve(sent) : reject(new Error(String(chunk)))));
          });
          sent.on('error', () => {});
        }),
    ),
  );
  expect(timers()).toBeGreaterThan(before);
  for (const stream of streams) stream.destroy();
  await expect.poll(timers, { timeout: 30_000 }).toBeLessThanOrEqual(before);
});

describe('a request that is not the page’s own is refused', () => {
  const elsewhere: [string, (port: number) => Record<string, string>][] = [
    ['another host', () => ({ Host: 'evil.test' })],
    ['another host on our port', (port) => ({ Host: `evil.test:${port}` })],
    ['our host on another port', () => ({ Host: '127.0.0.1:1' })],
    ['another origin', () => ({ Origin: 'http://evil.test' })],
    ['another port’s origin', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['an origin over https', (port) => ({ Origin: `https://127.0.0.1:${port}` })],
    ['a sandboxed origin', () => ({ Origin: 'null' })],
    ['another site', () => ({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })],
    ['another port of this machine', () => ({ 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' })],
  ];

  test.each(elsewhere)('from %s', async (_name, headers) => {
    const root = waiting();
    const before = bytes(root);
    const running = await dashboard(root);
    for (const path of ['/', '/api/overview', '/api/live', '/page.js'])
      expect((await request(running, path, { headers: headers(running.port) })).status, path).toBe(403);
    const sent = await decide(running, { session: ACTIVE, rev: 31, kind: 'abort' }, headers(running.port));
    expect(sent.status).toBe(403);
    expect(bytes(root)).toBe(before);
  });

  test('a link from elsewhere may lead to the page', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
    const running = await dashboard(showcase());
    expect((await request(running, '/', { headers })).status).toBe(200);
    expect((await request(running, '/api/overview', { headers })).status).toBe(403);
  });

  test('nothing listens on this machine’s other addresses', async () => {
    const { port } = await dashboard(showcase());
    const others = Object.values(os.networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address, family }) => family === 'IPv4' && address !== '127.0.0.1');
    for (const { address } of others) {
      const reached = await new Promise((resolve) => {
        const socket = net.connect(port, address, () => resolve(true));
        socket.on('error', () => resolve(false));
      });
      expect(reached, address).toBe(false);
    }
  });
});

describe('the code', () => {
  const decision = { session: ACTIVE, rev: 31, kind: 'abort' };

  test.each([
    ['without one', { Authorization: '' }, 401, 'code_missing'],
    ['with a wrong one', { Authorization: 'Bearer 0000-0000' }, 401, 'code_wrong'],
    ['as a cookie', { Authorization: '', Cookie: 'code=x' }, 401, 'code_missing'],
    ['as a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, 'not_json'],
    ['as plain text', { 'Content-Type': 'text/plain' }, 415, 'not_json'],
  ])('nothing is decided %s', async (_name, headers, status, error) => {
    const root = waiting();
    const before = bytes(root);
    expect(await decide(await dashboard(root), decision, headers)).toMatchObject({ status, data: { error } });
    expect(bytes(root)).toBe(before);
  });

  test('a dashboard that was not started in a terminal decides nothing', async () => {
    const root = waiting();
    const before = bytes(root);
    expect(await decide(await dashboard(root, false), decision)).toMatchObject({ status: 403, data: { error: 'shows_only' } });
    expect(bytes(root)).toBe(before);
  });

  test('guessing ends it: after too many wrong codes the right one does not help', async () => {
    const code = new StartCode();
    for (let tries = 0; tries < MAX_WRONG; tries++) expect(code.check('0000-0000')).toBe('wrong');
    expect(code.check(code.shown)).toBe('locked');
  });

  test('it is new at every start, and is read as a person types it', () => {
    const codes = Array.from({ length: 200 }, () => new StartCode());
    expect(new Set(codes.map(({ shown }) => shown)).size).toBe(codes.length);
    for (const code of codes) {
      expect(code.shown).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
      expect(code.check(` ${code.shown.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `)).toBe('right');
    }
  });

  test('it is in no file, and no answer', async () => {
    const root = waiting();
    const running = await dashboard(root);
    await decide(running, { ...decision, rev: 30, kind: 'decide', answer: 'retry' });
    await decide(running, decision);
    const answers = await Promise.all(['/', '/page.js', '/api/overview', '/api/events', '/api/past'].map((path) => request(running, path)));
    for (const { text, headers } of answers) expect(text + JSON.stringify(headers)).not.toContain(running.code);
    const folder = join(root, '.readygate', 'sessions', ACTIVE);
    for (const name of ['journal.jsonl', 'state.json']) expect(readFileSync(join(folder, name), 'utf8')).not.toContain(running.code);
  });
});
