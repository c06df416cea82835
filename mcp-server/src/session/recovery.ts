/** A damaged state at the edge: it is mended at once, and the call that met it says what was done (FLOW.md, state_corrupt). */
import type { FlowError } from '../flow/types.ts';
import type { Fence } from '../state/fence.ts';
import { type Recovered, recover } from '../state/recover.ts';
import { withState } from '../state/with-state.ts';
import { render } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { failureOf } from './failure.ts';
import { errorResponse, type Response, respond } from './response.ts';

function messageOf(done: Recovered): FlowError {
  const { kept, detail } = done;
  const said = (key: string, more: Record<string, string | number> = {}): FlowError => ({
    error: 'state_corrupt',
    message: { key, params: { kept, detail, ...more } },
    problems: [],
  });
  if (done.kind === 'none') return said('error.state_kept');
  if (done.kind === 'closed') return said('error.state_closed', { session: done.session });
  const { session, phase, step } = done.state;
  return said('error.state_rebuilt', { session, phase, step });
}

/** Mends the state under the lock. @returns null when it is not damaged any more @throws StorageFailed */
export async function recoverBehind(fence: Fence, edge: Edge): Promise<Response | null> {
  const done = recover(fence, edge.now());
  if (!done) return null;
  if (done.kind !== 'rebuilt') return errorResponse(messageOf(done), null, edge.language);
  const { state } = done;
  const { instruction, warnings, fields } = await render(state, state.language, []);
  return errorResponse(messageOf(done), respond(state, instruction, warnings, state.language, fields), state.language);
}

/**
 * Mends a damaged state and answers for it.
 * @returns the answer; null when another process mended it meanwhile, so that the call can simply go on
 */
export async function recoverState(edge: Edge, root: string): Promise<Response | null> {
  try {
    return await withState(root, (fence) => recoverBehind(fence, edge));
  } catch (error) {
    return errorResponse(failureOf(error), null, edge.language);
  }
}
