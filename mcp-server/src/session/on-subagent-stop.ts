/** The SubagentStop hook's call: a pipeline's agent that ends without having handed in its artifact goes on once (RG20). */
import { artifactLines } from '../artifacts/records.ts';
import { dueOf, roleOf } from '../flow/artifacts.ts';
import { batchOf } from '../flow/batch.ts';
import { fill, template } from '../messages/messages.ts';
import { agentEnded } from './agents-at-work.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { locate } from './locate.ts';
import { rootOf } from './root-of.ts';

export interface SubagentStopped {
  agent_type: string;
  agent_id: string;
  stop_hook_active: boolean;
}

/** Agents that were told once. */
const told = new Set<string>();

/** @returns hook JSON: `{}` lets the agent end, `decision: block` has it hand in its artifact first */
export async function onSubagentStop(edge: Edge, stopped: SubagentStopped): Promise<string> {
  const reason = await reasonToGoOn(edge, stopped);
  if (reason !== null) return JSON.stringify({ decision: 'block', reason });
  agentEnded(stopped.agent_id);
  return '{}';
}

async function reasonToGoOn(edge: Edge, { agent_type, agent_id, stop_hook_active }: SubagentStopped): Promise<string | null> {
  const role = roleOf(agent_type);
  if (role === null || agent_id === '' || stop_hook_active || told.has(agent_id)) return null;
  const located = await locate(rootOf(edge.projectDir), null, edge.owner);
  if (located.kind !== 'active' || !located.state.pipeline) return null;
  const { state } = located;
  const facts = await gatherFacts(state, []);
  const owed = [dueOf(state, facts), ...batchOf(state, facts)].filter((due) => due?.agent === role).map((due) => due?.artifact ?? '');
  if (owed.length === 0) return null;
  // Of several implementers each has its own artifact; which one, only its id tells.
  if (artifactLines(state.work_tree, state.session).some((line) => line.agent_id === agent_id)) return null;
  told.add(agent_id);
  return fill(template('guard.subagent_stop', state.language), { artifact: [...new Set(owed)].join(', ') });
}
