/** The answer to words that do not fit a command: what they were, and how the command is called. */
import { fill, type Language, template } from '../messages/messages.ts';
import { type CliCommand, type CliResult, EXIT } from './command.ts';

type Called = Pick<CliCommand, 'name' | 'usage'>;

/** How a command is called, in one line. */
export const usageOf = ({ name, usage }: Called): string => `readygate ${name} ${usage}`.trimEnd();

/** @param why what does not fit, in a sentence */
export function unfit(command: Called, why: string, language: Language): CliResult {
  const usage = usageOf(command);
  return {
    code: EXIT.usage,
    text: `${why}\n${fill(template('cli.usage', language), { usage })}`,
    data: { error: 'usage', message: why, usage },
  };
}

/** @param args the words after the command's name, of which some do not fit */
export function misfit(command: Called, args: readonly string[], language: Language): CliResult {
  const given = ['readygate', command.name, ...args].join(' ');
  return unfit(command, fill(template('cli.misfit', language), { given }), language);
}
