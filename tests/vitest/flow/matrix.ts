/** FLOW.md's flags table, written down once more by hand, independent of state/phases.json. */
import type { Intent } from '../../../mcp-server/src/flow/types.ts';

export const steps = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Flag → steps that it skips. */
export const SKIPS: Record<string, number[]> = {
  fast: [...steps(5, 11), 18],
  quick: [...steps(5, 11), 16, 17, 18, 19],
  'no-verify': [15, 16],
  'no-quality': [18],
  'no-doc': [3],
  'no-intervention': [16],
};

/** Flags under which 4a to 4c are passed over. */
const WITHOUT_PRE_PLANNING = ['fast', 'quick', 'no-pre-planning', 'only-verify'];

const IGNORED_ON_INVESTIGATION = ['fast', 'quick', 'no-verify', 'no-quality'];

export function isInvestigation(flags: readonly string[], intent: Intent): boolean {
  return intent === 'INVESTIGATE' || intent === 'QUESTION' || flags.includes('only-explore');
}

/** Whether 4a to 4c are walked. */
export function hasPrePlanning(flags: readonly string[], intent: Intent): boolean {
  const ignored = isInvestigation(flags, intent) ? IGNORED_ON_INVESTIGATION : [];
  return !flags.some((flag) => WITHOUT_PRE_PLANNING.includes(flag) && !ignored.includes(flag));
}

/** The steps that these flags and this intent skip whatever happens. */
export function skippedByFlags(flags: readonly string[], intent: Intent): number[] {
  if (flags.includes('only-verify')) return [...steps(2, 14), ...steps(16, 19)];
  const investigation = isInvestigation(flags, intent);
  const effective = flags.filter((flag) => !investigation || !IGNORED_ON_INVESTIGATION.includes(flag));
  const ending = investigation ? steps(12, 19) : [];
  return [...new Set([...effective.flatMap((flag) => SKIPS[flag] ?? []), ...ending])];
}
