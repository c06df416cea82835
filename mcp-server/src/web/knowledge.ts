/** What pre-planning handed over (pre_planning.json): facts, assumptions and gaps, kept apart. */
import { readHandOver } from '../state/session-texts.ts';
import type { Fact, Knowledge } from './view.ts';

type Json = Record<string, unknown>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
const texts = (value: unknown): string[] => list(value).map(sayAny).filter(Boolean);
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/** A text, or the JSON of what is none. */
function sayAny(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  return text(value) || JSON.stringify(value);
}

function factOf(category: string, key: string, value: unknown): Fact {
  if (typeof value === 'string') return { id: key, category, summary: value, details: '', pointer: '' };
  const found = object(value);
  const data = Object.keys(object(found.collected_data)).length > 0 ? object(found.collected_data) : found;
  return {
    id: text(found.info_id) || text(found.id) || key,
    category,
    summary: sayAny(data.summary ?? found.description),
    details: sayAny(data.details),
    pointer: sayAny(data.pointer),
  };
}

/** A list, or an object by id: either is read. */
function factsOf(collected: Json): Fact[] {
  return Object.entries(collected).flatMap(([category, entries]) =>
    Array.isArray(entries)
      ? entries.map((entry, index) => factOf(category, `${category}-${index + 1}`, entry))
      : Object.entries(object(entries)).map(([key, entry]) => factOf(category, key, entry)),
  );
}

function understandingOf(value: unknown): Knowledge['understanding'] {
  const found = object(value);
  if (Object.keys(found).length === 0) return null;
  const scope = object(found.scope);
  return {
    task_type: text(found.task_type),
    goal: text(found.primary_goal),
    confidence: number(found.understanding_confidence),
    deliverables: texts(found.expected_deliverables),
    constraints: texts(found.constraints),
    in_scope: texts(scope.in_scope),
    out_of_scope: texts(scope.out_of_scope),
  };
}

function parse(source: string): Json {
  try {
    return object(JSON.parse(source));
  } catch {
    return {};
  }
}

/** @returns null when the session has handed nothing over */
export function knowledgeOf(root: string, session: string): Knowledge | null {
  const file = readHandOver(root, session);
  if (!file) return null;
  const whole = parse(file.text);
  const found = Object.hasOwn(whole, 'pre_planning_result') ? object(whole.pre_planning_result) : whole;
  return {
    understanding: understandingOf(found.request_understanding),
    facts: factsOf(object(found.collected_information)),
    assumptions: list(found.assumptions)
      .map(object)
      .map((item) => ({
        id: text(item.info_id),
        value: sayAny(item.assumed_value),
        reasoning: sayAny(item.reasoning),
        confidence: number(item.confidence),
      })),
    gaps: list(found.information_gaps)
      .map(object)
      .map((item) => ({ id: text(item.info_id), description: sayAny(item.description), impact: sayAny(item.impact) })),
    recommendations: texts(found.recommendations_for_planning),
  };
}
