/** When the host's hooks last reached this process; written into the state with the next transition, for doctor. */
let seen: number | null = null;

/** A hook called. */
export function markHook(now: Date): void {
  seen = now.getTime();
}

/** Epoch milliseconds, or null when no hook ever called this process. */
export const hooksLastSeen = (): number | null => seen;
