import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import en from '../../../state/messages/en.json' with { type: 'json' };
import ja from '../../../state/messages/ja.json' with { type: 'json' };
import phases from '../../../state/phases.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../..', import.meta.url));

function filesBelow(folder: string, endings: string[]): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => endings.includes(extname(name)) && !name.startsWith('messages')).map((name) => join(root, folder, name));
}

const sources = [
  ...filesBelow('mcp-server/src', ['.ts', '.tsx']),
  ...filesBelow('state', ['.json']),
  ...filesBelow('hooks', ['.sh', '.jq', '.json']),
];
const withoutComments = (text: string): string => text.replace(/\/\*\*[\s\S]*?\*\//g, '');
const code = sources.map((file) => withoutComments(readFileSync(file, 'utf8'))).join('\n');

const messages: Record<string, string | string[]> = en;
const keys = Object.keys(messages);
const families = [...new Set(keys.map((key) => key.split('.')[0] ?? ''))];

/** The same in bash, where keys stand without quotes. */
const scripts = [...filesBelow('hooks', ['.sh']), join(root, 'bin/readygate')].map((file) => readFileSync(file, 'utf8')).join('\n');
const inScripts = [...scripts.matchAll(/\b(?:hook|statusline)\.[a-z_]+(?:\.[a-z_]+)*(?=["\s]|$)/gm)].map(([key]) => key);
const begunInScripts = [...scripts.matchAll(/\b(hook(?:\.[a-z_]+)*\.)\$/g)].map((match) => match[1] ?? '');

/** Keys that stand in the code as they are. */
const literal = new Set([
  ...inScripts,
  ...[...code.matchAll(new RegExp(`['"\`]((?:${families.join('|')})(?:\\.[A-Za-z0-9_-]+)+)['"\`]`, 'g'))].map((match) => match[1] ?? ''),
]);

/** Beginnings and ends of keys that the code puts together: `instruction.${node}`, `${summary}.help`. */
const beginnings = [...begunInScripts, ...[...code.matchAll(/`([a-z_]+(?:\.[A-Za-z_]+)*\.)\$\{/g)].map((match) => match[1] ?? '')];
const ends = [...code.matchAll(/\$\{[^`}]+\}(\.[a-z_]+)`/g)].map((match) => match[1] ?? '');

const isUsed = (key: string): boolean =>
  literal.has(key) ||
  beginnings.some((beginning) => key.startsWith(beginning)) ||
  ends.some((end) => key.endsWith(end) && isUsed(key.slice(0, -end.length)));

describe('the message files', () => {
  test('have every key that the code names', () => {
    expect([...literal].filter((key) => !(key in messages) && !/\.(cjs|json|md|sh|ts)$/.test(key))).toEqual([]);
  });

  test('have no key that nobody uses', () => {
    expect(keys.filter((key) => !isUsed(key))).toEqual([]);
  });

  test('have texts of one line for scripts, which read the files line by line', () => {
    const used = keys.filter((key) => /^(?:hook|statusline)\./.test(key));
    expect(used.filter((key) => typeof messages[key] !== 'string' || String(messages[key]).includes('\n'))).toEqual([]);
    // The status line reads only the top of each file.
    expect(keys.slice(0, 5).every((key) => key.startsWith('statusline.'))).toBe(true);
  });

  test('have an instruction for every step of the flow, and a reason for every way back to planning', () => {
    for (const node of [...Object.keys(phases.nodes), 'SESSION_COMPLETE']) expect(keys).toContain(`instruction.${node}`);
    for (const from of ['POST_IMPL_VERIFY', 'VERIFY_INTERVENTION', 'QUALITY_REVIEW', 'MERGE', 'MERGE.clean', 'PRE_COMMIT'])
      expect(keys).toContain(`part.reason.${from}`);
  });

  test('have the same keys and placeholders in every language', () => {
    const other: Record<string, string | string[]> = ja;
    const places = (text: string | string[] | undefined) => [...String(text).matchAll(/\{[a-z_]+\}/g)].map(([place]) => place).sort();
    expect(Object.keys(other)).toEqual(keys);
    for (const key of keys) expect(places(other[key]), key).toEqual(places(messages[key]));
  });
});
