/** Rule P2: what a phase goes on with when its payload never became valid. Pure. */
import type { Payload, SessionState } from '../flow/types.ts';
import { maskText } from './mask.ts';
import type { Understanding } from './types.ts';

function minimal({ task, request }: SessionState): Understanding {
  return {
    task_type: 'unknown',
    primary_goal: maskText(task || request).slice(0, 4000),
    expected_deliverables: [],
    constraints: [],
    scope: { in_scope: [], out_of_scope: [] },
    understanding_confidence: 0,
    ambiguities: [],
  };
}

/** `degraded` is no key of any schema, so that only the server can say it. */
export function degradedPayload(state: SessionState): Payload {
  switch (state.node) {
    case 'REQUEST_UNDERSTANDING':
      return { request_understanding: minimal(state), degraded: true };
    case 'INFORMATION_PLANNING':
      return { information_needs: { skip_collection: true }, degraded: true };
    default:
      return { collection_results: [], degraded: true };
  }
}
