/** Step 4b. Pure. */
import { problem } from '../flow/problem.ts';
import type { MessageRef, Payload, Problem, SessionState } from '../flow/types.ts';
import { forbiddenCategory } from './forbidden.ts';
import { type Item, type Need, NOTHING_YET, type PrePlanning } from './types.ts';
import { withoutValues } from './unsaid.ts';

interface Needs {
  required_information?: Need[];
  collection_order?: string[];
  skip_collection?: boolean;
  skip_reason?: string;
}

/** Rules P3 and P4. */
export function informationProblems(data: Payload): Problem[] {
  const { required_information: wanted = [], collection_order: order = [], ...needs } = data.information_needs as Needs;
  const problems: Problem[] = [];
  if (needs.skip_collection && !needs.skip_reason) problems.push(problem('/information_needs/skip_reason', 'problem.skip_reason'));
  if (!needs.skip_collection && wanted.length === 0) problems.push(problem('/information_needs', 'problem.nothing_wanted'));
  const seen = new Map<string, number>();
  wanted.forEach(({ id }, index) => {
    const first = seen.get(id);
    if (first === undefined) seen.set(id, index);
    else problems.push(problem(`/information_needs/required_information/${index}/id`, 'problem.info_duplicate', { id, first }));
  });
  order.forEach((id, index) => {
    if (!seen.has(id))
      problems.push(
        problem(`/information_needs/collection_order/${index}`, 'problem.info_unknown', { id, known: [...seen.keys()].join(', ') || '-' }),
      );
  });
  return problems;
}

/** Rule P4: the order sent first, what it leaves out after it. */
function inOrder(wanted: readonly Need[], order: readonly string[]): Need[] {
  const place = new Map([...new Set(order)].map((id, index) => [id, index]));
  const placeOf = ({ id }: Need): number => place.get(id) ?? place.size;
  return [...wanted].sort((a, b) => placeOf(a) - placeOf(b));
}

/** A default that nobody may assume is not even kept (rule P8). */
const forbiddenDefault = ({ id, description, purpose, default_assumption: value }: Need): string | null =>
  value === undefined ? null : forbiddenCategory([id, description, purpose, value]);

/** What to fall back on is an assumption in other words. How to look is none: it may name what nobody may assume. */
const forbiddenFallback = ({ fallback_strategy: fallback }: Need): string | null =>
  fallback === undefined ? null : forbiddenCategory([fallback]);

function kept(need: Need): Need {
  const { fallback_strategy: _fallback, ...rest } = need;
  const clean = forbiddenFallback(need) ? rest : need;
  return forbiddenDefault(need) ? { ...withoutValues(clean, [need.default_assumption ?? '']), can_assume: false } : clean;
}

function toItem(need: Need, skipped: boolean): Item {
  const item: Item = { ...kept(need), status: 'open', tries: 0, tool_calls: 0 };
  return skipped ? { ...item, status: 'gap', gap: { impact: item.purpose, reason: 'not_collected' } } : item;
}

/** What a list of needs makes of the session. What is listed although collection is skipped is neither known nor assumed: a gap. */
export function planned(pre: PrePlanning, needs: Needs): PrePlanning {
  const skipped = needs.skip_collection === true;
  const items = inOrder(needs.required_information ?? [], needs.collection_order ?? []).map((need) => toItem(need, skipped));
  return { ...pre, planned: true, skip_reason: skipped ? (needs.skip_reason ?? null) : null, items };
}

/** What an accepted payload of 4b makes of the session, and what is said about it. */
export function planInformation(state: SessionState, data: Payload): { pre: PrePlanning; remarks: MessageRef[] } {
  const needs = data.information_needs as Needs;
  const remarks = (needs.required_information ?? []).flatMap((need): MessageRef[] => {
    const category = forbiddenDefault(need);
    const fallback = forbiddenFallback(need);
    return [
      ...(category ? [{ key: 'warning.forbidden_default', params: { id: need.id, category } }] : []),
      ...(fallback ? [{ key: 'warning.forbidden_fallback', params: { id: need.id, category: fallback } }] : []),
    ];
  });
  return { pre: planned(state.pre_planning ?? NOTHING_YET, needs), remarks };
}
