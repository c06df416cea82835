import { expect, test } from 'vitest';
import { fill } from '../../../mcp-server/src/messages/fill.ts';
import { type Language, messageKeys, template } from '../../../mcp-server/src/messages/messages.ts';

test.each([
  ['{count} {count:file|files}', { count: 1 }, '1 file'],
  ['{count} {count:file|files}', { count: 2 }, '2 files'],
  ['{count} {count:file|files}', { count: 0 }, '0 files'],
  ['{count} {count:file|files}', { count: '1' }, '1 file'],
  ['{count} {count:file was|files were} left: {a}', { count: 1, a: '{count:x|y}' }, '1 file was left: {count:x|y}'],
  ['{n:|s}', { n: 2 }, 's'],
  ['send {"resolve_changes": "undo"} or {other} {other:a|b}', {}, 'send {"resolve_changes": "undo"} or {other} {other:a|b}'],
])('%s with %o is %s', (text, params, filled) => {
  expect(fill(text, params)).toBe(filled);
});

test.each(['en', 'ja'] as const)('%s: a word that goes with a number stands beside that number', (language: Language) => {
  const without = messageKeys(language).filter((key) => {
    const text = template(key, language);
    return [...text.matchAll(/\{([a-z_]+):[^{}]*\|[^{}]*\}/g)].some(([, name]) => !text.includes(`{${name}}`));
  });
  expect(without).toEqual([]);
});
