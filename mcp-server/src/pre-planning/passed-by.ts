/** Phases of step 4 that were skipped: the step itself is done by framing the request. Pure. */
import type { PrePlanning } from './types.ts';

/** @returns names of phases that the session went past, or goes past, without doing them */
export function passedBy(pre: PrePlanning | null | undefined): string[] {
  if (!pre) return ['REQUEST_UNDERSTANDING', 'INFORMATION_PLANNING', 'INFORMATION_COLLECTION'];
  // Where it was never said what must be known, nothing was collected either.
  const unsaid = pre.degraded.includes('INFORMATION_PLANNING');
  const nothing = pre.planned && (pre.skip_reason !== null || pre.items.length === 0);
  return unsaid || nothing ? ['INFORMATION_COLLECTION'] : [];
}
