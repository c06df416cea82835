/** Whom a session waits for: one rule for the dashboard and the command line. Pure, since the page has it, too. */

export type WaitsFor = 'decide' | 'approve' | 'agent';

/** @param decisions what the person can decide now (user-decision.ts) */
export function waitsFor(decisions: readonly string[]): WaitsFor {
  if (decisions.includes('decide')) return 'decide';
  return decisions.includes('approve') ? 'approve' : 'agent';
}
