/** Whether a parsed state file is a state that this version can work with: state/state.schema.json, and a step of the flow. */
import type { ValidateFunction } from 'ajv';
import schema from '../../../state/state.schema.json' with { type: 'json' };
import { COMPLETE, table } from '../flow/table.ts';
import { ownSchemas } from '../own-schemas.ts';
import type { SessionFile } from './session-file.ts';

let compiled: ValidateFunction<SessionFile> | null = null;

/** Compiled at first use. */
function validator(): ValidateFunction<SessionFile> {
  compiled ??= ownSchemas().compile<SessionFile>(schema);
  return compiled;
}

function stepError({ node, phase, step, gate, override }: SessionFile): string | null {
  const found = Object.hasOwn(table.nodes, node) ? table.nodes[node] : undefined;
  if (!found) return `/node ${node} is not a step of this version`;
  // A session that ended keeps the step it ended at.
  const fits = found.step === step && (found.phase === phase || phase === COMPLETE);
  if (!fits) return `/node ${node} does not belong to ${phase} (step ${step})`;
  // Editing is open where the table says so, by the user's override, and when all is over; a state that says otherwise is not ours.
  const mayBeOpen = found.gate === 'open' || override !== null || phase === COMPLETE;
  return gate === 'open' && !mayBeOpen ? `/gate open does not belong to ${phase} (step ${step})` : null;
}

/** @returns what is wrong, for a person to read; null when nothing is */
export function shapeError(value: unknown): string | null {
  const validate = validator();
  if (validate(value)) return stepError(value);
  const [error] = validate.errors ?? [];
  return `${error?.instancePath || '/'} ${error?.message ?? 'does not fit'}`;
}
