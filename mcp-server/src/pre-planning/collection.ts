/** Step 4c. Pure. */
import { pointerTo, problem } from '../flow/problem.ts';
import type { Facts, MessageRef, Payload, Problem, SessionState } from '../flow/types.ts';
import { forbiddenCategory } from './forbidden.ts';
import { percent } from './percent.ts';
import { pointerProblems } from './pointer.ts';
import { settingsOf } from './settings.ts';
import { type Assumption, type Collected, type GapReason, type Item, NOTHING_YET, type Note, type PrePlanning } from './types.ts';
import { tells, withoutValues } from './unsaid.ts';

interface Result {
  info_id: string;
  status: 'collected' | 'failed' | 'assumed';
  collected_data?: Collected;
  tool_calls_used?: number;
  failure_reason?: string;
  assumption?: Partial<Pick<Assumption, 'assumed_value'>> & Omit<Assumption, 'assumed_value'>;
  impact?: string;
}

const resultsOf = (data: Payload): Result[] => data.collection_results as Result[];

/** Rule P6: it was looked for as often as it may be; an assumption or a gap is due. */
export const isDue = (item: Item, maxRetries: number): boolean => item.status === 'open' && item.tries > maxRetries;

const has = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

function resultProblems(state: SessionState, item: Item, result: Result, at: string, files: NonNullable<Facts['files']>): Problem[] {
  const { collection, assumption } = settingsOf(state);
  if (result.status === 'collected') {
    const data = result.collected_data;
    if (!data) return [problem(`${at}/collected_data`, 'problem.collected_what', { id: item.id })];
    return pointerProblems(`${at}/collected_data/pointer`, data.pointer, files);
  }
  if (result.status === 'failed') {
    const due = assumption.enabled && isDue(item, collection.max_retries_per_tool) && !has(result.impact);
    return due ? [problem(`${at}/impact`, 'problem.info_due', { id: item.id, tries: item.tries })] : [];
  }
  if (!result.assumption) return [problem(`${at}/assumption`, 'problem.assumption_what', { id: item.id })];
  // A default that was taken away because nobody may assume it leaves nothing to state.
  const stated = has(result.assumption.assumed_value) || has(item.default_assumption) || !item.can_assume;
  return stated ? [] : [problem(`${at}/assumption/assumed_value`, 'problem.assumption_value', { id: item.id })];
}

/** Rules P5, P6, P7 and P10, as far as they refuse a payload. */
export function collectionProblems(state: SessionState, data: Payload, files: NonNullable<Facts['files']>): Problem[] {
  const items = new Map((state.pre_planning?.items ?? []).map((item) => [item.id, item]));
  const open = [...items.values()].filter(({ status }) => status === 'open').map(({ id }) => id);
  const seen = new Set<string>();
  const problems = resultsOf(data).flatMap((result, index): Problem[] => {
    const at = pointerTo('collection_results', index);
    const item = items.get(result.info_id);
    if (!item) return [problem(`${at}/info_id`, 'problem.info_unknown', { id: result.info_id, known: open.join(', ') })];
    if (seen.has(item.id)) return [problem(`${at}/info_id`, 'problem.info_twice', { id: item.id })];
    seen.add(item.id);
    return item.status === 'open' ? resultProblems(state, item, result, at, files) : [];
  });
  if (problems.length > 0 || open.some((id) => seen.has(id))) return problems;
  return [problem('/collection_results', 'problem.info_ended', { ids: [...seen].join(', '), open: open.join(', ') })];
}

interface Settled {
  item: Item;
  remarks: MessageRef[];
}

/** An item that became a gap. Where the model names no impact, what it was wanted for tells it. */
function gap(item: Item, impact: string | undefined, reason: GapReason, category?: string): Item {
  const { default_assumption: _default, ...rest } = item;
  return { ...rest, status: 'gap', gap: { impact: has(impact) ? impact : item.purpose, reason, ...(category ? { category } : {}) } };
}

/** Rule P6, and P12 where assuming is off: what follows from a look in vain. */
function failed(state: SessionState, item: Item, { impact, failure_reason }: Result): Settled {
  const { collection, assumption } = settingsOf(state);
  const max = collection.max_retries_per_tool;
  const tried: Item = { ...item, tries: item.tries + 1, ...(failure_reason ? { failure_reason } : {}) };
  const { id, tries } = tried;
  if (tries <= max) return { item: tried, remarks: [{ key: 'warning.retry', params: { id, retry: tries, max } }] };
  if (!assumption.enabled)
    return { item: gap(tried, impact, 'assumption_disabled'), remarks: [{ key: 'warning.gap_disabled', params: { id } }] };
  if (has(impact)) return { item: gap(tried, impact, 'not_found'), remarks: [] };
  return { item: tried, remarks: [{ key: 'warning.info_due', params: { id, tries } }] };
}

/** Rules P7, P8 and P12: what becomes of an assumption. The server wins over `can_assume`. */
function assumed(state: SessionState, item: Item, { assumption: sent, impact }: Result): Settled {
  const { assumption: settings } = settingsOf(state);
  const { id } = item;
  const value = sent?.assumed_value ?? item.default_assumption ?? '';
  const reasoning = sent?.reasoning ?? '';
  const confidence = sent?.confidence ?? 0;
  const category = forbiddenCategory([id, item.description, item.purpose, value, reasoning]);
  if (category) {
    // Neither the value nor the words around it are kept or said again. Nothing is looked for any more, so how to look goes, too.
    const values = [value, item.default_assumption ?? ''];
    const { collection_method, fallback_strategy: _fallback, failure_reason: _reason, ...rest } = withoutValues(item, values);
    const ended: Item = { ...rest, collection_method: { tool: collection_method.tool } };
    const told = tells(impact, values) ? undefined : impact;
    return { item: gap(ended, told, 'forbidden', category), remarks: [{ key: 'warning.forbidden', params: { id, category } }] };
  }
  if (!settings.enabled)
    return { item: gap(item, impact, 'assumption_disabled'), remarks: [{ key: 'warning.gap_disabled', params: { id } }] };
  if (!item.can_assume) return { item: gap(item, impact, 'not_assumable'), remarks: [{ key: 'warning.not_assumable', params: { id } }] };
  if (confidence < settings.confidence_threshold) {
    const params = { id, confidence: percent(confidence), threshold: percent(settings.confidence_threshold) };
    return { item: gap(item, impact, 'low_confidence'), remarks: [{ key: 'warning.gap_low', params }] };
  }
  return { item: { ...item, status: 'assumed', assumption: { assumed_value: value, reasoning, confidence } }, remarks: [] };
}

function settle(state: SessionState, item: Item, result: Result): Settled {
  const counted = { ...item, tool_calls: item.tool_calls + (result.tool_calls_used ?? 0) };
  if (result.status === 'failed') return failed(state, counted, result);
  if (result.status === 'assumed') return assumed(state, counted, result);
  const { summary, details, pointer } = result.collected_data as Collected;
  return {
    item: { ...counted, status: 'collected', collected: { summary, ...(details === undefined ? {} : { details }), pointer } },
    remarks: [],
  };
}

/** Rule P2 at 4c: without a valid payload every open item is a gap. */
function giveUp(pre: PrePlanning): PrePlanning {
  return { ...pre, items: pre.items.map((item) => (item.status === 'open' ? gap(item, undefined, 'degraded') : item)) };
}

function together(known: readonly Note[], more: readonly Note[]): Note[] {
  const texts = new Set(known.map((note) => JSON.stringify(note)));
  return [...known, ...more.filter((note) => !texts.has(JSON.stringify(note)))];
}

/** What an accepted payload of 4c makes of the session: items that have ended stay as they are. */
export function collect(state: SessionState, data: Payload): { pre: PrePlanning; remarks: MessageRef[] } {
  const pre = state.pre_planning ?? NOTHING_YET;
  if (data.degraded) return { pre: giveUp(pre), remarks: [] };
  const results = new Map(resultsOf(data).map((result) => [result.info_id, result]));
  const remarks: MessageRef[] = [];
  const items = pre.items.map((item) => {
    const result = results.get(item.id);
    if (!result) return item;
    if (item.status !== 'open') {
      remarks.push({ key: 'warning.info_ended', params: { id: item.id } });
      return item;
    }
    const settled = settle(state, item, result);
    remarks.push(...settled.remarks);
    return settled.item;
  });
  return {
    pre: { ...pre, items, recommendations: together(pre.recommendations, (data.recommendations_for_planning ?? []) as Note[]) },
    remarks,
  };
}
