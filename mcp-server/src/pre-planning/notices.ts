/** What is told of pre-planning while it goes on (PREPLANNING.md, Notices). Pure. */
import type { SessionState } from '../flow/types.ts';
import { percent } from './percent.ts';
import { settingsOf } from './settings.ts';
import { type Item, NOTHING_YET, type PrePlanning } from './types.ts';

export type NoticeEvent = 'started' | 'understood' | 'collection_started' | 'assumed' | 'completed';

export interface Notice {
  event: NoticeEvent;
  /** What an event happens to; with `event` it is unique in a session. */
  about: string | null;
  at: string;
  data: Record<string, unknown>;
}

const NODES = ['REQUEST_UNDERSTANDING', 'INFORMATION_PLANNING', 'INFORMATION_COLLECTION'];

const inside = (state: SessionState): boolean => state.outcome === null && NODES.includes(state.node);

/** Pre-planning's own clock: set when its first phase is entered, and when its last one is left. */
export function stamped(before: SessionState, after: SessionState, now: string): SessionState {
  if (!inside(before) && inside(after) && !after.pre_planning) return { ...after, pre_planning: { ...NOTHING_YET, started_at: now } };
  if (!inside(before) || inside(after) || !after.pre_planning) return after;
  return { ...after, pre_planning: { ...after.pre_planning, completed_at: now } };
}

function understood({ understanding }: PrePlanning): Record<string, unknown> {
  return {
    task_type: understanding?.task_type ?? '',
    primary_goal: understanding?.primary_goal ?? '',
    expected_deliverables: understanding?.expected_deliverables ?? [],
    in_scope: understanding?.scope.in_scope ?? [],
    out_of_scope: understanding?.scope.out_of_scope ?? [],
    confidence_percent: percent(understanding?.understanding_confidence ?? 0),
  };
}

const assumption = ({ id, assumption }: Item): Record<string, unknown> => ({
  info_id: id,
  assumed_value: assumption?.assumed_value ?? '',
  reasoning: assumption?.reasoning ?? '',
  confidence_percent: percent(assumption?.confidence ?? 0),
});

function completed({ items, completed_at }: PrePlanning): Record<string, unknown> {
  const of = (status: Item['status']): Item[] => items.filter((item) => item.status === status);
  return {
    completed_at,
    collected: of('collected').map(({ id, collected }) => ({ info_id: id, summary: collected?.summary ?? '' })),
    assumed: of('assumed').map(assumption),
    gaps: of('gap').map(({ id, description, gap }) => ({ info_id: id, description, impact: gap?.impact ?? '' })),
  };
}

/** What has happened between two states that follow each other. A session that was ended is told of nothing. */
export function noticesBetween(before: SessionState, after: SessionState, now: string): Notice[] {
  const pre = after.pre_planning;
  if (!pre || after.outcome === 'aborted') return [];
  const notice = (event: NoticeEvent, data: Record<string, unknown>, about: string | null = null): Notice => ({
    event,
    about,
    at: now,
    data,
  });
  const notices: Notice[] = [];
  if (!inside(before) && inside(after)) notices.push(notice('started', { started_at: pre.started_at }));
  // A stand-in for an understanding that never fitted is none to tell of.
  const isUnderstood = pre.understanding !== null && !pre.degraded.includes('REQUEST_UNDERSTANDING');
  if (before.node === 'REQUEST_UNDERSTANDING' && isUnderstood) notices.push(notice('understood', understood(pre)));
  const entered = (node: string): boolean => before.node !== node && after.node === node && after.outcome === null;
  if (entered('INFORMATION_COLLECTION')) {
    const items = pre.items
      .filter(({ status }) => status === 'open')
      .map(({ id, category, description }) => ({ info_id: id, category, description }));
    notices.push(notice('collection_started', { items }));
  }
  const wasAssumed = new Set((before.pre_planning?.items ?? []).filter(({ status }) => status === 'assumed').map(({ id }) => id));
  for (const item of pre.items) {
    if (item.status === 'assumed' && !wasAssumed.has(item.id)) notices.push(notice('assumed', assumption(item), item.id));
  }
  if (inside(before) && !inside(after)) notices.push(notice('completed', completed(pre)));
  return notices;
}

/** Whether the configuration wants notifiers to be told of an event; the journal holds every one. */
export function isWanted(event: NoticeEvent, state: Pick<SessionState, 'config'>): boolean {
  const { notification } = settingsOf(state);
  switch (event) {
    case 'started':
    case 'collection_started':
      return notification.notify_on_start;
    case 'understood':
      return notification.notify_on_understanding_complete;
    case 'assumed':
      return notification.notify_on_assumption;
    case 'completed':
      return notification.notify_on_collection_complete;
  }
}
