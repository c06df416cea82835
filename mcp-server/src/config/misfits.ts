/** What of a configuration does not fit its schema, in words of the file: the key, what stands there, what may stand there. */
import type { ErrorObject } from 'ajv';
import { meant } from '../flow/nearest.ts';
import type { MessageRef } from '../flow/types.ts';

type Tree = Record<string, unknown>;

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Misfit {
  /** What is taken out: a key, or one entry of a list. */
  place: string[];
  /** A list that is too long is cut to that. */
  limit?: number;
  warning: MessageRef;
}

interface Shape {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

const schemaOf = ({ parentSchema }: ErrorObject): Shape => (parentSchema ?? {}) as Shape;

const GOT_CHARS = 40;

/** An address may hold a password; it is enough to say that there is one. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return '[…]';
  if (isTree(value))
    return `{${Object.entries(value)
      .map(([key, one]) => (key === 'type' ? `type: ${shown(one)}` : key))
      .join(', ')}}`;
  const text = JSON.stringify(typeof value === 'string' ? value.replace(/:\/\/.*/s, '://…') : (value ?? null));
  return text.length > GOT_CHARS ? `${text.slice(0, GOT_CHARS)}…` : text;
}

/** An entry as one could write it. */
function form({ type, const: only, enum: words, anyOf, properties }: Shape): string {
  if (anyOf) return anyOf.map(form).join(' | ');
  if (only !== undefined) return String(only);
  if (words) return words.join('|');
  if (!properties) return type === 'string' ? '"…"' : type === 'array' ? '[…]' : (type ?? '…');
  const keys = Object.entries(properties).map(([key, inner]) =>
    inner.const === undefined && !inner.enum ? key : `${key}: ${form(inner)}`,
  );
  return `{${keys.join(', ')}}`;
}

const at = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Tree)[key] : undefined), value);

/** Where the outermost list has the entry that holds this place; the place itself where none does. */
function entryOf(value: unknown, keys: readonly string[]): { place: string[]; isEntry: boolean } {
  const list = keys.findIndex((_key, index) => Array.isArray(at(value, keys.slice(0, index))));
  return list < 0 ? { place: [...keys], isEntry: false } : { place: keys.slice(0, list + 1), isEntry: true };
}

function placeOf(error: ErrorObject): string[] {
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return error.keyword === 'additionalProperties' ? [...keys, String(error.params.additionalProperty)] : keys;
}

/** The key, with those above it, that an unknown one at the same place was probably meant to be. */
function knownKey(error: ErrorObject): string | undefined {
  const known = Object.keys((error.parentSchema?.properties ?? {}) as Tree);
  const keys = placeOf(error);
  const near = meant(keys.at(-1) ?? '', known);
  return near && [...keys.slice(0, -1), near].join('.');
}

function warningOf(error: ErrorObject, params: { file: string; key: string; got: string }): MessageRef {
  const { type, minimum = 0, maximum = 0, pattern, properties } = schemaOf(error);
  if (error.keyword === 'enum') {
    return { key: 'warning.config_choice', params: { ...params, right: (error.params.allowedValues as unknown[]).join(', ') } };
  }
  if (type === 'boolean') return { key: 'warning.config_boolean', params };
  if (type === 'number') return { key: 'warning.config_number', params: { ...params, least: minimum, most: maximum } };
  if (type === 'integer') return { key: 'warning.config_integer', params: { ...params, least: minimum, most: maximum } };
  if (type === 'array') return { key: 'warning.config_list', params };
  if (type === 'string' && pattern?.includes('http')) return { key: 'warning.config_address', params };
  if (type === 'object') return { key: 'warning.config_group', params: { ...params, right: Object.keys(properties ?? {}).join(', ') } };
  return { key: 'warning.config_value', params: { ...params, right: form(schemaOf(error)) } };
}

/** The last error of an entry is about the whole of it; one about a part of it speaks of forms that were never meant. */
function entryWarning(error: ErrorObject, params: { file: string; key: string; got: string }): MessageRef {
  return { key: 'warning.config_entry', params: { ...params, right: form(schemaOf(error)) } };
}

/**
 * One misfit for each key or entry, in the order of the file.
 * @param fileAt the file's name, with the line where a place stands if that is known
 */
export function misfitsOf(value: Tree, errors: readonly ErrorObject[], fileAt: (place: readonly string[]) => string): Misfit[] {
  const found = new Map<string, Misfit>();
  for (const error of errors) {
    const { place, isEntry } = entryOf(value, placeOf(error));
    const id = JSON.stringify(place);
    const params = { file: fileAt(place), key: place.join('.'), got: shown(at(value, place)) };
    if (isEntry) found.set(id, { place, warning: entryWarning(error, params) });
    else if (error.keyword === 'maxItems') {
      const limit = Number(error.params.limit);
      found.set(id, { place, limit, warning: { key: 'warning.config_long', params: { ...params, limit } } });
    } else if (error.keyword === 'additionalProperties') {
      const near = knownKey(error);
      const warning = near === undefined ? 'warning.config_unknown' : 'warning.config_misspelt';
      found.set(id, { place, warning: { key: warning, params: { ...params, ...(near === undefined ? {} : { near }) } } });
    } else if (!found.has(id)) found.set(id, { place, warning: warningOf(error, params) });
  }
  return [...found.values()];
}
