/** Reads the command line, runs one command, prints text or JSON. */
import readline from 'node:readline/promises';
import manifest from '../../../.claude-plugin/plugin.json' with { type: 'json' };
import { fill, type Language, template } from '../messages/messages.ts';
import { cleanCommand } from './clean.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { indexCommand } from './index-command.ts';
import { logCommand } from './log.ts';
import { statusCommand } from './status.ts';
import { verifyCommand } from './verify.ts';

const commands: readonly CliCommand[] = [
  statusCommand,
  logCommand,
  verifyCommand,
  explainCommand,
  cleanCommand,
  indexCommand,
  doctorCommand,
];

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
    language: 'en',
    // An agent's tool may fake a terminal; the host says itself that it is there.
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CLAUDECODE,
    now: () => new Date(),
    ask: askInTerminal,
  };
}

function overview(language: Language): string {
  const width = Math.max(...commands.map(({ name, usage }) => `${name} ${usage}`.length));
  const lines = commands.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.padEnd(width)}  ${template(summary, language)}`);
  return fill(template('cli.help', language), { version: manifest.version, commands: lines.join('\n') });
}

function helpOf(command: CliCommand, language: Language): string {
  return `${`readygate ${command.name} ${command.usage}`.trimEnd()}\n\n${template(`${command.summary}.help`, language)}`;
}

function usageError(message: string, language: Language): CliResult {
  return { code: EXIT.usage, text: `${message}\n\n${overview(language)}`, data: { error: 'usage', message } };
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
  const { help, rest } = splitFlags(argv);
  const [name, ...args] = rest;
  if (name === '--version') return { code: EXIT.ok, text: manifest.version, data: { version: manifest.version } };
  if (name === undefined || name === 'help')
    return { code: EXIT.ok, text: overview(language), data: { commands: commands.map((command) => command.name) } };
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return usageError(fill(template('cli.unknown_command', language), { name }), language);
  if (help) return { code: EXIT.ok, text: helpOf(command, language), data: { usage: `readygate ${name} ${command.usage}` } };
  const option = args
    .slice(0, args.includes('--') ? args.indexOf('--') : args.length)
    .find((word) => word.startsWith('-') && !command.options?.includes(word));
  if (option) return usageError(fill(template('cli.unknown_option', language), { option }), language);
  return command.run(args, context);
}

/** Runs the program. @returns its exit code */
export async function runCli(argv: readonly string[], context: CliContext = contextOf()): Promise<number> {
  const { json } = splitFlags(argv);
  const { code, text, data } = await dispatch(argv, context).catch((error: unknown): CliResult => {
    const message = fill(template('error.internal', context.language), { detail: (error as Error).message });
    return { code: EXIT.wrong, text: message, data: { error: 'internal', message } };
  });
  const out = json ? JSON.stringify(data, null, 2) : text;
  (code === EXIT.ok || json ? process.stdout : process.stderr).write(`${out}\n`);
  return code;
}
