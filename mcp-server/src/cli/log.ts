/** readygate log: a session's journal for people, a line each: when, at which step, what, and how long it took. */
import { fill, type Language, template } from '../messages/messages.ts';
import { checkJournal } from '../state/check-journal.ts';
import type { JournalLine } from '../state/journal.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { noJournal, whichJournal } from './which-journal.ts';

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** What a line says beyond its event. */
function detailOf(line: JournalLine): string {
  const result = (line.result ?? {}) as Record<string, unknown>;
  switch (line.event) {
    case 'transition':
      return [`${text(line.kind)} → ${text(line.to)}`, text(line.decision), text(line.outcome)].filter(Boolean).join(', ');
    case 'artifact':
      return [text(line.name), text(line.verdict), text(line.agent)].filter(Boolean).join(' ');
    case 'start':
      return text(line.intent);
    case 'intent':
      return `${text(line.effect)} on ${text(line.branch) || '-'}`;
    case 'done':
      return [text(line.effect), text(result.commit ?? result.name ?? result.status ?? result.saved ?? result.branch)]
        .filter(Boolean)
        .join(' ');
    case 'failed':
      return `${text(line.effect)}: ${text(line.why)}`;
    case 'recovered':
      return text(line.effect ?? line.kept);
    default:
      return text(line.guard ?? line.reason ?? line.outcome ?? line.notice ?? line.why);
  }
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

interface Row {
  at: string;
  step: string;
  event: string;
  detail: string;
  took: string;
}

function rowOf(line: JournalLine, before: JournalLine | undefined): Row {
  return {
    at: line.at.slice(0, 19).replace('T', ' '),
    step: [text(line.step), text(line.phase)].filter(Boolean).join(' '),
    event: line.event,
    detail: detailOf(line).split('\n')[0]?.slice(0, 100) ?? '',
    took: before ? duration(Date.parse(line.at) - Date.parse(before.at)) : '',
  };
}

function tableOf(rows: readonly Row[], language: Language): string {
  const width = (key: keyof Row) => Math.max(0, ...rows.map((row) => row[key].length));
  const [step, event, took] = [width('step'), width('event'), width('took')];
  const head = template('cli.log.head', language);
  const lines = rows.map((row) =>
    `${row.at}  ${row.took.padStart(took)}  ${row.step.padEnd(step)}  ${row.event.padEnd(event)}  ${row.detail}`.trimEnd(),
  );
  return [head, ...lines].join('\n');
}

async function run([named]: string[], { cwd, language }: CliContext): Promise<CliResult> {
  const say = (key: string, params: Record<string, string | number> = {}) => fill(template(key, language), params);
  const found = whichJournal(cwd, named);
  if (!found) return noJournal(named, language);
  const { lines, broken } = checkJournal(found.file);
  const rows = lines.map((line, index) => rowOf(line, lines[index - 1]));
  const end = broken ? [say('cli.log.broken', { line: broken.line })] : [];
  return {
    code: EXIT.ok,
    text: [fill(tableOf(rows, language), { session: found.session }), ...end].join('\n'),
    data: { session: found.session, file: found.file, lines, broken },
  };
}

export const logCommand: CliCommand = { name: 'log', usage: '[session]', summary: 'cli.log.summary', run };
