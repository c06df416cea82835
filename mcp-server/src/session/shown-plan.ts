/** Which plan the user had before their eyes: what they type counts for that one, not for one that took its place meanwhile. */
import { planHash } from '../flow/approval.ts';
import { nodeOf } from '../flow/table.ts';
import type { Facts, SessionState } from '../flow/types.ts';
import type { SessionFile } from '../state/session-file.ts';
import { gatherFacts } from './facts.ts';
import { promptsHeard } from './spoken.ts';

/** A plan is read in a dialogue or a line of the conversation, not in a pager; a task is one line there. */
const PLAN_CHARS = 600;
const LINE_CHARS = 80;

/** Plans that were shown while a session waited, by its id. Lost with the process: then the plan is shown once more. */
const shown = new Map<string, string>();

/** How many prompts had been heard when a session's plan was put to the user. */
const putAt = new Map<string, number>();

/**
 * What counts as shown where a session reaches, or stays at, the wait for approval: the plan as it is now, if it answers the
 * user; else what they were shown before, since they may be reading that.
 */
export function shownIn({ session, shown_plan }: SessionFile, next: SessionState, facts: Facts): string | null {
  if (next.outcome !== null || nodeOf(next.node).asks !== 'approval') return shown_plan ?? null;
  if (shown_plan != null && promptsHeard() <= (putAt.get(session) ?? 0)) return shown_plan;
  putAt.set(session, promptsHeard());
  return planHash(next.tasks, facts);
}

/** Every task by its id, so that nothing is approved unseen; descriptions as far as there is room. */
export function taskLines({ tasks }: Pick<SessionState, 'tasks'>): string {
  const room = Math.min(LINE_CHARS, Math.max(0, Math.floor(PLAN_CHARS / tasks.length) - 2));
  return tasks
    .map(({ id, description }) => {
      const line = description.replace(/\s+/g, ' ').trim();
      return line.length <= room ? `${id}: ${line}` : room < 12 ? id : `${id}: ${line.slice(0, room)}…`;
    })
    .join('\n');
}

/** Hash of the plan as it is now, design.md with it. */
export const planNow = async (state: SessionFile): Promise<string> => planHash(state.tasks, await gatherFacts(state, []));

/** The user was shown this plan, in a question or in the answer to what they typed. */
export function noteShown(session: string, plan: string): void {
  shown.set(session, plan);
}

/** Whether this is the plan that was put to the user, or one that they were shown since. A state of an earlier version does not tell. */
export function wasShown({ session, shown_plan }: SessionFile, plan: string): boolean {
  return shown_plan == null || shown_plan === plan || shown.get(session) === plan;
}
