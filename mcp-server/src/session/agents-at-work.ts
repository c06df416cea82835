/**
 * Which agents of the pipeline are at work, as the SubagentStart and SubagentStop hooks tell. An interactive client runs agents
 * in the background: the turn that started one ends, and its end begins the next. A new server knows of none; then RG20 speaks
 * once too often, nothing worse.
 */
import { roleOf } from '../flow/artifacts.ts';

/** An agent whose end nobody told is not waited for without end. Milliseconds. */
const BELIEVED_MS = 60 * 60_000;

const atWork = new Map<string, { role: string; since: number }>();

/** An agent began; of types that are no role of the pipeline nothing is kept. */
export function agentBegan(id: string, type: string): void {
  const role = roleOf(type);
  if (id !== '' && role !== null) atWork.set(id, { role, since: Date.now() });
}

/** An agent ended. */
export function agentEnded(id: string): void {
  atWork.delete(id);
}

/** The roles of which an agent is at work. */
export function rolesAtWork(): string[] {
  for (const [id, { since }] of atWork) if (Date.now() - since > BELIEVED_MS) atWork.delete(id);
  return [...new Set([...atWork.values()].map(({ role }) => role))];
}
