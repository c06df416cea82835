/** `pre_planning_result`: facts, assumptions and gaps, each in a list of its own (PREPLANNING.md, Hand-over). Pure. */
import type { Assumption, Collected, GapReason, Item, Note, PrePlanning, Understanding } from './types.ts';

interface Known extends Collected {
  info_id: string;
  description: string;
}

export interface PrePlanningResult {
  request_understanding: Understanding | null;
  /** Rule P1 and P2, as the server saw it. */
  low_confidence: boolean;
  degraded: string[];
  skip_reason: string | null;
  collected_information: Record<Item['category'], Known[]>;
  assumptions: (Assumption & { info_id: string })[];
  information_gaps: { info_id: string; description: string; impact: string; reason: GapReason; category?: string }[];
  recommendations_for_planning: Note[];
  total_tool_calls: number;
  /** Collected of required; null when nothing was required. */
  collection_success_rate: number | null;
  started_at: string | null;
  completed_at: string | null;
}

function known(items: readonly Item[], category: Item['category']): Known[] {
  return items.flatMap((item) =>
    item.category === category && item.status === 'collected' && item.collected
      ? [{ info_id: item.id, description: item.description, ...item.collected }]
      : [],
  );
}

/** Rule P11: the numbers are the server's. Call it when nothing is open any more. */
export function prePlanningResult(pre: PrePlanning): PrePlanningResult {
  const { items } = pre;
  const collected = items.filter(({ status }) => status === 'collected').length;
  return {
    request_understanding: pre.understanding,
    low_confidence: pre.low_confidence,
    degraded: pre.degraded,
    skip_reason: pre.skip_reason,
    collected_information: { codebase: known(items, 'codebase'), context: known(items, 'context'), external: known(items, 'external') },
    assumptions: items.flatMap(({ id, status, assumption }) =>
      status === 'assumed' && assumption ? [{ info_id: id, ...assumption }] : [],
    ),
    information_gaps: items.flatMap(({ id, description, status, gap }) =>
      status === 'gap' && gap ? [{ info_id: id, description, ...gap }] : [],
    ),
    recommendations_for_planning: pre.recommendations,
    total_tool_calls: items.reduce((sum, item) => sum + item.tool_calls, 0),
    collection_success_rate: items.length === 0 ? null : collected / items.length,
    started_at: pre.started_at,
    completed_at: pre.completed_at,
  };
}
