import Ajv from 'ajv';
import { expect, test } from 'vitest';
import { schemas } from '../../../mcp-server/src/flow/payload-schemas.ts';
import { SCHEMA as decision } from '../../../mcp-server/src/web/read-decision.ts';
import config from '../../../state/config.schema.json' with { type: 'json' };
import state from '../../../state/state.schema.json' with { type: 'json' };

/** The server takes these at their word (own-schemas.ts). */
const all: [string, object][] = [
  ['state/state.schema.json', state],
  ['state/config.schema.json', config],
  ["the dashboard's decisions", decision],
  ...(['payloads', 'tools', '$defs'] as const).flatMap((group) =>
    Object.entries(schemas[group]).map(([name, schema]): [string, object] => [`state/payloads.json ${group}/${name}`, schema]),
  ),
];

test.each(all)('%s is a JSON Schema, with no keyword that no one knows', (_name, schema) => {
  const ajv = new Ajv({ strictSchema: true, strictTypes: false, strictTuples: false });
  for (const keyword of ['x-aliases', 'x-says']) ajv.addKeyword(keyword);
  ajv.addSchema({ $id: 'shared', $defs: schemas.$defs });
  const own = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"shared#/$defs/'));
  expect(ajv.validateSchema(own), JSON.stringify(ajv.errors)).toBe(true);
  expect(() => ajv.compile(own)).not.toThrow();
});

test('a word that no schema knows would be found', () => {
  const ajv = new Ajv({ strictSchema: true });
  expect(() => ajv.compile({ type: 'object', propertees: {} })).toThrow('propertees');
});
