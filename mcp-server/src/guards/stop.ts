/** Guard RG20: a turn that ends while the session waits for the model goes on once (GUARDS.md). Pure. */
export interface StopCall {
  /** The host continued this turn because of a Stop hook already. */
  stopHookActive: boolean;
  /** Claude sessions that count as this one. */
  own: readonly string[];
}

export interface StopView {
  session: string;
  rev: number;
  owner: string | null;
  /** Set where the session waits for the user, not for the model. */
  waitsForUser: boolean;
  dormant: boolean;
}

/** The revision at which each session's turn was continued last; progress means a new revision. */
export type Continued = ReadonlyMap<string, number>;

/** Whether the turn must go on: once for each revision, never for the user's turn to speak, never for another's session. */
export function mustGoOn(view: StopView, call: StopCall, continued: Continued): boolean {
  if (view.waitsForUser || view.dormant) return false;
  if (view.owner === null || !call.own.includes(view.owner)) return false;
  // After a restart nothing is remembered; a turn that was continued once already is then left to end.
  if (call.stopHookActive && !continued.has(view.session)) return false;
  return continued.get(view.session) !== view.rev;
}
