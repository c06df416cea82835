/** What an answer says besides in a pipeline session: the agent that is due, its artifact, and what may be done side by side. */
import { dueOf } from '../flow/artifacts.ts';
import { batchOf } from '../flow/batch.ts';
import type { Facts, SessionState } from '../flow/types.ts';
import { sessionFolder } from '../state/layout.ts';
import type { Response } from './response.ts';

/** Steps whose agents compare with the base. */
const COMPARES = new Set([13, 18]);

/** @returns nothing in a solo session */
export function pipelineFields(state: SessionState, facts: Facts): Partial<Response> {
  const due = dueOf(state, facts);
  if (!due) return {};
  const batch = batchOf(state, facts);
  return {
    agent: due.agent,
    artifact: due.artifact,
    folder: sessionFolder(state.work_tree, state.session),
    ...(due.agent ? { inputs: due.inputs } : {}),
    ...(due.agent && due.task !== null ? { task: due.task } : {}),
    ...(due.agent && COMPARES.has(state.step) && state.git?.base ? { base: state.git.base } : {}),
    ...(batch.length > 0 ? { batch } : {}),
  };
}
