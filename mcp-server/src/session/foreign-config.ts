/**
 * A configuration that came with the repository may have programs run and addresses called that the user never chose. They
 * are named once, before anything of it happens; that it was said stands in this repository's own git configuration, which
 * no clone brings along. Without git nobody can tell whether it came with the folder, and a note in there could have come
 * along as well: it is said once in each process.
 */
import path from 'node:path';
import { CONFIG_FILE, type Config } from '../config/config.ts';
import type { MessageRef } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import type { Repository } from '../git/repository.ts';
import { git, gitLine } from '../git/run.ts';
import { isTracked } from '../git/tracked.ts';
import { notifierName } from '../notify/notifiers.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import { hashOf } from '../state/journal.ts';

const KEY = 'readygate.configTold';

/** A command is shown so far, and all of them together. */
const SHOWN_CHARS = 160;
const ALL_CHARS = 1200;

/** An address may hold a secret, so only its host is named. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url.slice(0, 40));

/** What the configuration has run or called, in words. */
function named(config: Config): string[] {
  const { verify, telemetry } = config;
  const commands = verify.commands.map((one) => (typeof one === 'string' ? one : one.command));
  const { notifiers } = settingsOf({ config }).notification;
  return [
    ...commands.map((command) => `verify.commands: ${command.slice(0, SHOWN_CHARS)}`),
    ...notifiers.map((notifier, index) =>
      notifier.type === 'command'
        ? `notifier: ${notifier.command.join(' ').slice(0, SHOWN_CHARS)}`
        : `notifier ${notifierName(notifier, index)}`,
    ),
    ...(telemetry.otlp_endpoint === '' ? [] : [`telemetry: ${hostOf(telemetry.otlp_endpoint)}`]),
  ];
}

/** What decides whether it was said already: everything that is run or called, whole. */
const contentOf = ({ verify, telemetry, planning }: Config): string =>
  hashOf([verify.commands, planning?.pre_planning.notification.notifiers ?? [], telemetry.otlp_endpoint]);

export interface Foreign {
  warnings: MessageRef[];
  /** Call it once the warnings were said. */
  remember: () => Promise<void>;
}

const NOTHING: Foreign = { warnings: [], remember: async () => {} };

/** What was said of folders without git: root and content. */
const toldHere = new Set<string>();

const warningsOf = (key: string, what: readonly string[]): MessageRef[] => [
  { key, params: { file: CONFIG_FILE, what: what.join('; ').slice(0, ALL_CHARS) } },
];

function withoutGit(root: string, what: readonly string[], content: string): Foreign {
  const told = `${content} ${root}`;
  if (toldHere.has(told)) return NOTHING;
  return { warnings: warningsOf('warning.config_without_git', what), remember: async () => void toldHere.add(told) };
}

/**
 * @param repo null where git does not serve the session
 * @returns the warning that is still to be said; never throws: a git that fails here has it said again
 */
export async function foreignConfig(root: string, repo: Repository | null, config: Config): Promise<Foreign> {
  const what = named(config);
  if (what.length === 0) return NOTHING;
  const content = contentOf(config);
  if (!repo) return withoutGit(root, what, content);
  try {
    if (!(await isTracked(path.join(root, CONFIG_FILE)))) return NOTHING;
    if ((await gitLine(repo.root, ['config', '--local', '--get', KEY], [1])) === content) return NOTHING;
    return {
      warnings: warningsOf('warning.foreign_config', what),
      remember: async () => {
        await git(repo.root, ['config', '--local', KEY, content]).catch(unlessGit);
      },
    };
  } catch (error) {
    unlessGit(error);
    return NOTHING;
  }
}

function unlessGit(error: unknown): void {
  if (!(error instanceof GitFailed)) throw error;
}
