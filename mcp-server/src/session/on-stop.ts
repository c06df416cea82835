/** The Stop hook's call: guard RG20 (guards/stop.ts) with the session as it is on disk. */
import { dueOf } from '../flow/artifacts.ts';
import { batchOf } from '../flow/batch.ts';
import { nodeOf } from '../flow/table.ts';
import { isDormant } from '../guards/session-view.ts';
import { mustGoOn } from '../guards/stop.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import type { SessionFile } from '../state/session-file.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { locate } from './locate.ts';
import { rootOf } from './root-of.ts';

export interface Stopped {
  session_id: string;
  stop_hook_active: boolean;
}

/** Whether the answer is the user's to give. */
export const isUsersTurn = (node: string): boolean => node === 'BRANCH_INTERVENTION' || nodeOf(node).asks !== undefined;

/** Whether an agent is at work on what is due: its end begins the next turn. */
async function waitsForAgent(state: SessionFile): Promise<boolean> {
  if (!state.pipeline) return false;
  const facts = await gatherFacts(state, []);
  return [dueOf(state, facts), ...batchOf(state, facts)].some((due) => due?.agent && facts.at_work?.includes(due.agent));
}

/** An instruction may end in the user's own words, which end as they like; another sentence follows. */
function asSentence(text: string, language: Language): string {
  const trimmed = text.trimEnd();
  return /[.!?:…。！？：]["'」』)）]?$/.test(trimmed) ? trimmed : `${trimmed}${language === 'ja' ? '。' : '.'}`;
}

/** The revision at which a turn was continued last, for each session. */
const continued = new Map<string, number>();

/** @returns hook JSON: `{}` lets the turn end, `decision: block` goes on with the present instruction */
export async function onStop(edge: Edge, { session_id, stop_hook_active }: Stopped): Promise<string> {
  const located = await locate(rootOf(edge.projectDir), null, edge.owner);
  if (located.kind !== 'active') return '{}';
  const { state } = located;
  const own = [session_id, edge.owner ?? ''].filter((id) => id !== '');
  const dormant = isDormant({ owner: state.owner, lastActivity: state.last_activity }, own, edge.now().getTime());
  const view = { session: state.session, rev: state.rev, owner: state.owner, waitsForUser: isUsersTurn(state.node), dormant };
  if (await waitsForAgent(state)) return '{}';
  if (!mustGoOn(view, { stopHookActive: stop_hook_active, own }, continued)) return '{}';
  continued.set(state.session, state.rev);
  const { phase, step } = nodeOf(state.node);
  return JSON.stringify({
    decision: 'block',
    reason: fill(template('guard.stop', state.language), { phase, step, instruction: asSentence(state.instruction, state.language) }),
  });
}
