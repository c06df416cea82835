/** From what the model sent to a payload that the engine may read: aliases, coercion, ajv, and the shape shown to the model. */
import type Ajv from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { ownSchemas } from '../own-schemas.ts';
import { deref, describe, type Schema, type SchemaGroup, schemaOf, schemas } from './payload-schemas.ts';
import { pointerTo, problem } from './problem.ts';
import type { MessageRef, Payload, Problem } from './types.ts';

/** A longer payload is refused before anything else reads it. */
export const MAX_PAYLOAD_CHARS = 512 * 1024;

let ajv: Ajv | null = null;
const compiled = new Map<string, ValidateFunction>();

/** Compiled at first use: a server that only answers tools/list never pays for it. */
function validator(name: string, group: SchemaGroup): ValidateFunction {
  const ready = compiled.get(`${group}/${name}`);
  if (ready) return ready;
  ajv ??= ownSchemas({ allErrors: true, verbose: true, schemas: [schemas as object] });
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

/** What came up while a payload was read: pointers of keys that no schema knows (left out), and lists that are too long. */
interface Found {
  unknown: string[];
  tooLong: Problem[];
}

/** Reads one value as its schema wants it. */
function read(value: unknown, given: Schema, found: Found, at = ''): unknown {
  const schema = deref(given);
  if (typeof value === 'string') {
    const meant = coerced(value, schema);
    return typeof meant === 'object' ? read(meant, schema, found, at) : meant;
  }
  if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (value.length > maxItems) found.tooLong.push(problem(at, 'problem.too_long', { limit: maxItems }));
    else if (items) return value.map((item, index) => read(item, items, found, `${at}/${index}`));
    return value;
  }
  if (!isObject(value)) return value;
  if (schema.properties) return readObject(value, schema, found, at);
  const form = schema.anyOf?.map(deref).find((branch) => branch.type === 'object');
  return form ? read(value, form, found, at) : value;
}

/** Turns "true", "[…]", "{…}" and "3" into what the schema wants where that is the only reading; everything else stays. */
function coerced(value: string, { type }: Schema): unknown {
  const text = value.trim();
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  const wanted = type === 'array' ? '[' : type === 'object' ? '{' : null;
  const inner = wanted && text.startsWith(wanted) ? parsed(text) : undefined;
  return inner === undefined ? value : inner;
}

/** Aliases are older names; where both stand, the present one counts. */
function readObject(value: Payload, schema: Schema, found: Found, at: string): Payload {
  const { properties = {}, 'x-aliases': aliases = {} } = schema;
  const out: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const name = (Object.hasOwn(aliases, key) && aliases[key]) || key;
    if (name !== key && Object.hasOwn(value, name)) continue;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) out.push([name, read(item, property, found, `${at}/${key}`)]);
    else found.unknown.push(at + pointerTo(key));
  }
  return Object.fromEntries(out);
}

/** What is right, in words: the short form of a schema and what it says about itself. */
function rightOf(schema: Schema | undefined): string {
  if (!schema) return '';
  const forms = schema.anyOf && !schema.properties ? schema.anyOf.map(describe) : [describe(schema)];
  const shape = forms.map((form) => (typeof form === 'string' ? form : JSON.stringify(form))).join(' or ');
  const says = deref(schema)['x-says'];
  return says ? `${shape}, ${says}` : shape;
}

function problemOf({ keyword, instancePath, params, parentSchema, data }: ErrorObject): Problem {
  const schema = parentSchema as Schema | undefined;
  const right = rightOf(schema);
  switch (keyword) {
    case 'required': {
      const name = String(params.missingProperty);
      return problem(instancePath + pointerTo(name), 'problem.missing', { name, right: rightOf(schema?.properties?.[name]) });
    }
    case 'anyOf':
      if (schema?.['x-says']) return problem(instancePath, 'problem.says', { right });
      return problem(instancePath, 'problem.type', { got: typeName(data), right });
    case 'type':
      return problem(instancePath, 'problem.type', { got: typeName(data), right });
    case 'enum':
      return problem(instancePath, 'problem.enum', { got: (typeof data === 'string' ? data : JSON.stringify(data)).slice(0, 80), right });
    case 'minItems':
      return problem(instancePath, 'problem.min_items', { count: Number(params.limit) });
    case 'maxLength':
      return problem(instancePath, 'problem.too_long', { limit: Number(params.limit) });
    case 'minimum':
    case 'maximum':
      return problem(instancePath, 'problem.range', { right: `${params.comparison} ${params.limit}` });
    case 'pattern':
    case 'minLength':
      return schema?.['x-says'] ? problem(instancePath, 'problem.says', { right }) : problem(instancePath, 'problem.blank');
    default:
      return problem(instancePath, 'problem.says', { right });
  }
}

const typeName = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'str' : typeof value;

/** More than this nobody reads, and it keeps a payload of nothing but errors cheap. */
const MAX_ERRORS = 500;

/** An `anyOf` fails with the errors of every form; only those of the form that was meant are told, or else the choice itself. */
function fold(all: ErrorObject[]): Problem[] {
  const errors = all.slice(0, MAX_ERRORS);
  const told = new Set(errors);
  for (const choice of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const path = choice.instancePath;
    const saysItself = Boolean((choice.parentSchema as Schema | undefined)?.['x-says']);
    const forms = errors.filter((error) =>
      saysItself
        ? error.schemaPath.startsWith(`${choice.schemaPath}/`)
        : error !== choice && `${error.instancePath}/`.startsWith(`${path}/`),
    );
    const meant = saysItself ? [] : forms.filter(({ keyword, instancePath }) => keyword !== 'type' || instancePath !== path);
    for (const error of forms) if (!meant.includes(error)) told.delete(error);
    if (meant.length > 0) told.delete(choice);
  }
  const problems = [...told].map(problemOf);
  return [...new Map(problems.map((each) => [each.pointer + each.message.key, each])).values()];
}

export interface ReadPayload {
  data: Payload;
  problems: Problem[];
  /** Keys that no schema knows; they are left out of `data`, and said. */
  warnings: MessageRef[];
}

/** Where a phase requires nothing, a payload of which it knows no key was meant for another one. */
function otherPhase(sent: Payload, data: Payload, group: SchemaGroup): Problem[] {
  const foreign = group === 'payloads' && Object.keys(sent).length > 0 && Object.keys(data).length === 0;
  return foreign
    ? [{ pointer: '', message: { key: 'problem.other_phase', params: { keys: Object.keys(sent).slice(0, 5).join(', ').slice(0, 200) } } }]
    : [];
}

/**
 * Validates one payload against the schema of the table.
 * @param name schema in state/payloads.json
 * @returns the coerced data, and everything wrong with it (`problems` empty when it is valid)
 */
export function readPayload(sent: Payload, name: string, group: SchemaGroup = 'payloads'): ReadPayload {
  const found: Found = { unknown: [], tooLong: [] };
  const data = read(sent, schemaOf(name, group), found) as Payload;
  const validate = validator(name, group);
  // Ajv's time grows with the square of a list's wrong elements, so it never sees a list that is too long.
  const problems = found.tooLong.length > 0 ? found.tooLong : validate(data) ? otherPhase(sent, data, group) : fold(validate.errors ?? []);
  const warnings = found.unknown.slice(0, 10).map((pointer) => ({ key: 'warning.unknown_key', params: { key: pointer.slice(1, 81) } }));
  return { data, problems, warnings };
}

/** What the client may send as `data`: an object, or the JSON text of one. Anything else is null. */
export function asPayload(data: unknown): Payload | null {
  const value = typeof data === 'string' ? parsed(data) : data;
  return isObject(value) ? value : null;
}
