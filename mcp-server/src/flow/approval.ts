/** The plan's approval by the user: which plan it is for, and whether it is still that one. Pure. */
import { createHash } from 'node:crypto';
import type { Facts, SessionState, Task } from './types.ts';

/** Hash of a plan: the task list without its status and counts, and design.md as it lies on the disk, where there is one. */
export function planHash(tasks: readonly Task[], facts: Facts): string {
  const list = tasks.map(({ id, description, files = [], depends_on = [] }) => [id, description, files, depends_on]);
  return createHash('sha256')
    .update(JSON.stringify([facts.artifacts?.['design.md']?.disk ?? null, list]))
    .digest('hex');
}

/** Whether the prompt that the user typed asks for approval: among its leading flags, since later words are the task. */
export function asksApproval(prompt: string): boolean {
  const [, ...words] = prompt.trim().split(/\s+/);
  const end = words.findIndex((word) => !/^--?[A-Za-z]/.test(word));
  return words.slice(0, end < 0 ? words.length : end).includes('--approve');
}

/** Whether the user wants to approve plans, and has not approved this one. */
export function approvalNeeded(state: SessionState, facts: Facts): boolean {
  const wanted = state.config.approval === 'plan' || state.flags.approve === true;
  return wanted && state.approved_plan !== planHash(state.tasks, facts);
}
