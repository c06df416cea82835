/** What steps 4a to 4c bring. Everything here is JSON: it is part of state.json. */

/** A string, or an object where the model has more to say. */
export type Note = string | Record<string, unknown>;

/** `request_understanding` of 4a. */
export interface Understanding {
  task_type: string;
  primary_goal: string;
  expected_deliverables: Note[];
  constraints: Note[];
  scope: { in_scope: Note[]; out_of_scope: Note[] };
  /** 0 to 1. */
  understanding_confidence: number;
  ambiguities: { item: string; possible_interpretations: Note[]; selected_interpretation: string; reasoning: string }[];
}

/** One piece of information that 4b wants. */
export interface Need {
  id: string;
  category: 'codebase' | 'context' | 'external';
  description: string;
  purpose: string;
  collection_method: { tool: string; parameters?: Note };
  fallback_strategy?: string;
  can_assume: boolean;
  /** A value without a confidence: no assumption until the model states one. */
  default_assumption?: string;
}

export interface Collected {
  summary: string;
  details?: unknown;
  pointer: Note;
}

export interface Assumption {
  assumed_value: string;
  reasoning: string;
  /** 0 to 1, at least the configured threshold. */
  confidence: number;
}

/** Why an item is a gap: the model says so, or the server made it one. */
export type GapReason =
  | 'not_found'
  | 'low_confidence'
  | 'forbidden'
  | 'not_assumable'
  | 'assumption_disabled'
  | 'not_collected'
  | 'degraded';

export interface Item extends Need {
  status: 'open' | 'collected' | 'assumed' | 'gap';
  /** How often it was looked for in vain. */
  tries: number;
  tool_calls: number;
  failure_reason?: string;
  collected?: Collected;
  assumption?: Assumption;
  gap?: { impact: string; reason: GapReason; category?: string };
}

/** Whether an assumption held, as told at step 15. */
export type Held = 'held' | 'not_held' | 'unchecked';

export interface PrePlanning {
  /** ISO times, set by the server. */
  started_at: string | null;
  completed_at: string | null;
  understanding: Understanding | null;
  /** Rule P1: the understanding is not sufficient; never a reason to stop. */
  low_confidence: boolean;
  /** Rule P2: phases that went on without a valid payload. */
  degraded: string[];
  /** 4b is done, or was answered ahead. */
  planned: boolean;
  skip_reason: string | null;
  items: Item[];
  recommendations: Note[];
  verdicts: Record<string, Held>;
}

export const NOTHING_YET: PrePlanning = {
  started_at: null,
  completed_at: null,
  understanding: null,
  low_confidence: false,
  degraded: [],
  planned: false,
  skip_reason: null,
  items: [],
  recommendations: [],
  verdicts: {},
};
