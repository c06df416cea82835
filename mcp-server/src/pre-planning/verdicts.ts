/** Assumptions at step 15: `details` must say of each whether it held (PREPLANNING.md, Hand-over). Pure. */
import { problem } from '../flow/problem.ts';
import type { Payload, Problem, SessionState } from '../flow/types.ts';
import type { Held, Item, PrePlanning } from './types.ts';

export const assumptionsOf = (pre: PrePlanning | null | undefined): Item[] =>
  (pre?.items ?? []).filter(({ status }) => status === 'assumed');

export const gapsOf = (pre: PrePlanning | null | undefined): Item[] => (pre?.items ?? []).filter(({ status }) => status === 'gap');

const UNCHECKED =
  /\b(?:not (?:been )?(?:checked|verified|tested)|unchecked|unverified|untested|unknown|inconclusive)\b|未確認|未検証|確認(?:していない|できな)|不明/i;
const NOT_HELD =
  /\b(?:(?:did|does|do) ?n[o']t hold|(?:didn't|doesn't|don't) hold|not (?:held|hold|true|right|correct|confirmed)|wrong|false|rejected|refuted|failed|incorrect)\b|成り立たな|成立しな|誤り|間違い|正しくな|外れ/i;
const HELD = /\b(?:held|holds?|confirmed|true|right|correct|proved|proven)\b|成り立|成立|正し|当たっ|確認(?:した|済|できた)/i;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** An id where it stands as a word of its own: the "d" of "held" is no other assumption. */
const named = (id: string): RegExp => new RegExp(`(?<![\\w-])${escaped(id)}(?![\\w-])`, 'g');

/** How far behind an id its verdict may stand. */
const NEAR = 160;

/** What a text says of an assumption: in what follows its id, up to where another id begins or the line ends. */
function verdictIn(text: string, id: string, others: readonly string[]): Held | null {
  for (const found of text.matchAll(named(id))) {
    const after = text.slice(found.index + id.length, found.index + id.length + NEAR).split(/\n|[;；。]/)[0] ?? '';
    const ends = others.map((other) => after.search(named(other))).filter((index) => index >= 0);
    const part = after.slice(0, Math.min(after.length, ...ends));
    if (UNCHECKED.test(part)) return 'unchecked';
    if (NOT_HELD.test(part)) return 'not_held';
    if (HELD.test(part)) return 'held';
  }
  return null;
}

/** What `details` says of each assumption; those it does not speak of are absent. */
export function verdictsIn(pre: PrePlanning | null | undefined, details: string): Record<string, Held> {
  const ids = assumptionsOf(pre).map(({ id }) => id);
  return Object.fromEntries(
    ids.flatMap((id): [string, Held][] => {
      const verdict = verdictIn(
        details,
        id,
        ids.filter((other) => other !== id),
      );
      return verdict ? [[id, verdict]] : [];
    }),
  );
}

/** A verification that passed says of every assumption whether it held. */
export function verdictProblems({ pre_planning: pre }: SessionState, data: Payload): Problem[] {
  if (data.passed !== true) return [];
  const said = verdictsIn(pre, String(data.details));
  return assumptionsOf(pre)
    .filter(({ id }) => !Object.hasOwn(said, id))
    .map(({ id }) => problem('/details', 'problem.assumption_unanswered', { id }));
}
