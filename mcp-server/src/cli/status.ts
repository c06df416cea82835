/** readygate status: where the session is and what it waits for. */
import { fill, template } from '../messages/messages.ts';
import { sessionStatus } from '../session/status.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { cliEdge } from './edge.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

interface Progress {
  completed: number;
  total: number;
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const read = readOptions(args, {}, 1);
  if (!read) return misfit(statusCommand, args, context.language);
  const [session] = read.rest;
  const status = await sessionStatus(cliEdge(context), { session_id: session });
  if (typeof status.error === 'string') {
    const none = status.error === 'no_session' && session === undefined;
    return { code: none ? EXIT.ok : EXIT.wrong, text: String(status.message), data: status };
  }
  const { completed, total } = status.task_progress as Progress;
  const over = status.step === null;
  const text = fill(template(over ? 'cli.status.over' : 'cli.status', context.language), {
    session: status.session_id ?? '',
    phase: status.phase ?? '',
    step: status.step ?? '',
    gate: status.gate === 'open' ? context.paint.green('open') : context.paint.yellow(String(status.gate ?? '')),
    completed,
    total,
    branch: String(status.branch ?? '-'),
    base: String(status.base ?? '-'),
    outcome: String(status.outcome ?? ''),
    instruction: status.instruction,
  });
  const warnings = status.warnings.map((warning) => `! ${warning}`);
  return { code: EXIT.ok, text: [text, ...warnings].join('\n'), data: status };
}

export const statusCommand: CliCommand = { name: 'status', usage: '[session]', argument: 'session', summary: 'cli.status.summary', run };
