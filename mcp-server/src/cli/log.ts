/** readygate log: a session's journal for people, a line each: when, at which step, what, and how long it took. */
import { fill, template } from '../messages/messages.ts';
import { type DescribedLine, describeLine, duration } from '../report/journal-lines.ts';
import { checkJournal } from '../state/check-journal.ts';
import type { JournalLine } from '../state/journal.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';
import { noJournal, whichJournal } from './which-journal.ts';

interface Row extends DescribedLine {
  took: string;
}

function rowOf(line: JournalLine, before: JournalLine | undefined): Row {
  return { ...describeLine(line), took: before ? duration(Date.parse(line.at) - Date.parse(before.at)) : '' };
}

/** Events that somebody who looks back looks for. */
const MARKED: Record<string, 'red' | 'yellow' | 'green'> = {
  block: 'red',
  refused: 'red',
  failed: 'red',
  abort: 'red',
  override: 'yellow',
  done: 'green',
};

function tableOf(rows: readonly Row[], { language, paint }: CliContext): string {
  const width = (key: keyof Row) => Math.max(0, ...rows.map((row) => row[key].length));
  const [step, event, took] = [width('step'), width('event'), width('took')];
  const head = template('cli.log.head', language);
  const lines = rows.map((row) => {
    const mark = MARKED[row.event];
    const name = row.event.padEnd(event);
    return `${paint.dim(row.at)}  ${row.took.padStart(took)}  ${row.step.padEnd(step)}  ${mark ? paint[mark](name) : name}  ${row.detail}`.trimEnd();
  });
  return [head, ...lines].join('\n');
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { cwd, language } = context;
  const read = readOptions(args, {}, 1);
  if (!read) return misfit(logCommand, args, language);
  const [named] = read.rest;
  const say = (key: string, params: Record<string, string | number> = {}) => fill(template(key, language), params);
  const found = whichJournal(cwd, named);
  if (!found) return noJournal(named, language);
  const { lines, broken } = checkJournal(found.file);
  const rows = lines.map((line, index) => rowOf(line, lines[index - 1]));
  const end = broken ? [say('cli.log.broken', { line: broken.line })] : [];
  return {
    code: EXIT.ok,
    text: [fill(tableOf(rows, context), { session: found.session }), ...end].join('\n'),
    data: { session: found.session, file: found.file, lines, broken },
  };
}

export const logCommand: CliCommand = { name: 'log', usage: '[session]', argument: 'session', summary: 'cli.log.summary', run };
