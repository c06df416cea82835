/** readygate uninstall: shows everything that Readygate left in a repository, and removes it after the person agreed. */
import fs from 'node:fs';
import path from 'node:path';
import { assertServed, type Repository } from '../git/repository.ts';
import { findTraces, removeBranchWholly, removeConfigKey, removeExclude, removeRef, type Traces } from '../git/traces.ts';
import { fill, template } from '../messages/messages.ts';
import { belowTool } from '../session/ancestry.ts';
import { inspectRoot } from '../session/locate.ts';
import { newestSessions } from '../state/archive.ts';
import { readState } from '../state/session-file.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { withoutControls } from './paint.ts';
import { isOwn, readSettings } from './statusline-settings.ts';
import { misfit } from './usage.ts';

const OPTIONS = { 'dry-run': 'boolean', yes: 'boolean', branches: 'boolean', 'keep-own': 'boolean' } as const;

/** What lies in `.readygate` by Readygate's doing; anything else there is the user's own. */
const OURS = /^(state\.json.*|sessions|index|enforce(\.lifted)?|reports|hooks\.seen.*)$/;

type Say = (key: string, params?: Record<string, string | number>) => string;

/** What the person wants besides the usual. */
interface Wishes {
  branches: boolean;
  keepOwn: boolean;
}

/** The user's own files in a `.readygate`; of a link to another folder nothing but the link is ever removed. */
function ownFiles(folder: string): string[] {
  if (!fs.lstatSync(folder).isDirectory()) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => !OURS.test(name))
    .sort();
}

const holdsOnlyOwn = (folder: string): boolean => {
  const own = ownFiles(folder);
  return own.length > 0 && own.length === fs.readdirSync(folder).length;
};

function folderLines(folder: string, { keepOwn }: Wishes, say: Say): string[] {
  const sessions = newestSessions(path.dirname(folder)).length;
  const files = ownFiles(folder).join(', ');
  const key = keepOwn ? 'cli.uninstall.own_kept' : 'cli.uninstall.own_files';
  return [say('cli.uninstall.folder', { folder, sessions }), ...(files === '' ? [] : [say(key, { files })])];
}

/** At most so many names in a row; the rest is counted. */
const SHOWN = 20;

function listed(names: readonly string[], say: Say): string[] {
  const more = names.length > SHOWN ? [say('cli.uninstall.more', { count: names.length - SHOWN })] : [];
  return [...names.slice(0, SHOWN).map((name) => `    ${name}`), ...more];
}

function section(key: string, names: readonly string[], say: Say): string[] {
  return names.length > 0 ? [say(key, { count: names.length }), ...listed(names, say)] : [];
}

function linesOf(traces: Traces, wishes: Wishes, say: Say): string[] {
  const branches = traces.branches.map(({ name, alone, checked_out }) =>
    say(checked_out ? 'cli.uninstall.branch_here' : 'cli.uninstall.branch', { name, count: alone }),
  );
  return [
    ...traces.folders.flatMap((folder) => folderLines(folder, wishes, say)),
    ...(traces.exclude ? [say('cli.uninstall.exclude', { file: traces.exclude })] : []),
    ...section('cli.uninstall.config', traces.config, say),
    ...section('cli.uninstall.refs', traces.refs, say),
    ...section(wishes.branches ? 'cli.uninstall.branches' : 'cli.uninstall.branches_kept', branches, say),
  ];
}

const isEmpty = ({ folders, exclude, config, refs, branches }: Traces): boolean =>
  folders.length + config.length + refs.length + branches.length === 0 && exclude === null;

const activeIn = (traces: Traces): string[] =>
  traces.folders.flatMap((folder) => {
    const found = readState(path.dirname(folder));
    return found.kind === 'present' && found.state.outcome === null ? [found.state.session] : [];
  });

/** Removes a `.readygate`, or what is not the user's own in it. @returns the names of what stays */
function removeFolder(folder: string, keepOwn: boolean): string[] {
  const own = keepOwn ? ownFiles(folder) : [];
  const gone = own.length === 0 ? [folder] : fs.readdirSync(folder).filter((name) => OURS.test(name));
  for (const name of gone) fs.rmSync(path.resolve(folder, name), { recursive: true, force: true });
  return own;
}

interface Removed {
  /** What git would not let go, with its reason. */
  failed: string[];
  kept: { folder: string; files: string[] }[];
}

/** Git first: while the folders are there, whoever runs this again finds what was left. */
async function removeAll(
  repo: Repository | null,
  traces: Traces,
  { branches, keepOwn }: { branches: readonly string[]; keepOwn: boolean },
  context: CliContext,
): Promise<Removed> {
  const failed: string[] = [];
  const kept: Removed['kept'] = [];
  const total = traces.config.length + traces.refs.length + traces.folders.length + branches.length + 1;
  const bar = context.progress('readygate uninstall', total);
  let done = 0;
  const step = () => bar.update(++done);
  try {
    if (repo) {
      for (const key of traces.config) await removeConfigKey(repo.root, key).then(step);
      for (const ref of traces.refs) await removeRef(repo.root, ref).then(step);
      for (const name of branches) {
        const why = await removeBranchWholly(repo.root, name);
        if (why !== null) failed.push(`${name}: ${why}`);
        step();
      }
    }
    if (traces.exclude) removeExclude(traces.exclude);
    step();
    for (const folder of traces.folders) {
      const files = removeFolder(folder, keepOwn);
      if (files.length > 0) kept.push({ folder, files });
      step();
    }
  } finally {
    bar.end();
  }
  return { failed, kept };
}

interface Agreed {
  branches: string[];
}

/** Nothing is removed without a word: typed here, or --yes by a program that is no agent's. */
async function agree(
  traces: Traces,
  options: { yes: boolean; branches: boolean },
  context: CliContext,
  say: Say,
): Promise<Agreed | CliResult> {
  const active = activeIn(traces);
  const names = traces.branches.filter((branch) => !branch.checked_out).map(({ name }) => name);
  if (!context.interactive) {
    if (active.length > 0 || context.env.CLAUDECODE || belowTool() || !options.yes) {
      const data = { error: 'needs_user', active };
      return {
        code: EXIT.wrong,
        text: say(active.length > 0 ? 'cli.uninstall.active' : 'cli.uninstall.terminal', { session: active.join(', ') }),
        data,
      };
    }
    return { branches: options.branches ? names : [] };
  }
  const question = say(active.length > 0 ? 'cli.uninstall.ask_active' : 'cli.uninstall.ask', { session: active.join(', ') });
  if (!options.yes && (await context.ask(question)) !== 'remove')
    return { code: EXIT.wrong, text: say('cli.uninstall.declined', { word: 'remove' }), data: { error: 'declined' } };
  if (!options.branches || names.length === 0) return { branches: [] };
  const typed = await context.ask(say('cli.uninstall.ask_branches', { count: names.length }));
  return { branches: typed === 'delete branches' ? names : [] };
}

/** The status line is the user's, not the repository's: it is told, and stays. */
function hasStatusLine(env: NodeJS.ProcessEnv): boolean {
  try {
    return isOwn(readSettings(env).tree.statusLine, env);
  } catch {
    return false;
  }
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const say: Say = (key, params = {}) => fill(template(key, context.language), params);
  const read = readOptions(args, OPTIONS);
  if (!read) return misfit(uninstallCommand, args, context.language);
  const { 'dry-run': dry = false, yes = false, branches = false, 'keep-own': keepOwn = false } = read.values;
  const found = await inspectRoot(context.cwd);
  assertServed(found);
  const repo = found.kind === 'none' || found.kind === 'bare' ? null : found;
  const all = await findTraces(found.root, repo);
  const traces = keepOwn ? { ...all, folders: all.folders.filter((folder) => !holdsOnlyOwn(folder)) } : all;
  const line = hasStatusLine(context.env) ? [say('cli.uninstall.statusline')] : [];
  if (isEmpty(traces)) return { code: EXIT.ok, text: [say('cli.uninstall.nothing'), ...line].join('\n'), data: { traces } };
  const list = [say('cli.uninstall.head'), ...linesOf(traces, { branches, keepOwn }, say)].join('\n');
  if (dry) return { code: EXIT.ok, text: list, data: { traces, removed: false } };
  if (!context.json || context.interactive) process.stderr.write(`${withoutControls(list)}\n`);
  const agreed = await agree(traces, { yes, branches }, context, say);
  if ('code' in agreed) return { ...agreed, data: { ...agreed.data, traces } };
  const { failed, kept } = await removeAll(repo, traces, { branches: agreed.branches, keepOwn }, context);
  const text = [
    say('cli.uninstall.done'),
    ...failed.map((one) => `! ${one}`),
    ...kept.map(({ folder, files }) => say('cli.uninstall.kept', { folder, files: files.join(', ') })),
    ...line,
    say('cli.uninstall.plugin'),
  ].join('\n');
  const data = { traces, removed: true, branches: agreed.branches, failed, kept };
  return { code: failed.length > 0 ? EXIT.wrong : EXIT.ok, text, data };
}

export const uninstallCommand: CliCommand = {
  name: 'uninstall',
  usage: '[--dry-run] [--keep-own] [--branches] [--yes]',
  options: ['--dry-run', '--keep-own', '--branches', '--yes'],
  summary: 'cli.uninstall.summary',
  run,
};
