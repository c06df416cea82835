/** Rule P8: a value that nobody may assume is kept nowhere in its item, under whatever name it was sent. Pure. */
import type { Need } from './types.ts';

/** Shorter values are part of too many words to be taken out of texts. */
const LEAST_CHARS = 3;

const NOT_KEPT = '[…]';

const plain = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();

/** Whether a text, or any JSON value as text, tells one of the values; case and blanks aside. */
export function tells(value: unknown, values: readonly string[]): boolean {
  if (value === undefined) return false;
  const text = plain(typeof value === 'string' ? value : JSON.stringify(value));
  return values.some((one) => plain(one) !== '' && text.includes(plain(one)));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function without(text: string, values: readonly string[]): string {
  const long = values.map((value) => value.trim()).filter((value) => value.length >= LEAST_CHARS);
  return long.reduce((left, value) => left.replace(new RegExp(escaped(value).replace(/\s+/g, '\\s+'), 'gi'), NOT_KEPT), text);
}

/** An item without these values: what is needed to ask the user stays, with the values taken out; what tells them and is not needed is left out. */
export function withoutValues<Item extends Need & { failure_reason?: string }>(item: Item, values: readonly string[]): Item {
  const { fallback_strategy: fallback, failure_reason: failure, collection_method, default_assumption: _default, ...rest } = item;
  const { tool, parameters } = collection_method;
  return {
    ...rest,
    description: without(item.description, values),
    purpose: without(item.purpose, values),
    collection_method: {
      tool: without(tool, values),
      ...(parameters === undefined || tells(parameters, values) ? {} : { parameters }),
    },
    ...(fallback === undefined || tells(fallback, values) ? {} : { fallback_strategy: fallback }),
    ...(failure === undefined || tells(failure, values) ? {} : { failure_reason: failure }),
  } as Item;
}
