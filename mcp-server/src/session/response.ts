/** Every answer of the flow tools: self-contained, the same shape for success and error (FLOW.md). */
import { expectedPayload } from '../flow/payload-schemas.ts';
import { COMPLETE, mainAccept, nodeOf } from '../flow/table.ts';
import { nextTask } from '../flow/tasks.ts';
import type { ErrorCode, FlowError, MessageRef, Problem, SessionState, Task } from '../flow/types.ts';
import { type Language, say } from '../messages/messages.ts';

export interface Response {
  [key: string]: unknown;
  session_id: string | null;
  phase: string | null;
  step: number | null;
  substep: string | null;
  instruction: string;
  expected_payload: Record<string, unknown>;
  call: string | null;
  warnings: string[];
  agent: string | null;
  artifact: string | null;
}

export interface ErrorResponse extends Response {
  error: ErrorCode;
  message: string;
  problems: { pointer: string; message: string }[];
  current_phase: string | null;
}

function taskView({ id, description, files, depends_on }: Task): Record<string, unknown> {
  return { id, description, ...(files ? { files } : {}), ...(depends_on ? { depends_on } : {}) };
}

/** Where the tasks stand: shown from step 12 on. */
export function progressOf(state: SessionState): { completed: number; total: number } {
  return { completed: state.tasks.filter((task) => task.status === 'completed').length, total: state.tasks.length };
}

/** The answer for a state. `instruction` is already rendered; `fields` are what it says besides. */
export function respond(
  state: SessionState,
  instruction: string,
  warnings: readonly MessageRef[],
  language: Language,
  fields: Partial<Response> = {},
): Response {
  const said = warnings.map((warning) => say(warning, language));
  const over = state.phase === COMPLETE;
  const node = over ? null : nodeOf(state.node);
  const response: Response = {
    session_id: state.session,
    phase: state.phase,
    step: over ? null : state.step,
    substep: node?.substep ?? null,
    instruction,
    expected_payload: node ? expectedPayload(mainAccept(node).payload) : {},
    call: over ? 'start_session' : 'submit_phase',
    warnings: said,
    agent: null,
    artifact: null,
    ...fields,
  };
  if (over) response.outcome = state.outcome;
  if (node?.escalation) response.escalation = true;
  if (state.phase === 'READY' && state.tasks.length > 0) {
    const next = nextTask(state.tasks);
    response.progress = progressOf(state);
    // At step 12 a list is asked for: what is next depends on it.
    if (node?.gate === 'open') {
      response.next_task = next ? taskView(next) : null;
      response.all_complete = next === null;
    }
  }
  if (node?.asks) response.waits_for = 'user';
  if (said.length > 0) response.warning = said[0];
  return response;
}

/** The same answer with more to say. */
export function addWarnings(response: Response, more: readonly MessageRef[], language: Language): Response {
  if (more.length === 0) return response;
  const warnings = [...response.warnings, ...more.map((warning) => say(warning, language))];
  return { ...response, warnings, warning: response.warning ?? warnings[0] };
}

export const sayProblems = (problems: readonly Problem[], language: Language): ErrorResponse['problems'] =>
  problems.slice(0, 50).map(({ pointer, message }) => ({ pointer, message: say(message, language) }));

/** An error in the shape of an answer: `base` is the answer for the unchanged state, or null where there is none. */
export function errorResponse(failed: FlowError, base: Response | null, language: Language): ErrorResponse {
  const message = say(failed.message, language);
  const empty: Response = {
    session_id: null,
    phase: null,
    step: null,
    substep: null,
    instruction: message,
    expected_payload: {},
    call: null,
    warnings: [],
    agent: null,
    artifact: null,
  };
  return {
    ...(base ?? empty),
    error: failed.error,
    message,
    problems: sayProblems(failed.problems, language),
    current_phase: base?.phase ?? null,
    ...(failed.guard ? { guard: failed.guard } : {}),
  };
}

/** Why nothing was done, for a person: they sent no payload, so what is wrong with it is the whole of the matter. */
export const refusalText = ({ message, problems }: ErrorResponse): string =>
  problems.length > 0 ? problems.map((one) => one.message).join('; ') : message;

/** Whether an answer carries an error; MCP results of these set isError. */
export const isErrorResponse = (response: Response): response is ErrorResponse => 'error' in response;
