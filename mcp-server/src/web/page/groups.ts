/** Steps in the six groups that colours stand for: nineteen colours nobody tells apart. */
export const GROUPS = ['understand', 'explore', 'plan', 'build', 'verify', 'land'] as const;
export type Group = (typeof GROUPS)[number];

const LAST_STEP: readonly number[] = [4, 11, 12, 14, 16, 19];

export function groupOf(step: number): Group {
  const index = LAST_STEP.findIndex((last) => step <= last);
  return GROUPS[index < 0 ? GROUPS.length - 1 : index] as Group;
}

/** Time per group, in the order of the groups. */
export function timeByGroup(times: readonly { step: number; ms: number }[]): { group: Group; ms: number }[] {
  return GROUPS.map((group) => ({ group, ms: times.reduce((sum, { step, ms }) => (groupOf(step) === group ? sum + ms : sum), 0) }));
}
