/** What instructions say of pre-planning: facts, assumptions and gaps, never mixed (PREPLANNING.md, Hand-over). */
import path from 'node:path';
import type { Facts, SessionState } from '../flow/types.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import { isDue } from '../pre-planning/collection.ts';
import { percent } from '../pre-planning/percent.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import type { Item, Note, PrePlanning } from '../pre-planning/types.ts';
import { assumptionsOf, gapsOf } from '../pre-planning/verdicts.ts';
import { FOLDER, issueFile, prePlanningFile } from '../state/layout.ts';

interface Saying {
  state: SessionState;
  language: Language;
}

const short = (text: string, chars: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
};

/** A note as one line of text. */
const noteText = (note: Note, chars = 200): string => short(typeof note === 'string' ? note : JSON.stringify(note), chars);

/** The part of a path that the model can open from the work tree. */
const inTree = ({ work_tree: root }: SessionState, file: string): string =>
  path.posix.join(FOLDER, path.relative(path.join(root, FOLDER), file).replaceAll('\\', '/'));

const prePlanningPath = (state: SessionState): string => inTree(state, prePlanningFile(state.work_tree, state.session));

/** Sections are cut one by one, so that many facts never push an assumption or a gap out of sight. */
const LISTED = 8;

function lines(all: readonly string[], { state, language }: Saying): string {
  const more = all.length - LISTED;
  const rest = more > 0 ? [fill(template('part.pre.more', language), { count: more, file: prePlanningPath(state) })] : [];
  return [...all.slice(0, LISTED), ...rest].join('\n');
}

/** What 4a shows of earlier sessions on the same issue, and of the issue. */
export function understandingParts(
  { state, language }: Saying,
  { earlier_sessions: earlier = [], issue }: Facts,
): { earlier: string; issue: string } {
  const list = earlier.map((one) => fill(template('part.pre.earlier_line', language), { ...one, task: short(one.task, 80) }));
  const file = inTree(state, issueFile(state.work_tree, state.session));
  return {
    earlier: list.length > 0 ? fill(template('part.pre.earlier', language), { list: list.join('\n') }) : '',
    issue: issue ? fill(template('part.pre.issue', language), { file, issue }) : '',
  };
}

/** What of 4c is still open, and where each item stands. */
export function openItems({ state, language }: Saying): string {
  const max = settingsOf(state).collection.max_retries_per_tool;
  const mark = (item: Item): string => {
    if (isDue(item, max)) return fill(template('part.pre.item_due', language), { tries: item.tries });
    return item.tries > 0 ? fill(template('part.pre.item_retry', language), { retry: item.tries, max }) : '';
  };
  const open = (state.pre_planning?.items ?? []).filter(({ status }) => status === 'open');
  return open
    .map((item) =>
      fill(template('part.pre.item', language), {
        id: item.id,
        category: item.category,
        description: short(item.description, open.length > LISTED ? 60 : 120),
        tool: short(item.collection_method.tool, 60),
        mark: mark(item),
      }),
    )
    .join('\n');
}

function knownLine({ id, collected }: Item, language: Language): string {
  return fill(template('part.pre.known_line', language), {
    id,
    summary: short(collected?.summary ?? '', 160),
    pointer: noteText(collected?.pointer ?? '', 120),
  });
}

function assumedLine({ id, assumption }: Item, language: Language): string {
  return fill(template('part.pre.assumed_line', language), {
    id,
    value: short(assumption?.assumed_value ?? '', 120),
    confidence: percent(assumption?.confidence ?? 0),
    reasoning: short(assumption?.reasoning ?? '', 160),
  });
}

function gapLine({ id, description, gap }: Item, language: Language): string {
  const mark = gap?.category ? fill(template('part.pre.ask_user', language), { category: gap.category }) : '';
  const { impact = '' } = gap ?? {};
  return fill(template('part.pre.gap_line', language), {
    id,
    description: short(description, 120).replace(/[.。]$/, ''),
    impact: short(impact, 160),
    mark,
  });
}

function understoodLine(pre: PrePlanning, { state, language }: Saying): string {
  const { understanding } = pre;
  if (!understanding) return '';
  const degraded = pre.degraded.length > 0 ? fill(template('part.pre.degraded', language), { phases: pre.degraded.join(', ') }) : '';
  return fill(template('part.pre.plan', language), {
    file: prePlanningPath(state),
    type: short(understanding.task_type, 60) || '?',
    goal: short(understanding.primary_goal, 200) || '?',
    confidence: percent(understanding.understanding_confidence),
    mark: `${pre.low_confidence ? template('part.pre.uncertain', language) : ''}${degraded}`,
  });
}

/** The hand-over as step 12 shows it; empty where there was no pre-planning. */
export function planParts(saying: Saying): string {
  const { state, language } = saying;
  const pre = state.pre_planning;
  if (!pre?.understanding) return '';
  const of = (status: Item['status'], line: (item: Item, language: Language) => string): string[] =>
    pre.items.filter((item) => item.status === status).map((item) => line(item, language));
  const section = (key: string, all: readonly string[]): string =>
    all.length > 0 ? fill(template(key, language), { list: lines(all, saying) }) : '';
  return [
    understoodLine(pre, saying),
    section('part.pre.known', of('collected', knownLine)),
    section('part.pre.assumed', of('assumed', assumedLine)),
    section('part.pre.gaps', of('gap', gapLine)),
    section(
      'part.pre.recommended',
      pre.recommendations.map((note) => `- ${noteText(note)}`),
    ),
  ].join('');
}

const ids = (items: readonly Item[]): string => items.map(({ id }) => id).join(', ') || '-';

/** What exploration should look into. */
export function explorationPart({ state, language }: Saying): string {
  const [assumed, gaps] = [assumptionsOf(state.pre_planning), gapsOf(state.pre_planning)];
  if (assumed.length + gaps.length === 0) return '';
  return fill(template('part.pre.explore', language), { assumed: ids(assumed), gaps: ids(gaps), file: prePlanningPath(state) });
}

/** The assumptions that step 15 must answer. */
export function verificationPart({ state, language }: Saying): string {
  const list = assumptionsOf(state.pre_planning).map(({ id, assumption }) => `${id} = ${short(assumption?.assumed_value ?? '', 100)}`);
  return list.length > 0 ? fill(template('part.pre.verify', language), { list: list.join('; ') }) : '';
}

/** Assumptions with what became of them, and what was never found out. */
export function summaryPart({ state, language }: Saying): string {
  const pre = state.pre_planning;
  const assumed = assumptionsOf(pre).map(({ id, assumption }) => {
    const held = template(`part.pre.verdict.${pre?.verdicts[id] ?? 'unchecked'}`, language);
    return fill(template('part.pre.summary_line', language), { id, value: short(assumption?.assumed_value ?? '', 100), held });
  });
  const gaps = gapsOf(pre);
  const list = assumed.length > 0 ? fill(template('part.pre.summary', language), { list: assumed.join('; ') }) : '';
  return list + (gaps.length > 0 ? fill(template('part.pre.summary_gaps', language), { list: ids(gaps) }) : '');
}
