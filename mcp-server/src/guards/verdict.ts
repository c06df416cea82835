/** What a guard says about one tool call. `note` tells why a call passed unjudged. */
export type Verdict = { readonly decision: 'pass'; readonly note?: string } | Denial;

/** A refusal: the guard's id, and what the model is told. */
interface Denial {
  readonly decision: 'deny';
  readonly guard: string;
  readonly message: string;
}

/** A pass, with the reason when the call could not be judged. */
export function pass(note?: string): Verdict {
  return note === undefined ? { decision: 'pass' } : { decision: 'pass', note };
}

/**
 * The answer of an `mcp_tool` hook of PreToolUse. The host reads it from the tool's text; `{}` passes.
 * @param verdict what the guards decided
 */
export function toHookJson(verdict: Verdict): string {
  if (verdict.decision === 'pass') return '{}';
  return JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: verdict.message },
  });
}
