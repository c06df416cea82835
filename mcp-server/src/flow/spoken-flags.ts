/** Guard RG09: the user's own words decide about skipping (FLOW.md, Flags). Pure. */
import { type FlagRule, table } from './table.ts';
import type { Flags } from './types.ts';

function spellings(name: string, rule: FlagRule): string[] {
  return [`--${name}`, ...(rule.aliases ?? []).map((alias) => `--${alias}`), ...(rule.short ? [`-${rule.short}`] : [])];
}

/** Whether the prompt holds this flag, in any of its spellings, as a word of its own. */
export function isSpoken(name: keyof Flags, prompt: string): boolean {
  const rule = table.flags[name];
  if (!rule) return false;
  const words = new Set(prompt.split(/\s+/).map((word) => word.split('=')[0]));
  return spellings(name, rule).some((spelling) => words.has(spelling));
}

/**
 * Flags that skip a phase but that the user's prompt does not hold.
 * @param prompt the user's own prompt as the hook recorded it; null when hooks are active and recorded none
 */
export function unspokenFlags(flags: Flags, prompt: string | null): (keyof Flags)[] {
  const names = Object.keys(table.flags) as (keyof Flags)[];
  return names.filter((name) => table.flags[name]?.skips && flags[name] === true && !isSpoken(name, prompt ?? ''));
}
