/** The host: its version against the manifest, hooks switched off in settings, an older copy of the plugin. */
import fs from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { fill, type Language, template } from '../messages/messages.ts';
import { rootOf } from '../session/root-of.ts';
import type { CliContext } from './command.ts';
import type { Finding } from './doctor.ts';

type Json = Record<string, unknown>;

function readJson(file: string): Json | null {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** Compares dotted versions. @returns negative when `a` is older than `b` */
function compareVersions(a: string, b: string): number {
  const parts = (version: string) => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [x, y] = [parts(a), parts(b)];
  for (let index = 0; index < 3; index++) {
    const difference = (x[index] ?? 0) - (y[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The oldest client that the manifest names. */
const oldestClient = (): string => manifest.engines['claude-code'].replace(/^[^\d]*/, '');

async function client(language: Language): Promise<Finding> {
  const name = 'Claude Code';
  const ran = await execa('claude', ['--version'], { reject: false, timeout: 15_000 });
  const version = ran.exitCode === 0 ? (/\d+\.\d+\.\d+/.exec(ran.stdout)?.[0] ?? null) : null;
  if (!version) return { name, state: 'warning', detail: template('cli.doctor.client_unknown', language) };
  if (compareVersions(version, oldestClient()) >= 0) return { name, state: 'ok', detail: version };
  return {
    name,
    state: 'wrong',
    detail: fill(template('cli.doctor.client_old', language), { version, oldest: oldestClient() }),
    repair: 'claude update',
  };
}

const homeOf = (env: NodeJS.ProcessEnv): string => env.CLAUDE_CONFIG_DIR || path.join(env.HOME || env.USERPROFILE || '', '.claude');

/** The host's settings, each file winning over the one before: the user's, the project's, the project's local ones. */
function settingsFiles({ env, cwd }: CliContext): string[] {
  const project = path.join(env.CLAUDE_PROJECT_DIR || rootOf(cwd), '.claude');
  return [path.join(homeOf(env), 'settings.json'), path.join(project, 'settings.json'), path.join(project, 'settings.local.json')];
}

/** What was said last, and where. */
interface Said {
  on: boolean;
  file: string;
}

function switchesIn(files: readonly string[]): { allOff: Said | null; plugins: Map<string, Said> } {
  let allOff: Said | null = null;
  const plugins = new Map<string, Said>();
  for (const file of files) {
    const settings = readJson(file);
    if (typeof settings?.disableAllHooks === 'boolean') allOff = { on: settings.disableAllHooks, file };
    for (const [plugin, on] of Object.entries((settings?.enabledPlugins ?? {}) as Json))
      if (plugin.startsWith(`${manifest.name}@`) && typeof on === 'boolean') plugins.set(plugin, { on, file });
  }
  return { allOff, plugins };
}

function switchedOff(context: CliContext): Finding {
  const name = 'settings';
  const say = (key: string, file: string) => fill(template(key, context.language), { file });
  const { allOff, plugins } = switchesIn(settingsFiles(context));
  if (allOff?.on)
    return { name, state: 'wrong', detail: say('cli.doctor.hooks_off', allOff.file), repair: say('cli.doctor.hooks_on', allOff.file) };
  const [off] = [...plugins].filter(([, { on }]) => !on);
  if (off && [...plugins.values()].every(({ on }) => !on))
    return { name, state: 'wrong', detail: say('cli.doctor.plugin_off', off[1].file), repair: `claude plugin enable ${off[0]}` };
  return { name, state: 'ok', detail: template('cli.doctor.settings_ok', context.language) };
}

function installedVersions(env: NodeJS.ProcessEnv): { plugin: string; version: string }[] {
  const installed = readJson(path.join(homeOf(env), 'plugins', 'installed_plugins.json'));
  const plugins = (installed?.plugins ?? {}) as Record<string, unknown>;
  return Object.entries(plugins)
    .filter(([plugin]) => plugin.startsWith(`${manifest.name}@`))
    .flatMap(([plugin, entries]) =>
      (Array.isArray(entries) ? entries : [entries]).map((entry) => ({ plugin, version: String((entry as Json | null)?.version ?? '') })),
    );
}

function cachedCopy({ env, language }: CliContext): Finding {
  const name = 'installed copy';
  const older = installedVersions(env).find(({ version }) => /^\d/.test(version) && compareVersions(version, manifest.version) < 0);
  if (!older) return { name, state: 'ok', detail: manifest.version };
  return {
    name,
    state: 'warning',
    detail: fill(template('cli.doctor.copy_old', language), { installed: older.version, version: manifest.version }),
    repair: `claude plugin update ${older.plugin}`,
  };
}

/** The client's version, its settings, the installed copy. */
export async function hostChecks(context: CliContext): Promise<Finding[]> {
  return [await client(context.language), switchedOff(context), cachedCopy(context)];
}
