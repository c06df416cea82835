/** The question of step 2, put to the person where the client can ask: what becomes of old task branches. */
import { readState } from '../state/session-file.ts';
import type { Edge } from './edge.ts';
import { gatherFacts } from './facts.ts';
import { branchLines } from './instruction.ts';
import { put } from './question.ts';
import type { Response } from './response.ts';
import { movedOn, submitAsPerson } from './submit.ts';

const CHOICES = ['delete', 'merge', 'continue'];

/**
 * Asks at once when a session begins at step 2. The caller holds no lock.
 * @returns the answer after the person's choice, or where the session went on meanwhile; null when nothing was to be asked or they
 * would not choose: then the instruction stands, and the model asks with its own means
 */
export async function askBranches(edge: Edge, root: string): Promise<Response | null> {
  const found = readState(root);
  if (found.kind !== 'present' || found.state.node !== 'BRANCH_INTERVENTION') return null;
  const { state } = found;
  const facts = await gatherFacts(state, ['stale']);
  const branches = branchLines({ root, state, facts, language: state.language, stateFile: '', notes: [] });
  const answer = await put(edge, { kind: 'stale_branches', choices: CHOICES, language: state.language, params: { root, branches } });
  const moved = await movedOn(edge, state, answer);
  if (moved || typeof answer === 'string') return moved;
  return submitAsPerson(edge, state, { choice: answer.choice }, { rev: state.rev });
}
