/** One thing wrong with a payload, and where. */
import type { MessageRef, Problem } from './types.ts';

/** The JSON pointer that leads through these keys. */
export function pointerTo(...keys: (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function problem(pointer: string, key: string, params: NonNullable<MessageRef['params']> = {}): Problem {
  return { pointer, message: { key, params } };
}
