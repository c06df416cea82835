/** summary.md: what a session did and how it went, written from its journal when it ends. For the user, and for whoever improves the next one. */
import path from 'node:path';
import { ruleOf } from '../flow/artifacts.ts';
import type { MessageRef } from '../flow/types.ts';
import { type Language, say, sayStored } from '../messages/messages.ts';
import { assumptionsOf, gapsOf } from '../pre-planning/verdicts.ts';
import { describeLine } from '../report/journal-lines.ts';
import { type JournalEntry, type JournalLine, linesSince } from '../state/journal.ts';
import { sessionFolder } from '../state/layout.ts';
import { type SessionFile, StorageFailed, writeAtomic } from '../state/session-file.ts';
import { NOT_BEGUN, pass } from '../state/visits.ts';

export const SUMMARY = 'summary.md';

/** Lines of a list; more of a kind are only counted. */
const LISTED = 30;

/** What the journal has, or is about to have. */
type Line = JournalEntry & Pick<JournalLine, 'at'>;

type Params = MessageRef['params'];

interface Told {
  state: SessionFile;
  lines: Line[];
  said: (key: string, params?: Params) => string;
}

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const oneLine = (value: unknown, limit = 200): string => text(value).replace(/\s+/g, ' ').trim().slice(0, limit);

const placeOf = ({ step, phase }: Line): string => `${text(step)} ${text(phase)}`.trim();

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

interface Spent {
  place: string;
  ms: number;
  times: number;
}

/** The time before each accepted submission belongs to the phase that it answered. */
function timesOf(lines: readonly Line[]): Spent[] {
  const spent = new Map<string, Spent>();
  let passing = NOT_BEGUN;
  for (const line of lines) {
    passing = pass(passing, line);
    if (!passing.stay) continue;
    const { phase, step, from, to } = passing.stay;
    const place = `${step} ${phase}`;
    const known = spent.get(place) ?? { place, ms: 0, times: 0 };
    spent.set(place, { place, ms: known.ms + to - from, times: known.times + 1 });
  }
  return [...spent.values()];
}

/** Equal lines once, with their number. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count > 1 ? `${line} (${count}×)` : line));
}

const reasonOf = (line: Line, language: Language): string =>
  oneLine(sayStored({ key: text(line.why), params: (line.params ?? {}) as Params & object }, language));

/** Tool calls that guards refused, in one line. */
function refusedOf({ lines, said }: Told): string[] {
  const refused = lines.filter(({ event }) => event === 'refused');
  if (refused.length === 0) return [];
  const guards = counted(refused.map(({ guard }) => text(guard)).sort()).join(', ');
  const key = refused.some(({ more }) => more === true) ? 'summary.refused_more' : 'summary.refused';
  return [said(key, { count: refused.length, guards })];
}

const blocksOf = (told: Told): string[] => [
  ...refusedOf(told),
  ...counted(
    told.lines
      .filter(({ event }) => event === 'block')
      .map((line) => `${placeOf(line)}: ${text(line.guard)}: ${reasonOf(line, told.state.language)}`),
  ),
];

/** Transitions to an earlier step. */
const returns = (lines: readonly Line[]): Line[] =>
  lines.filter(
    ({ event, step, to_step }) => event === 'transition' && typeof step === 'number' && typeof to_step === 'number' && to_step < step,
  );

const returnsOf = ({ lines }: Told): string[] =>
  counted(returns(lines).map((line) => `${placeOf(line)} → ${text(line.to_step)} ${text(line.to)}`));

function usersOf({ lines }: Told): string[] {
  return lines.flatMap((line) => {
    if (line.event === 'override') return [`${placeOf(line)}: override: ${oneLine(line.reason)}`];
    if (line.event === 'changes') return [`${placeOf(line)}: ${describeLine(line).detail}`];
    if (line.event === 'abort' || line.event === 'clean') return [`${placeOf(line)}: ${line.event}`];
    return line.decision ? [`${placeOf(line)}: ${text(line.decision)}${line.by ? ` (${text(line.by)})` : ''}`] : [];
  });
}

/** Each assumption with what became of it at step 15. */
function assumptionLines({ state, said }: Told): string[] {
  const pre = state.pre_planning;
  return assumptionsOf(pre).map(({ id, assumption }) => {
    const held = said(`part.pre.verdict.${pre?.verdicts[id] ?? 'unchecked'}`);
    const line = said('part.pre.summary_line', { id, value: oneLine(assumption?.assumed_value), held });
    return `${line}: ${oneLine(assumption?.reasoning)}`;
  });
}

/** What was never found out, and what that means. */
const gapLines = ({ state, said }: Told): string[] =>
  gapsOf(state.pre_planning).map(({ id, description, gap }) =>
    said('summary.gap', { id, description: oneLine(description), impact: oneLine(gap?.impact) }),
  );

/** Warnings that were said, as often as they were; then those that only the state holds. */
function warningLines({ state, lines }: Told): string[] {
  const words = (warning: unknown): string => oneLine(sayStored(warning as MessageRef, state.language), 400);
  const said = lines.flatMap(({ warnings }) => (Array.isArray(warnings) ? warnings.map(words) : []));
  // In the state they may be longer than the journal keeps them.
  const known = new Set(lines.flatMap(({ warnings }) => (Array.isArray(warnings) ? warnings.map((one) => text(one?.key)) : [])));
  return counted([...said, ...state.warnings.filter(({ key }) => !known.has(key)).map(words)]);
}

/** What git did besides commits, as its done line has it. */
function effectLine({ event, effect, result }: Line, said: Told['said']): string[] {
  const { commit, saved, status } = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  if (event !== 'done') return [];
  if (effect === 'merge' && status === 'nothing') return [said('summary.nothing')];
  if (effect === 'merge' && status === 'merged')
    return [text(commit) ? said('summary.merge', { commit: text(commit).slice(0, 12) }) : said('summary.merged_before')];
  return effect === 'discard' && text(saved) !== '' ? [said('summary.discard', { folder: text(saved) })] : [];
}

function workOf({ state, said, lines }: Told): string[] {
  const tasks = state.tasks.map(({ id, description, status, summary }) => {
    const done = status === 'completed' ? 'summary.task_done' : 'summary.task_open';
    return said(done, { id, description: oneLine(description), summary: oneLine(summary) || '-' });
  });
  const artifacts = [
    ...new Set(lines.filter(({ event, name }) => event === 'artifact' && ruleOf(text(name))).map(({ name }) => text(name))),
  ];
  return [
    ...tasks,
    ...(state.git?.commits ?? []).map((commit) => said('summary.commit', { commit: commit.slice(0, 12) })),
    ...lines.flatMap((line) => effectLine(line, said)),
    ...(artifacts.length > 0 ? [said('summary.artifacts', { names: artifacts.join(', ') })] : []),
  ];
}

const most = <Item>(items: readonly Item[], size: (item: Item) => number): Item | undefined =>
  items.reduce<Item | undefined>((best, item) => (best === undefined || size(item) > size(best) ? item : best), undefined);

/** What the journal says could go better: where it was blocked or repeated most, what was missing, which reviews failed. */
function hintsOf({ lines, state, said }: Told): string[] {
  const blocks = lines.filter(({ event }) => event === 'block');
  const places = [...new Set(blocks.map(placeOf))].map((place) => blocks.filter((line) => placeOf(line) === place));
  const blocked = most(places, (group) => group.length);
  const [first] = blocked ?? [];
  const repeated = most(
    timesOf(lines).filter(({ place, times }) => times > 1 && !place.endsWith('READY')),
    ({ times }) => times,
  );
  const failed = lines.filter(({ event, verdict }) => event === 'artifact' && (verdict === 'FAIL' || verdict === 'REVISE'));
  const slowest = most(timesOf(lines), ({ ms }) => ms);
  const bad = state.tasks.filter(({ failure_count }) => failure_count > 0);
  const unread = blocks.filter(({ guard }) => guard === 'RG12').length;
  return [
    ...(first && blocked && blocked.length > 1
      ? [
          said('summary.hint.blocked', {
            place: placeOf(first),
            count: blocked.length,
            reason: `${text(first.guard)}: ${reasonOf(first, state.language)}`,
          }),
        ]
      : []),
    ...(repeated ? [said('summary.hint.repeated', { place: repeated.place, count: repeated.times })] : []),
    ...counted(failed.map(({ name, verdict }) => `${text(name)}: ${text(verdict)}`)).map((which) => said('summary.hint.review', { which })),
    ...bad.map(({ id, failure_count }) => said('summary.hint.task', { id, count: failure_count })),
    ...(unread > 0 ? [said('summary.hint.evidence', { count: unread })] : []),
    ...(slowest && slowest.ms >= 60_000 ? [said('summary.hint.slow', { place: slowest.place, time: duration(slowest.ms) })] : []),
  ];
}

function section(title: string, lines: readonly string[], none: string): string[] {
  const shown = lines.slice(0, LISTED).map((line) => `- ${line}`);
  const rest = lines.length > LISTED ? [`- … +${lines.length - LISTED}`] : [];
  return [`## ${title}`, '', ...(shown.length > 0 ? [...shown, ...rest] : [none]), ''];
}

function summaryText(told: Told): string {
  const { state, lines, said } = told;
  const none = said('summary.none');
  const [first, last] = [lines[0]?.at ?? '', lines.at(-1)?.at ?? ''];
  const times = timesOf(lines).map(({ place, times: count, ms }) => `| ${place} | ${count} | ${duration(ms)} |`);
  return [
    `# ${oneLine(state.task, 120) || said('summary.title')}`,
    '',
    said('summary.head', {
      session: state.session,
      outcome: state.outcome ?? '',
      intent: state.intent,
      first: first.slice(0, 19),
      last: last.slice(0, 19),
      total: duration(Date.parse(last) - Date.parse(first)),
    }),
    '',
    ...section(said('summary.work'), workOf(told), none),
    `## ${said('summary.time')}`,
    '',
    said('summary.time_head'),
    '|---|---|---|',
    ...times,
    '',
    ...section(said('summary.blocks'), blocksOf(told), none),
    ...section(said('summary.returns'), returnsOf(told), none),
    ...section(said('summary.users'), usersOf(told), none),
    ...section(said('summary.assumptions'), assumptionLines(told), none),
    ...section(said('summary.gaps'), gapLines(told), none),
    ...section(said('summary.warnings'), warningLines(told), none),
    ...section(said('summary.hints'), hintsOf(told), none),
  ].join('\n');
}

/**
 * Writes summary.md into the folder of a session that ends now.
 * @param ending what the journal will say of the end; it is not written yet
 * @returns a warning when the summary cannot be written: no reason to keep the session open
 */
export function writeSummary(state: SessionFile, ending: readonly Omit<JournalEntry, 'rev'>[], now: Date): MessageRef[] {
  const { work_tree: root, session, language, rev } = state;
  const lines: Line[] = [...linesSince(root, session, 0), ...ending.map((entry) => ({ ...entry, rev, at: now.toISOString() }) as Line)];
  try {
    const told = { state, lines, said: (key: string, params?: Params) => say(params ? { key, params } : { key }, language) };
    writeAtomic(path.join(sessionFolder(root, session), SUMMARY), summaryText(told));
    return [];
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
    return [{ key: 'warning.summary_failed', params: { detail: error.message } }];
  }
}
