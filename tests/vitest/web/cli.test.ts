import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { belowTool } from '../../../mcp-server/src/session/ancestry.ts';
import { hostEnvironment } from '../server/host.ts';
import { ACTIVE, showcase } from './showcase.ts';

const program = (name: string): string => path.join(path.dirname(inject('serverFile')), name);

/** Below an agent's tool the program refuses, as it should: then only that can be tested. */
const BELOW = belowTool(process.pid);
const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

interface Started {
  child: ChildProcess;
  out: () => string;
  err: () => string;
}

function start(root: string, args: string[], env: Record<string, string> = {}): Started {
  const said = { out: '', err: '' };
  const child = spawn(process.execPath, [program('cli.cjs'), 'dashboard', ...args], {
    cwd: root,
    env: { ...hostEnvironment({ project: root }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    said.err += chunk;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, out: () => said.out, err: () => said.err };
}

async function until<T>(what: () => T | null | undefined | false): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    const found = what();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not happen');
}

const ended = ({ child }: Started): Promise<number | null> =>
  child.exitCode === null ? new Promise((resolve) => child.on('exit', (code) => resolve(code))) : Promise.resolve(child.exitCode);

describe('readygate dashboard', () => {
  test('is refused below the agent’s tools, and says where to start it', async () => {
    const started = start(showcase(), ['--no-open'], { CLAUDECODE: '1' });
    expect(await ended(started)).toBe(1);
    expect(started.out()).toBe('');
    // What it tells the user to type is a command that is there.
    const [, command = ''] = /in this folder: ('.+'|\S+) dashboard/.exec(started.err()) ?? [];
    expect(spawnSync('bash', ['-c', `${command} --version`], { encoding: 'utf8' }).stdout).toMatch(/^\d+\.\d+\.\d+$/m);
  });

  test.skipIf(process.platform !== 'linux')('is refused, too, when the mark was taken out of its own environment', async () => {
    const started = spawnSync('bash', ['-c', `env -u CLAUDECODE "${process.execPath}" "${program('cli.cjs')}" dashboard; echo "code $?"`], {
      env: { ...hostEnvironment({ project: '/' }), CLAUDECODE: '1' },
      encoding: 'utf8',
    });
    expect(started.stdout).toContain('code 1');
  });

  test.skipIf(BELOW)('without a terminal it only shows; the address is JSON, the code is nowhere, and SIGTERM ends it', async () => {
    const started = start(showcase(), ['--json', '--no-open']);
    const line = await until(() => started.out().includes('\n') && started.out());
    const said = JSON.parse(line) as { url: string; port: number; decisions: boolean };
    expect(said).toMatchObject({ url: `http://127.0.0.1:${said.port}/`, decisions: false });
    const overview = (await (await fetch(`${said.url}api/overview`)).json()) as Record<string, unknown>;
    expect(overview).toMatchObject({ may_decide: false, active: ACTIVE });
    expect(started.out() + started.err()).not.toMatch(/[0-9A-Z]{4}-[0-9A-Z]{4}/);
    started.child.kill('SIGTERM');
    expect(await ended(started)).toBe(0);
    expect(started.out()).toBe(line);
  });

  test.skipIf(BELOW)('a port that is taken is named', async () => {
    const holder = net.createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      holder.close();
    });
    await new Promise((resolve) => holder.once('listening', resolve));
    const { port } = holder.address() as net.AddressInfo;
    const started = start(showcase(), ['--port', String(port)]);
    expect(await ended(started)).toBe(1);
    expect(started.err()).toContain(`Port ${port} cannot be used`);
  });

  test.each([[['--port=65536']], [['somewhere']], [['--prot', '1']]])('%j does not fit', async (args) => {
    expect(await ended(start(showcase(), args))).toBe(64);
  });

  test.skipIf(BELOW || !HAS_TMUX)('in a terminal it prints the code, and the code decides', async () => {
    const root = showcase();
    const session = `readygate-${process.pid}`;
    const tmux = (...args: string[]) => spawnSync('tmux', ['-L', session, ...args], { encoding: 'utf8' }).stdout;
    onTestFinished(() => void tmux('kill-server'));
    tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '200',
      '-y',
      '20',
      '-c',
      root,
      `"${process.execPath}" "${program('cli.cjs')}" dashboard --no-open`,
    );
    const screen = await until(() => /page: ([0-9A-Z-]{9})/.test(tmux('capture-pane', '-p')) && tmux('capture-pane', '-p'));
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/)/.exec(screen) ?? [];
    const [, code = ''] = /page: ([0-9A-Z-]{9})/.exec(screen) ?? [];
    expect(url).not.toContain(code);
    const sent = await fetch(`${url}api/decide`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${code}` },
      body: JSON.stringify({ session: ACTIVE, rev: 1, kind: 'abort' }),
    });
    expect(await sent.json()).toMatchObject({ done: true });
  });

  test('is loaded by nothing else', () => {
    expect(readFileSync(program('dashboard.cjs'), 'utf8')).toContain('frame-ancestors');
    for (const name of ['cli.cjs', 'server-main.cjs', 'server.cjs'])
      expect(readFileSync(program(name), 'utf8'), name).not.toMatch(/frame-ancestors|markdown-it|preact/);
  });
});
