/**
 * What the server's own tools showed, until the host's hook tells that the call has ended: then it becomes part of that
 * call's line in the ledger. So it counts only where hooks are active, like everything else.
 */

export interface Shown {
  tool: string;
  root: string;
  /** Relative to the root. */
  paths: readonly string[];
}

/** Calls whose hook never came: the host ended, or has no such hook. */
const REMEMBERED = 200;

const shown = new Map<string, Shown>();

/** @param call the host's id of the call; '' where it gives none */
export function rememberShown(call: string, what: Shown): void {
  if (call === '') return;
  shown.set(call, what);
  for (const oldest of shown.keys()) {
    if (shown.size <= REMEMBERED) break;
    shown.delete(oldest);
  }
}

/** What a call showed, once. */
export function takeShown(call: string): Shown | undefined {
  const found = shown.get(call);
  shown.delete(call);
  return found;
}
