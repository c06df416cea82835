/** A command's own options, read by Node's parser. */
import { parseArgs } from 'node:util';

type Kinds = Record<string, 'boolean' | 'string'>;

export interface ReadOptions<K extends Kinds> {
  values: { [name in keyof K]?: K[name] extends 'boolean' ? boolean : string };
  /** What is no option. */
  rest: string[];
}

/**
 * Reads the words after a command's name.
 * @param most how many words there may be that are no options
 * @returns null when they do not fit: too many, an option without its value, or with one that it does not take
 */
export function readOptions<K extends Kinds>(args: readonly string[], kinds: K, most = 0): ReadOptions<K> | null {
  const options = Object.fromEntries(Object.entries(kinds).map(([name, type]) => [name, { type }]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return positionals.length > most ? null : { values: values as ReadOptions<K>['values'], rest: positionals };
  } catch {
    return null;
  }
}
