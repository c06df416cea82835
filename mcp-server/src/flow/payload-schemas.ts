/** The JSON Schemas of state/payloads.json, and the short form in which the model sees them. Loads no validator. */
import source from '../../../state/payloads.json' with { type: 'json' };

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
  'x-aliases'?: Record<string, string>;
  'x-says'?: string;
}

/** `payloads` of the phases, `tools` for the arguments of the MCP tools. */
export type SchemaGroup = 'payloads' | 'tools';

export const schemas = source as unknown as { $id: string; $defs: Record<string, Schema> } & Record<SchemaGroup, Record<string, Schema>>;

/** The schema of a kind of payload. @throws Error on an unknown name (a defect of the table). */
export function schemaOf(name: string, group: SchemaGroup = 'payloads'): Schema {
  const schema = schemas[group][name];
  if (!schema) throw new Error(`no schema ${name} in state/payloads.json`);
  return schema;
}

/** Follows a `$ref` into the shared definitions. */
export function deref(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  return schemas.$defs[schema.$ref.replace('#/$defs/', '')] ?? schema;
}

/** A schema without references, since a client sees it without the shared definitions. A text beside a `$ref` wins. */
export function selfContained(given: Schema): Schema {
  const { $ref: _ref, ...schema } = given.$ref ? { ...deref(given), ...given } : given;
  const inner = schema.properties && Object.entries(schema.properties).map(([key, value]) => [key, selfContained(value)] as const);
  return {
    ...schema,
    ...(inner ? { properties: Object.fromEntries(inner) } : {}),
    ...(schema.items ? { items: selfContained(schema.items) } : {}),
  };
}

export type Shape = string | [Shape] | { [key: string]: Shape };

/** A schema in the short form of `expected_payload`: "bool", "list[str]", nested objects, [object] for a list of them; optional keys end in "?". */
export function describe(given: Schema): Shape {
  const schema = deref(given);
  if (schema.enum) return schema.enum.join('|');
  if (schema.anyOf && !schema.properties) return describe(schema.anyOf[0] ?? {});
  if (schema.type === 'boolean') return 'bool';
  if (schema.type === 'integer') return 'int';
  if (schema.type === 'number') return 'number';
  if (schema.type === 'string') return 'str';
  if (schema.type === 'array') {
    const item = describe(schema.items ?? {});
    return typeof item === 'string' ? `list[${item}]` : [item];
  }
  if (!schema.properties) return 'object';
  const required = new Set(schema.required ?? []);
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, value]) => [required.has(key) ? key : `${key}?`, describe(value)]),
  );
}

/** `expected_payload` of a kind of payload, derived from the schema that validates it. */
export function expectedPayload(name: string): Record<string, Shape> {
  const shape = describe(schemaOf(name));
  return typeof shape === 'string' || Array.isArray(shape) ? {} : shape;
}
