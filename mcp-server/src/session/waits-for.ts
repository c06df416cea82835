/** Whom a session waits for: one rule for the dashboard and the command line. Pure, since the page has it, too. */

export type WaitsFor = 'decide' | 'approve' | 'branches' | 'answer' | 'agent';

export interface Waiting {
  node: string;
  /** What the person can decide now (user-decision.ts). */
  decisions: readonly string[];
  /** Whether a question to them is open in the client (open-question.ts). */
  asked: boolean;
}

export function waitsFor({ node, decisions, asked }: Waiting): WaitsFor {
  if (decisions.includes('decide')) return 'decide';
  if (decisions.includes('approve')) return 'approve';
  if (node === 'BRANCH_INTERVENTION') return 'branches';
  return asked ? 'answer' : 'agent';
}
