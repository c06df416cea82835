import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { effectTable } from '../../../mcp-server/src/guards/shell/effects.ts';
import { awkTables } from '../../../mcp-server/src/guards/shell/effects-tsv.ts';

const LIB = new URL('../../../hooks/lib/', import.meta.url);
const JSON_FILE = new URL('../../../state/shell-effects.json', import.meta.url);

test('the tables in hooks/lib are generated from state/shell-effects.json (UPDATE_SHELL_EFFECTS=1 writes them)', () => {
  const tables = awkTables();
  if (process.env.UPDATE_SHELL_EFFECTS === '1') for (const [name, text] of Object.entries(tables)) writeFileSync(new URL(name, LIB), text);
  for (const [name, text] of Object.entries(tables)) expect(readFileSync(new URL(name, LIB), 'utf8'), name).toBe(text);
  expect(readdirSync(LIB).filter((name) => name.endsWith('.tsv'))).toEqual(Object.keys(tables).sort());
});

test('no rule is lost between the tables, and a command has its rules in one of them', () => {
  const { rules } = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as { rules: Record<string, { cmd: string }[]> };
  const tables = Object.keys(rules).map((group) =>
    (awkTables()[`shell-effects-${group}.tsv`] ?? '').split('\n').filter((line) => line.startsWith('R\t')),
  );
  expect(tables.map(({ length }) => length)).toEqual(Object.values(rules).map(({ length }) => length));
  expect(tables.length).toBeGreaterThan(2);
  const commands = tables.flatMap((rows) => [...new Set(rows.flatMap((line) => (line.split('\t')[1] ?? '').split(' ')))]);
  expect(commands.filter((name, at) => commands.indexOf(name) !== at)).toEqual([]);
});

test('every field of the table is one that both layers read', () => {
  const fields = new Set(
    'cmd sub sub2 style values attach when unless files dir code chdir targets mode skip min max kind match notMatch notWord assign outs deep remote dashFree bundle modes afterDashes versions creates'.split(
      ' ',
    ),
  );
  const { rules, wrappers } = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as { rules: Record<string, object[]>; wrappers: object[] };
  for (const entry of [...Object.values(rules).flat(), ...wrappers])
    expect(Object.keys(entry).filter((field) => !fields.has(field))).toEqual([]);
});

test('a rule says what it writes', () => {
  for (const rules of effectTable().rules.values()) {
    for (const rule of rules) {
      const named = rule.files.size + rule.dir.size > 0 || rule.assign !== '' || rule.outs;
      expect(rule.targets !== 'none' || named, rule.name).toBe(true);
    }
  }
});

test('patterns mean the same in JavaScript and in awk', () => {
  const { rules } = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as { rules: Record<string, { match?: string; notMatch?: string }[]> };
  for (const { match = '', notMatch = '' } of Object.values(rules).flat())
    for (const pattern of [match, notMatch]) expect(pattern).not.toMatch(/\\|\(\?|\*\?|\+\?/);
});
