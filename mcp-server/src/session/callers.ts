/**
 * Who called save_artifact. The call itself does not tell; a hook on the same call does, and both carry the host's id of it.
 * Kept in memory: what the model says about itself is no evidence of who it is.
 */
export interface Caller {
  /** The agent's type, such as `readygate:architect`; empty for the conversation with the user. */
  type: string;
  /** The agent's id; empty for the conversation with the user. */
  id: string;
}

/** More calls than these are not under way at once. */
const KEPT = 200;

const callers = new Map<string, Caller>();

/** The PreToolUse hook's call: who is about to call. */
export function announceCaller(toolUseId: string, caller: Caller): void {
  if (toolUseId === '') return;
  callers.set(toolUseId, caller);
  const [oldest] = callers.keys();
  if (callers.size > KEPT && oldest !== undefined) callers.delete(oldest);
}

/** Who made the call with this id; null where no hook told. */
export const callerOf = (toolUseId: unknown): Caller | null => (typeof toolUseId === 'string' ? (callers.get(toolUseId) ?? null) : null);
