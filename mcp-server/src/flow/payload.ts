/** From what the model sent to a payload that the engine may read: aliases, coercion, ajv, and the shape shown to the model. */
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import { deref, describe, type Schema, type SchemaGroup, schemaOf, schemas } from './payload-schemas.ts';
import type { MessageRef, Payload, Problem } from './types.ts';

/** A longer payload is refused before anything else reads it. */
export const MAX_PAYLOAD_CHARS = 512 * 1024;

let ajv: Ajv | null = null;
const compiled = new Map<string, ValidateFunction>();

/** Compiled at first use: a server that only answers tools/list never pays for it. */
function validator(name: string, group: SchemaGroup): ValidateFunction {
  const ready = compiled.get(`${group}/${name}`);
  if (ready) return ready;
  ajv ??= new Ajv({ allErrors: true, strict: false, verbose: true, schemas: [schemas as object] });
  const made = ajv.getSchema(`${schemas.$id}#/${group}/${name}`);
  if (!made) throw new Error(`schema ${name} does not compile`);
  compiled.set(`${group}/${name}`, made as ValidateFunction);
  return made as ValidateFunction;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Turns "true", "[…]", "{…}" and "3" into what the schema wants where that is the only reading; everything else stays. */
export function coerce(value: unknown, given: Schema): unknown {
  const schema = deref(given);
  if (typeof value === 'string') {
    const text = value.trim();
    if (schema.type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    if ((schema.type === 'integer' || schema.type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
    const wanted = schema.type === 'array' ? '[' : schema.type === 'object' ? '{' : null;
    const inner = wanted && text.startsWith(wanted) ? parsed(text) : undefined;
    return inner === undefined ? value : coerce(inner, schema);
  }
  if (Array.isArray(value) && schema.items) {
    const items = schema.items;
    return value.map((item) => coerce(item, items));
  }
  if (isObject(value) && schema.properties) {
    const { properties } = schema;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, properties[key] ? coerce(item, properties[key]) : item]));
  }
  return value;
}

function applyAliases(data: Payload, schema: Schema): Payload {
  const aliases = schema['x-aliases'] ?? {};
  const out: Payload = {};
  for (const [key, value] of Object.entries(data)) {
    const name = aliases[key];
    if (name === undefined) out[key] = value;
    else if (!(name in data)) out[name] = value;
  }
  return out;
}

function problemOf(error: ErrorObject): Problem {
  const says = (error.parentSchema as Schema | undefined)?.['x-says'];
  const at = (name: string) => `${error.instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const right = error.parentSchema ? describe(error.parentSchema as Schema) : '';
  const shape = typeof right === 'string' ? right : JSON.stringify(right);
  switch (error.keyword) {
    case 'required': {
      const name = String(error.params.missingProperty);
      const wanted = (error.parentSchema as Schema | undefined)?.properties?.[name];
      const is = wanted ? describe(wanted) : '';
      return {
        pointer: at(name),
        message: { key: 'problem.missing', params: { name, right: typeof is === 'string' ? is : JSON.stringify(is) } },
      };
    }
    case 'type':
      return { pointer: error.instancePath, message: { key: 'problem.type', params: { got: kindOf(error.data), right: shape } } };
    case 'enum':
      return {
        pointer: error.instancePath,
        message: { key: 'problem.enum', params: { got: String(error.data).slice(0, 80), right: shape } },
      };
    case 'minItems':
      return { pointer: error.instancePath, message: { key: 'problem.min_items', params: { count: Number(error.params.limit) } } };
    case 'maxItems':
    case 'maxLength':
      return { pointer: error.instancePath, message: { key: 'problem.too_long', params: { limit: Number(error.params.limit) } } };
    case 'minimum':
    case 'maximum':
      return {
        pointer: error.instancePath,
        message: { key: 'problem.range', params: { right: `${error.params.comparison} ${error.params.limit}` } },
      };
    case 'pattern':
    case 'minLength':
      return { pointer: error.instancePath, message: says ? { key: 'problem.says', params: { right: says } } : { key: 'problem.blank' } };
    default:
      return { pointer: error.instancePath, message: { key: 'problem.says', params: { right: says ?? shape } } };
  }
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'str' : typeof value;

/** Errors inside an `anyOf` say each branch; one line for the place is what a reader needs. */
function fold(errors: ErrorObject[]): Problem[] {
  const anyOf = errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath);
  const branch = (error: ErrorObject) =>
    error.keyword !== 'anyOf' && anyOf.some((path) => error.instancePath === path || error.instancePath.startsWith(`${path}/`));
  const kept = errors.filter((error) => !branch(error)).map(problemOf);
  return [...new Map(kept.map((problem) => [problem.pointer + problem.message.key, problem])).values()];
}

export interface ReadPayload {
  data: Payload;
  problems: Problem[];
  /** Keys that no schema knows; they are ignored, and said. */
  warnings: MessageRef[];
}

/**
 * Validates one payload against the schema of the table.
 * @param name schema in state/payloads.json
 * @returns the coerced data, and everything wrong with it (`problems` empty when it is valid)
 */
export function readPayload(sent: Payload, name: string, group: SchemaGroup = 'payloads'): ReadPayload {
  const schema = schemaOf(name, group);
  const data = coerce(applyAliases(sent, schema), schema) as Payload;
  const validate = validator(name, group);
  const problems = validate(data) ? [] : fold(validate.errors ?? []);
  const unknown = Object.keys(data).filter((key) => !(key in (schema.properties ?? {})));
  const warnings = unknown.slice(0, 10).map((key) => ({ key: 'warning.unknown_key', params: { key: key.slice(0, 80) } }));
  return { data, problems, warnings };
}

/** What the client may send as `data`: an object, or the JSON text of one. Anything else is null. */
export function asPayload(data: unknown): Payload | null {
  const value = typeof data === 'string' ? parsed(data) : data;
  return isObject(value) ? value : null;
}
