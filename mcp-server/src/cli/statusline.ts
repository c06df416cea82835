/** readygate statusline: adds Readygate's line to the user's own status line, or takes it away again. */
import fs from 'node:fs';
import { fill, template } from '../messages/messages.ts';
import { rootOf } from '../session/root-of.ts';
import { readState, StorageFailed, writeAtomic } from '../state/session-file.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { pluginRoot } from './plugin-root.ts';
import {
  assertWritable,
  beforeFile,
  commandOf,
  isOwn,
  launcherFile,
  launcherText,
  ownCommand,
  ownFolder,
  readSettings,
  SettingsReadOnly,
  SettingsUnreadable,
  writeSettings,
} from './statusline-settings.ts';
import { misfit } from './usage.ts';

const OPTIONS = { install: 'boolean', remove: 'boolean', yes: 'boolean' } as const;

type Say = (key: string, params?: Record<string, string>) => string;

function install(env: NodeJS.ProcessEnv, say: Say): CliResult {
  const settings = readSettings(env);
  const there = settings.tree.statusLine;
  const again = isOwn(there, env);
  const before = again ? savedBefore(env) : there;
  const own = launcherFile(env);
  if (!again && there !== undefined) writeAtomic(beforeFile(env), `${JSON.stringify(there, null, 2)}\n`);
  // The user took the line out by hand since: what was there before it is gone for good.
  if (!again && there === undefined) fs.rmSync(beforeFile(env), { force: true });
  writeAtomic(own, launcherText(pluginRoot(), commandOf(before)));
  const padding = typeof before === 'object' && before !== null ? before : {};
  settings.tree.statusLine = { ...padding, type: 'command', command: ownCommand(env) };
  writeSettings(settings);
  const kept = commandOf(before);
  const text = kept
    ? say('cli.statusline.added_beside', { file: settings.file, kept })
    : say('cli.statusline.added', { file: settings.file });
  return { code: EXIT.ok, text, data: { installed: true, file: settings.file, script: own, kept } };
}

function savedBefore(env: NodeJS.ProcessEnv): unknown {
  try {
    return JSON.parse(fs.readFileSync(beforeFile(env), 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function remove(env: NodeJS.ProcessEnv, say: Say): CliResult {
  const settings = readSettings(env);
  const own = isOwn(settings.tree.statusLine, env);
  const before = savedBefore(env);
  if (own) {
    if (before === undefined) delete settings.tree.statusLine;
    else settings.tree.statusLine = before;
    writeSettings(settings);
  }
  fs.rmSync(launcherFile(env), { force: true });
  fs.rmSync(beforeFile(env), { force: true });
  if (fs.existsSync(ownFolder(env)) && fs.readdirSync(ownFolder(env)).length === 0) fs.rmdirSync(ownFolder(env));
  const key = own ? (before === undefined ? 'cli.statusline.removed' : 'cli.statusline.restored') : 'cli.statusline.not_ours';
  return { code: EXIT.ok, text: say(key, { file: settings.file }), data: { installed: false, file: settings.file, changed: own } };
}

function show(env: NodeJS.ProcessEnv, say: Say): CliResult {
  const { file, tree } = readSettings(env);
  const installed = isOwn(tree.statusLine, env);
  return { code: EXIT.ok, text: say(installed ? 'cli.statusline.is_on' : 'cli.statusline.is_off', { file }), data: { installed, file } };
}

/** Settings are the user's: never changed from inside a session, and elsewhere only with the user's word. */
async function mayChange(context: CliContext, yes: boolean, question: string, say: Say): Promise<CliResult | null> {
  const active = readState(rootOf(context.cwd));
  if (!context.interactive && active.kind === 'present' && active.state.outcome === null)
    return {
      code: EXIT.wrong,
      text: say('cli.statusline.session', { session: active.state.session }),
      data: { error: 'guard_blocked', guard: 'RG06' },
    };
  if (yes) return null;
  if (!context.interactive) return { code: EXIT.wrong, text: say('cli.statusline.terminal'), data: { error: 'needs_user' } };
  const answer = await context.ask(`${question} [y/n] `);
  return /^(y|yes|はい)$/i.test(answer) ? null : { code: EXIT.wrong, text: say('cli.unchanged'), data: { error: 'declined' } };
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { env, language } = context;
  const say: Say = (key, params = {}) => fill(template(key, language), params);
  const read = readOptions(args, OPTIONS);
  if (!read || (read.values.install && read.values.remove)) return misfit(statuslineCommand, args, language);
  const { install: wanted, remove: unwanted, yes = false } = read.values;
  try {
    if (!wanted && !unwanted) return show(env, say);
    const settings = readSettings(env);
    if (wanted || isOwn(settings.tree.statusLine, env)) assertWritable(settings);
    const { file } = settings;
    const refused = await mayChange(context, yes, say(wanted ? 'cli.statusline.ask_install' : 'cli.statusline.ask_remove', { file }), say);
    return refused ?? (wanted ? install(env, say) : remove(env, say));
  } catch (error) {
    if (error instanceof SettingsUnreadable)
      return {
        code: EXIT.wrong,
        text: say('cli.statusline.unreadable', { file: error.file, detail: error.message }),
        data: { error: 'settings_unreadable', file: error.file },
      };
    if (error instanceof SettingsReadOnly)
      return {
        code: EXIT.wrong,
        text: say('cli.statusline.read_only', { file: error.file }),
        data: { error: 'settings_read_only', file: error.file },
      };
    if (error instanceof StorageFailed)
      return {
        code: EXIT.wrong,
        text: fill(template(error.ref.key, language), error.ref.params),
        data: { error: 'storage_failed', file: error.file },
      };
    throw error;
  }
}

export const statuslineCommand: CliCommand = {
  name: 'statusline',
  usage: '[--install | --remove] [--yes]',
  options: ['--install', '--remove', '--yes'],
  summary: 'cli.statusline.summary',
  run,
};
