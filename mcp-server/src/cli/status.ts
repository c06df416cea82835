/** readygate status: where the session is and what it waits for. */
import { commitOf } from '../git/repository.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import type { Response } from '../session/response.ts';
import { rootOf } from '../session/root-of.ts';
import { sessionStatus } from '../session/status.ts';
import { readState } from '../state/session-file.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { cliEdge } from './edge.ts';
import { gateWord } from './gate-word.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

interface Progress {
  completed: number;
  total: number;
}

/** What is meant for the agent is shown to a person from its beginning only, and its list of tasks, which is JSON, not at all. */
const SHOWN_LINES = 4;
const SHOWN_CHARS = 600;

function shownInstruction(instruction: string, language: Language): string {
  const [listHead = ''] = template('part.list', language).split('{list}');
  const listAt = instruction.indexOf(`${listHead}[{`);
  const plain = (listAt < 0 ? instruction : instruction.slice(0, listAt)).replace(/\s*\[\{[\s\S]*$/, '');
  const shown = plain.split('\n').slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN_CHARS).trimEnd();
  const lines = shown.split('\n').map((line) => `  ${line}`);
  return [...lines, ...(shown === plain.trimEnd() ? [] : [template('cli.status.cut', language)])].join('\n');
}

/** The tasks of the session that goes on, each with all that an approval of them is about. */
function planLines({ session_id }: Response, { cwd, language }: CliContext): string[] {
  const found = readState(rootOf(cwd));
  if (found.kind !== 'present' || found.state.session !== session_id || found.state.tasks.length === 0) return [];
  const tasks = found.state.tasks.flatMap(({ id, description, status, files = [], depends_on = [] }) => [
    `  [${status === 'completed' ? 'x' : ' '}] ${id}: ${description.trim().replace(/\s*\n\s*/g, '\n      ')}`,
    ...(depends_on.length > 0 ? [`      ${fill(template('cli.status.after', language), { ids: depends_on.join(', ') })}`] : []),
    ...(files.length > 0 ? [`      ${fill(template('cli.status.files', language), { files: files.join(', ') })}`] : []),
  ]);
  return ['', template('cli.status.plan', language), ...tasks];
}

/** A merged branch is gone: its name would send somebody to look for it. */
async function branchOf(status: Response, { cwd, language }: CliContext): Promise<string> {
  const { branch, base } = status;
  const gone = typeof branch !== 'string' || (status.step === null && (await commitOf(rootOf(cwd), `refs/heads/${branch}`)) === null);
  if (gone && status.step === null) return String(base ?? '-');
  return fill(template('cli.status.branch', language), { branch: String(branch ?? '-'), base: String(base ?? '-') });
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { language, paint } = context;
  const read = readOptions(args, {}, 1);
  if (!read) return misfit(statusCommand, args, language);
  const [session] = read.rest;
  const status = await sessionStatus(cliEdge(context), { session_id: session });
  const begin = template('cli.status.begin', language);
  if (typeof status.error === 'string') {
    const none = status.error === 'no_session' && session === undefined;
    const text = none ? fill(template('cli.status.none', language), { root: rootOf(context.cwd), begin }) : String(status.message);
    return { code: none ? EXIT.ok : EXIT.wrong, text, data: status };
  }
  const { completed, total } = status.task_progress as Progress;
  const over = status.step === null;
  const gate = gateWord(status.gate, language);
  const text = fill(template(over ? 'cli.status.over' : 'cli.status', language), {
    session: status.session_id ?? '',
    phase: status.phase ?? '',
    step: status.step ?? '',
    gate: status.gate === 'open' ? paint.green(gate) : paint.yellow(gate),
    waits: over ? '' : template(`cli.waits.${status.turn}`, language),
    completed,
    total,
    branch: await branchOf(status, context),
    outcome: String(status.outcome ?? ''),
    instruction: shownInstruction(status.instruction, language),
    begin,
  });
  const warnings = status.warnings.map((warning) => `! ${warning}`);
  const plan = over ? [] : planLines(status, context);
  return { code: EXIT.ok, text: [text, ...plan, ...warnings].join('\n'), data: status };
}

export const statusCommand: CliCommand = { name: 'status', usage: '[session]', argument: 'session', summary: 'cli.status.summary', run };
