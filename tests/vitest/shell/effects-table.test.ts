import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { effectTable } from '../../../mcp-server/src/guards/shell/effects.ts';
import { effectsTsv } from '../../../mcp-server/src/guards/shell/effects-tsv.ts';

const TSV = new URL('../../../hooks/lib/shell-effects.tsv', import.meta.url);
const JSON_FILE = new URL('../../../state/shell-effects.json', import.meta.url);

test('hooks/lib/shell-effects.tsv is generated from state/shell-effects.json (UPDATE_SHELL_EFFECTS=1 writes it)', () => {
  if (process.env.UPDATE_SHELL_EFFECTS === '1') writeFileSync(TSV, effectsTsv());
  expect(readFileSync(TSV, 'utf8')).toBe(effectsTsv());
});

test('every field of the table is one that both layers read', () => {
  const fields = new Set(
    'cmd sub sub2 style values attach when unless files dir code chdir targets mode skip min max kind match notMatch notWord assign outs deep remote dashFree bundle modes afterDashes versions creates'.split(
      ' ',
    ),
  );
  const { rules, wrappers } = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as { rules: object[]; wrappers: object[] };
  for (const entry of [...rules, ...wrappers]) expect(Object.keys(entry).filter((field) => !fields.has(field))).toEqual([]);
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
  const { rules } = JSON.parse(readFileSync(JSON_FILE, 'utf8')) as { rules: { match?: string; notMatch?: string }[] };
  for (const { match = '', notMatch = '' } of rules)
    for (const pattern of [match, notMatch]) expect(pattern).not.toMatch(/\\|\(\?|\*\?|\+\?/);
});
