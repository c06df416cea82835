/** Journal lines as people read them: in the log, in a report. */
import type { JournalEntry, JournalLine } from '../state/journal.ts';

/** What of a line is needed to describe it; one that is still to be written has no place yet. */
type DescribableLine = JournalEntry & Pick<JournalLine, 'at'>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Files that a line is about: where some could not be put back, these, too. */
function filesOf({ files, staged, left }: DescribableLine): string {
  const names = [files, staged, left].flatMap((list) => (Array.isArray(list) ? list.map(text) : []));
  return [...new Set(names)].join(', ');
}

/** What a line says beyond its event. */
function detailOf(line: DescribableLine): string {
  const result = (line.result ?? {}) as Record<string, unknown>;
  switch (line.event) {
    case 'transition':
      return [
        `${line.passed === false ? `${text(line.kind)}, failed` : text(line.kind)} → ${text(line.to)}`,
        text(line.decision),
        text(line.outcome),
      ]
        .filter(Boolean)
        .join(', ');
    case 'artifact':
      return [text(line.name), text(line.verdict), text(line.agent)].filter(Boolean).join(' ');
    case 'changes':
      return [text(line.how), filesOf(line)].filter(Boolean).join(': ');
    case 'refused':
      return [text(line.guard), text(line.tool), text(line.what)].filter(Boolean).join(' ');
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

/** Milliseconds in the unit that fits. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export interface DescribedLine {
  /** UTC, to the second. */
  at: string;
  step: string;
  event: string;
  detail: string;
}

const DETAIL_CHARS = 100;

/** One line in words. */
export function describeLine(line: DescribableLine): DescribedLine {
  return {
    at: line.at.slice(0, 19).replace('T', ' '),
    step: [text(line.step), text(line.phase)].filter(Boolean).join(' '),
    event: line.event,
    detail: detailOf(line).split('\n')[0]?.slice(0, DETAIL_CHARS) ?? '',
  };
}
