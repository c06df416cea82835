import type { Scope } from './scope.ts';
import type { Assignment } from './syntax.ts';

/** More items by name than an honest command has. */
const MOST_KEYS = 32;

/** Under which name the value of one key is kept beside its array; quotes are the shell's. */
export function keyedName(array: string, key: string): string {
  return `${array}[${key.replace(/["']/g, '')}]`;
}

/**
 * Keeps the items of `name=([key]=value …)` by their keys. What a key without plain text means cannot be told.
 * @param items the values of the list
 */
export function setKeys({ name, value, keys = [] }: Assignment, items: readonly string[], scope: Scope): void {
  // A value of several words would shift those behind it.
  if (!Array.isArray(value) || items.length !== keys.length) return;
  keys.slice(0, MOST_KEYS).forEach((key, at) => {
    if (/^(["']?)[\w./-]+\1$/.test(key)) scope.set(keyedName(name, key), items[at] ?? '');
  });
}
