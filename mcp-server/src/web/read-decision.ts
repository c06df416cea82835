/** A decision as the page sends it, checked. */
import type { ValidateFunction } from 'ajv';
import { ownSchemas } from '../own-schemas.ts';
import { ANSWERS, type DecisionRequest, type UserDecision } from '../session/user-decision.ts';

interface Sent {
  session: string;
  rev: number;
  kind: UserDecision['kind'];
  answer?: (typeof ANSWERS)[number];
  note?: string;
  plan?: string;
}

/** A decision of this kind says nothing without that. */
const needs = (kind: UserDecision['kind'], field: keyof Sent) => ({
  if: { properties: { kind: { const: kind } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: [field] },
});

/** Of the request's body. */
export const SCHEMA = {
  type: 'object',
  properties: {
    session: { type: 'string', minLength: 3, maxLength: 64 },
    rev: { type: 'integer', minimum: 0 },
    kind: { enum: ['approve', 'revise', 'decide', 'abort'] },
    answer: { enum: ANSWERS },
    note: { type: 'string', maxLength: 4000 },
    /** Hash of the plan that the page showed. */
    plan: { type: 'string', minLength: 1, maxLength: 64 },
  },
  required: ['session', 'rev', 'kind'],
  additionalProperties: false,
  allOf: [needs('decide', 'answer'), needs('approve', 'plan'), needs('revise', 'plan')],
};

let compiled: ValidateFunction<Sent> | null = null;

/** @returns null for anything that is no decision */
export function readDecision(body: unknown): Pick<DecisionRequest, 'session' | 'rev' | 'decision'> | null {
  compiled ??= ownSchemas().compile<Sent>(SCHEMA);
  if (!compiled(body)) return null;
  const { session, rev, kind, answer = 'abort', note = '', plan = '' } = body;
  const said = { note: note.trim() };
  if (kind === 'decide') return { session, rev, decision: { kind, answer, ...said } };
  if (kind === 'abort') return { session, rev, decision: { kind } };
  return { session, rev, decision: kind === 'revise' ? { kind, plan, ...said } : { kind, plan } };
}
