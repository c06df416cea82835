/** readygate doctor: is everything installed and working, and what repairs it if not. */
import { fill, template } from '../messages/messages.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { hostChecks } from './doctor-host.ts';
import { programChecks } from './doctor-programs.ts';
import { workTreeChecks } from './doctor-work-tree.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

/** One thing looked at. `repair` is a command or an action, wherever something is wrong. */
export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'wrong';
  detail: string;
  repair?: string;
}

const SIGN: Record<Finding['state'], string> = { ok: '✓', warning: '!', wrong: '✗' };

const COLOUR = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

async function run(args: string[], context: CliContext): Promise<CliResult> {
  if (!readOptions(args, {})) return misfit(doctorCommand, args, context.language);
  const groups = await Promise.all([programChecks(context), hostChecks(context), workTreeChecks(context)]);
  const findings = groups.flat();
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, detail, repair }) => [
    `${context.paint[COLOUR[state]](SIGN[state])} ${name.padEnd(width)}  ${detail}`,
    ...(repair ? [fill(template('cli.doctor.repair', context.language), { repair })] : []),
  ]);
  const wrong = findings.some(({ state }) => state === 'wrong');
  return { code: wrong ? EXIT.wrong : EXIT.ok, text: lines.join('\n'), data: { ok: !wrong, findings } };
}

export const doctorCommand: CliCommand = { name: 'doctor', usage: '', summary: 'cli.doctor.summary', run };
