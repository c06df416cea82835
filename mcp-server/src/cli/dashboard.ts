/** readygate dashboard: a page on this machine that shows the session, and through which the person may decide. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fill, template } from '../messages/messages.ts';
import { belowTool } from '../session/ancestry.ts';
import { rootOf } from '../session/root-of.ts';
import type { Started } from '../web/main.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { cliEdge } from './edge.ts';
import { readOptions } from './options.ts';
import { pluginRoot } from './plugin-root.ts';
import { misfit } from './usage.ts';

interface Options {
  port: number;
  open: boolean;
}

const OPTIONS = { port: 'string', 'no-open': 'boolean' } as const;

const MAX_PORT = 65_535;

/** @returns null when they do not fit */
function optionsIn(args: readonly string[]): Options | null {
  const read = readOptions(args, OPTIONS);
  if (!read) return null;
  const { port = '0', 'no-open': closed = false } = read.values;
  return /^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT ? { port: Number(port), open: !closed } : null;
}

/** The system's way to open an address. The code is not part of it: command lines and histories can be read by anyone. */
function openBrowser(url: string): void {
  const [program = '', args = []] = (
    { darwin: ['open', [url]], win32: ['cmd', ['/c', 'start', '', url]] } as Partial<Record<NodeJS.Platform, [string, string[]]>>
  )[process.platform] ?? ['xdg-open', [url]];
  const browser = spawn(program, args, { stdio: 'ignore', detached: true });
  browser.on('error', () => {}); // the address is on the screen
  browser.unref();
}

/** The command as it is typed in a shell that does not have it on its path. */
function ownProgram(): string {
  const file = path.join(pluginRoot(), 'bin', 'readygate');
  return /^[\w./~+-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

/** The server lies in a program of its own, so that no other command loads it. */
const load = (): typeof import('../web/main.ts') => createRequire(__filename)(path.join(__dirname, 'dashboard.cjs'));

const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });

/** The code goes to the terminal and nowhere else: what stdout leads to may be a file. */
function announce({ url, port, code }: Started, root: string, { language, json, interactive }: CliContext): void {
  const say = (key: string) => fill(template(key, language), { url, root, code: code ?? '' });
  if (json) process.stdout.write(`${JSON.stringify({ url, port, root, decisions: code !== null })}\n`);
  else process.stdout.write(`${say('cli.dashboard.address')}\n`);
  if (code !== null) process.stderr.write(`${say('cli.dashboard.code')}\n`);
  else process.stderr.write(`${say('cli.dashboard.shows_only')}\n`);
  if (interactive) process.stderr.write(`${say('cli.dashboard.stop')}\n`);
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { language, env, interactive } = context;
  const wrong = (key: string, params: Record<string, string | number>): CliResult => {
    const text = fill(template(key, language), params);
    return { code: EXIT.wrong, text, data: { error: key.split('.').at(-1) ?? key, message: text } };
  };
  const options = optionsIn(args);
  if (!options) return misfit(dashboardCommand, args, language);
  if (env.CLAUDECODE || belowTool()) return wrong('cli.dashboard.by_tool', { program: ownProgram() });
  const root = rootOf(context.cwd);
  let started: Started;
  try {
    const edge = { ...cliEdge(context, root), ask: async () => 'unavailable' as const };
    started = await load().startDashboard({ root, edge, port: options.port }, interactive);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    return wrong('cli.dashboard.port', { port: options.port, detail: message });
  }
  announce(started, root, context);
  if (options.open && interactive) openBrowser(started.url);
  await untilStopped();
  await started.close();
  return { code: EXIT.ok, text: template('cli.dashboard.stopped', language), data: {}, printed: context.json };
}

export const dashboardCommand: CliCommand = {
  name: 'dashboard',
  usage: '[--port 0-65535] [--no-open]',
  summary: 'cli.dashboard.summary',
  options: ['--port', '--no-open'],
  values: { '--port': 'number' },
  run,
};
