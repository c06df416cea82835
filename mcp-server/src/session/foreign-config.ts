/**
 * A configuration that came with the repository may have programs run and addresses called that the user never chose. They
 * are named once, before anything of it happens; that it was said stands in this repository's own git configuration, which
 * no clone brings along.
 */
import type { Config } from '../config/config.ts';
import type { MessageRef } from '../flow/types.ts';
import { GitFailed } from '../git/failure.ts';
import type { Repository } from '../git/repository.ts';
import { git, gitLine } from '../git/run.ts';
import { notifierName } from '../notify/notifiers.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import { hashOf } from '../state/journal.ts';
import { FOLDER } from '../state/layout.ts';

const FILE = `${FOLDER}/config.yml`;
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

/** @returns the warning that is still to be said; never throws: a git that fails here has it said again */
export async function foreignConfig(repo: Repository | null, config: Config): Promise<Foreign> {
  const what = named(config);
  if (!repo || what.length === 0) return NOTHING;
  try {
    const { stdout } = await git(repo.root, ['ls-files', '--', FILE]);
    if (stdout.trim() === '') return NOTHING;
    const content = contentOf(config);
    if ((await gitLine(repo.root, ['config', '--local', '--get', KEY], [1])) === content) return NOTHING;
    return {
      warnings: [{ key: 'warning.foreign_config', params: { file: FILE, what: what.join('; ').slice(0, ALL_CHARS) } }],
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
