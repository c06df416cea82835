/** Typed view of state/phases.json, the one place where steps, flags, limits and transitions stand. */
import phases from '../../../state/phases.json' with { type: 'json' };
import type { EvidenceCheck } from '../evidence/weigh.ts';
import type { Outcome } from './types.ts';

/** A condition's name, `!name`, or a list of which all must hold. */
export type When = string | string[];

export type FactName =
  | 'stale'
  | 'changed'
  | 'equal_to_base'
  | 'interventions'
  | 'pull_request_wanted'
  | 'failed_attempts'
  | 'files'
  | 'issue'
  | 'earlier_sessions';

interface Transition {
  when?: string[];
  /** A node's key, `@next` (the next node that is not skipped), `@same`, or `@complete`. */
  to: string;
  outcome?: Outcome;
  warning?: string;
}

interface EffectRule {
  do: string;
  when?: string[];
}

export interface Accept {
  kind: string;
  /** The key whose presence tells this kind of payload; the last kind of a node has none. */
  key?: string;
  /** Name of the schema in state/payloads.json. */
  payload: string;
  /** Secrets in it are masked before anything else reads it (rule P9). */
  masked?: boolean;
  /** It is not refused for ever: after `payload_corrections` the session goes on without it (rule P2). */
  degrades?: boolean;
  /** Facts that the edge looks up before the decision. */
  facts?: FactName[];
  /** Artifacts that a pipeline session owes with it; `{task}` is the task that it is about. */
  artifact?: string[];
  /** Only the person may send it: typed, or in answer to a question. */
  by?: 'person';
  /** A check beyond the schema, by name (checks.ts). */
  check?: string;
  /** What of the payload must be borne out by the evidence ledger (evidence/). */
  evidence?: EvidenceCheck;
  effects?: EffectRule[];
  /** What changes in the state, by name (moves.ts). */
  move?: string;
  next: Transition[];
}

export interface FlowNode {
  phase: string;
  step: number;
  substep?: string;
  escalation?: boolean;
  /** The person's turn: what they are asked, by the message `question.<asks>`. */
  asks?: 'escalation' | 'plan_escalation' | 'approval';
  gate: 'open' | 'closed';
  /** Nothing may change in the work tree (guard RG13). */
  watched?: boolean;
  skip: When[];
  /** Facts that the node's instruction shows. */
  shows?: FactName[];
  accepts: Accept[];
}

export interface FlagRule {
  short?: string;
  aliases?: string[];
  values?: Record<string, string>;
  legacy?: Record<string, string>;
  gone?: Record<string, string>;
  list?: boolean;
  skips?: boolean;
}

export interface FlowTable {
  version: number;
  limits: Record<
    | 'task_failures'
    | 'interventions'
    | 'quality_reverts'
    | 'verify_failures'
    | 'verify_failures_short'
    | 'exploration_reverts'
    | 'merge_reverts'
    | 'review_reverts'
    | 'payload_corrections'
    | 'plan_revisions'
    | 'task_reviews',
    number
  >;
  flags: Record<string, FlagRule>;
  nodes: Record<string, FlowNode>;
  outcomes: { when?: string[]; outcome: Outcome }[];
}

export const table: FlowTable = phases as FlowTable;

/** Node keys in walking order. */
export const order: readonly string[] = Object.keys(table.nodes);

/** The name of the terminal phase; it has no node, since nothing is accepted there. */
export const COMPLETE = 'SESSION_COMPLETE';

/** @throws Error when the key names no node (a defect of the table, not of the input). */
export function nodeOf(key: string): FlowNode {
  const node = table.nodes[key];
  if (!node) throw new Error(`no node ${key} in state/phases.json`);
  return node;
}

/** The kind of payload `data` is, at this node: the first whose key is present, else the one without a key. */
export function acceptFor(node: FlowNode, data: Record<string, unknown>): Accept {
  const found = node.accepts.find((accept) => accept.key === undefined || Object.hasOwn(data, accept.key));
  if (!found) throw new Error(`node ${node.phase} accepts nothing`);
  return found;
}

/** The kind shown to the model first: the one without a key. */
export function mainAccept(node: FlowNode): Accept {
  return acceptFor(node, {});
}
