/** The SubagentStop hook's call: a pipeline's agent that ends without having handed in its artifact goes on once (RG20). */
import { artifactLines } from '../artifacts/records.ts';
import { dueOf, roleOf } from '../flow/artifacts.ts';
import { batchOf } from '../flow/batch.ts';
import { fill, template } from '../messages/messages.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { locate, rootOf } from './locate.ts';

export interface SubagentStopped {
  agent_type: string;
  agent_id: string;
  stop_hook_active: boolean;
}

/** Agents that were told once. */
const told = new Set<string>();

/** @returns hook JSON: `{}` lets the agent end, `decision: block` has it hand in its artifact first */
export async function onSubagentStop(edge: Edge, { agent_type, agent_id, stop_hook_active }: SubagentStopped): Promise<string> {
  const role = roleOf(agent_type);
  if (role === null || agent_id === '' || stop_hook_active || told.has(agent_id)) return '{}';
  const located = await locate(rootOf(edge.projectDir), null, edge.owner);
  if (located.kind !== 'active' || !located.state.pipeline) return '{}';
  const { state } = located;
  const facts = await gatherFacts(state, []);
  const owed = [dueOf(state, facts), ...batchOf(state, facts)].filter((due) => due?.agent === role).map((due) => due?.artifact ?? '');
  if (owed.length === 0) return '{}';
  // Of several implementers each has its own artifact; which one, only its id tells.
  if (artifactLines(state.work_tree, state.session).some((line) => line.agent_id === agent_id)) return '{}';
  told.add(agent_id);
  const reason = fill(template('guard.subagent_stop', state.language), { artifact: [...new Set(owed)].join(', ') });
  return JSON.stringify({ decision: 'block', reason });
}
