/** Reads the command line, runs one command, prints text or JSON. */
import readline from 'node:readline/promises';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { meant } from '../flow/nearest.ts';
import { languageIn } from '../messages/language.ts';
import { fill, type Language, say, template } from '../messages/messages.ts';
import { belowTool } from '../session/ancestry.ts';
import { failureOf } from '../session/failure.ts';
import { attestCommand } from './attest.ts';
import { cleanCommand } from './clean.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT, EXIT_CODES } from './command.ts';
import { completionCommand } from './completion.ts';
import { dashboardCommand } from './dashboard.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { indexCommand } from './index-command.ts';
import { logCommand } from './log.ts';
import { paintFor, withoutControls } from './paint.ts';
import { startProgress } from './progress.ts';
import { reportCommand } from './report.ts';
import { statusCommand } from './status.ts';
import { statuslineCommand } from './statusline.ts';
import { uninstallCommand } from './uninstall.ts';
import { misfit, unfit, usageOf } from './usage.ts';
import { verifyCommand } from './verify.ts';
import { wrap } from './wrap.ts';

const commands: readonly CliCommand[] = [
  statusCommand,
  logCommand,
  dashboardCommand,
  reportCommand,
  explainCommand,
  verifyCommand,
  attestCommand,
  cleanCommand,
  indexCommand,
  doctorCommand,
  statuslineCommand,
  uninstallCommand,
  completionCommand(() => commands),
];

/** A terminal that says less than this lies. */
const MIN_COLUMNS = 40;

async function askInTerminal(question: string): Promise<string> {
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

function contextOf(): CliContext {
  return {
    cwd: process.cwd(),
    env: process.env,
    language: languageIn(process.cwd(), process.env),
    // An agent's tool may fake a terminal; the host says itself that it is there, also above a process that forgot it.
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CLAUDECODE && !belowTool(),
    json: false,
    columns: process.stdout.isTTY ? Math.max(MIN_COLUMNS, process.stdout.columns || MIN_COLUMNS) : null,
    paint: paintFor(process.stdout, process.env),
    progress: (label, total) => startProgress(process.stderr, label, total),
    now: () => new Date(),
    ask: askInTerminal,
  };
}

/** Help is read in a terminal: broken there at its width, and nowhere else. */
const inTerminal = (text: string, { columns }: CliContext): string => (columns === null ? text : wrap(text, columns));

function overview(context: CliContext): string {
  const { language, paint } = context;
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(
    ({ name, summary }) => `  ${paint.bold(name)}${' '.repeat(width - name.length)}  ${template(summary, language)}`,
  );
  const text = inTerminal(template('cli.help', language), context);
  return fill(text, { version: manifest.version, commands: lines.join('\n') });
}

function helpOf(command: CliCommand, context: CliContext): string {
  const { language, paint } = context;
  const options = [...(command.options ?? []), '--json', '--help'].join(' ');
  return [
    `${paint.bold(`readygate ${command.name}`)} ${command.usage}`.trimEnd(),
    '',
    inTerminal(template(`${command.summary}.help`, language), context),
    '',
    fill(template('cli.help.options', language), { options }),
  ].join('\n');
}

const HELP = { name: 'help', usage: '[command]' };
const VERSION = { name: '--version', usage: '' };

function help([name, ...more]: readonly string[], context: CliContext): CliResult {
  if (name !== undefined && more.length > 0) return misfit(HELP, [name, ...more], context.language);
  if (name === undefined)
    return { code: EXIT.ok, text: overview(context), data: { commands: commands.map((command) => command.name), exit_codes: EXIT_CODES } };
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return unknownCommand(name, context);
  const { options = [] } = command;
  return {
    code: EXIT.ok,
    text: helpOf(command, context),
    data: { usage: usageOf(command), options, help: template(`${command.summary}.help`, context.language) },
  };
}

function unknownCommand(name: string, context: CliContext): CliResult {
  const near = meant(
    name,
    commands.map((candidate) => candidate.name),
  );
  const text = fill(template('cli.unknown_command', context.language), { name });
  const message = near ? `${text} ${fill(template('cli.did_you_mean', context.language), { name: near })}` : text;
  return { code: EXIT.usage, text: `${message}\n\n${overview(context)}`, data: { error: 'usage', message } };
}

/** Everything before `--` may hold --json and --help; what comes after it belongs to the command. */
function splitFlags(argv: readonly string[]): { json: boolean; help: boolean; rest: string[] } {
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  const after = end < 0 ? [] : argv.slice(end);
  const flags = new Set(['--json', '--help', '-h']);
  return {
    json: before.includes('--json'),
    help: before.includes('--help') || before.includes('-h'),
    rest: [...before.filter((word) => !flags.has(word)), ...after],
  };
}

async function dispatch(argv: readonly string[], context: CliContext): Promise<CliResult> {
  const { language } = context;
  const { help: wantsHelp, rest } = splitFlags(argv);
  const [name, ...args] = rest;
  if (name === '--version' && args.length > 0) return misfit(VERSION, args, language);
  if (name === '--version') return { code: EXIT.ok, text: manifest.version, data: { version: manifest.version } };
  if (name === undefined || name === 'help') return help(args, context);
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return unknownCommand(name, context);
  if (wantsHelp) return help([name], context);
  const known = (word: string) => command.options?.includes(word.split('=')[0] ?? '') ?? false;
  const option = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length).find((word) => /^-./.test(word) && !known(word));
  if (option) return unfit(command, fill(template('cli.unknown_option', language), { option }), language);
  return command.run(args, context);
}

/** What git, the lock or the disk refused, in the server's own words; anything else is a defect of ours. */
function failureText(thrown: unknown, language: Language): { error: string; message: string } {
  try {
    const { error, message } = failureOf(thrown);
    return { error, message: say(message, language) };
  } catch {
    return { error: 'internal', message: fill(template('error.internal', language), { detail: (thrown as Error).message }) };
  }
}

/** Runs the program. @returns its exit code */
export async function runCli(argv: readonly string[], context: CliContext = contextOf()): Promise<number> {
  const { json } = splitFlags(argv);
  const { code, text, data, printed } = await dispatch(argv, { ...context, json }).catch((error: unknown): CliResult => {
    const { error: kind, message } = failureText(error, context.language);
    return { code: EXIT.wrong, text: message, data: { error: kind, message } };
  });
  if (printed) return code;
  // Every failure says what happened, for programs, too.
  const told = code !== EXIT.ok && !('message' in data) ? { ...data, message: withoutControls(text) } : data;
  const out = json ? JSON.stringify(told, null, 2) : withoutControls(text);
  (code === EXIT.ok || json ? process.stdout : process.stderr).write(`${out}\n`);
  return code;
}
