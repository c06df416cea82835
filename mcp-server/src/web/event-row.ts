/** A line of the journal as a row of the timeline. */
import { catalog } from '../guards/catalog.ts';
import { hasMessage, type Language, say } from '../messages/messages.ts';
import type { JournalLine } from '../state/journal.ts';
import { stationOf } from './flow-map.ts';
import type { Category, EventRow } from './view.ts';

const DETAIL = 600;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const OF_GIT = new Set(['intent', 'done', 'failed', 'recovered']);
const OF_PERSON = new Set(['override', 'abort', 'clean', 'changes']);

/** Whether a line leads from a step to an earlier one. */
export const goesBack = ({ step, to_step }: JournalLine): boolean =>
  typeof step === 'number' && typeof to_step === 'number' && to_step < step;

export function categoryOf(line: JournalLine): Category {
  if (line.event === 'transition') {
    if (line.decision !== undefined || line.source !== undefined) return 'person';
    return goesBack(line) ? 'back' : 'step';
  }
  if (line.event === 'start') return 'step';
  if (line.event === 'block' || line.event === 'refused') return 'block';
  if (OF_GIT.has(line.event)) return 'git';
  return OF_PERSON.has(line.event) ? 'person' : 'other';
}

function whatOf(line: JournalLine): string {
  const guard = catalog.guards.find(({ id }) => id === line.guard);
  const said =
    [line.kind, line.effect, guard ? `${guard.id} ${guard.name}` : line.guard, line.how, line.intent, line.notice, line.of, line.name]
      .map(text)
      .find(Boolean) ?? '';
  return line.decision === undefined ? said : text(line.decision);
}

/** Why something was refused, in words; a line of an earlier version holds no values to fill in. */
function whyOf({ why, params }: JournalLine, language: Language): string {
  if (typeof why !== 'string' || !hasMessage(why) || typeof params !== 'object' || params === null) return '';
  const values = Object.entries(params).filter((entry): entry is [string, string | number] =>
    ['string', 'number'].includes(typeof entry[1]),
  );
  return say({ key: why, params: Object.fromEntries(values) }, language);
}

function detailOf(line: JournalLine, language: Language): string {
  if (line.event === 'block') return whyOf(line, language).slice(0, DETAIL);
  const result = (typeof line.result === 'object' && line.result !== null ? line.result : {}) as Record<string, unknown>;
  const files = Array.isArray(line.files) ? line.files.map(text).join(', ') : '';
  if (line.event === 'refused') return [line.tool, line.what].map(text).filter(Boolean).join(' ').slice(0, DETAIL);
  const found = [line.verdict, line.reason, line.outcome, files, line.message, line.source, line.by, line.why];
  const ofResult = [result.commit, result.name, result.status, result.saved, result.branch];
  return ([...found, ...ofResult, line.branch].map(text).find(Boolean) ?? '').slice(0, DETAIL);
}

/** @param took time since the phase was entered, where the line leaves it @param language of the reasons */
export function eventRow(line: JournalLine, took: number | null, language: Language): EventRow {
  return {
    seq: line.seq,
    at: Date.parse(line.at),
    category: categoryOf(line),
    event: line.event,
    step: number(line.step),
    node: stationOf(line.phase, line.step) ?? text(line.phase),
    to: stationOf(line.to, line.to_step) ?? text(line.to),
    to_step: number(line.to_step),
    what: whatOf(line),
    detail: detailOf(line, language),
    took,
  };
}
