/** What a guard says about one tool call. `note` tells why a call passed unjudged. */
export type Verdict = { readonly decision: 'pass'; readonly note?: string } | Warning | Denial;

/** A refusal: the guard's id, and what the model is told. */
export interface Denial {
  readonly decision: 'deny';
  readonly guard: string;
  readonly message: string;
  /** Where the session lies that refuses; absent outside any. */
  readonly root?: string;
}

/** The call goes on, and the model is told something. */
export interface Warning {
  readonly decision: 'warn';
  readonly guard: string;
  readonly message: string;
  readonly note?: string;
}

/** A pass, with the reason when the call could not be judged. */
export function pass(note?: string): Verdict {
  return note === undefined ? { decision: 'pass' } : { decision: 'pass', note };
}

const EVENT = { hookEventName: 'PreToolUse' };

/**
 * The answer of an `mcp_tool` hook of PreToolUse. The host reads it from the tool's text; `{}` passes.
 * A warning holds no permission decision, which would approve the call in the user's place: `additionalContext` reaches the model,
 * `systemMessage` the user.
 * @param verdict what the guards decided
 */
export function toHookJson(verdict: Verdict): string {
  switch (verdict.decision) {
    case 'pass':
      return '{}';
    case 'warn':
      return JSON.stringify({ systemMessage: verdict.message, hookSpecificOutput: { ...EVENT, additionalContext: verdict.message } });
    default:
      return JSON.stringify({
        hookSpecificOutput: { ...EVENT, permissionDecision: 'deny', permissionDecisionReason: verdict.message },
      });
  }
}
