import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalog } from '../../../mcp-server/src/guards/catalog.ts';
import { type Language, messageKeys, template } from '../../../mcp-server/src/messages/messages.ts';

const placeholders = (text: string): string[] => [...new Set(text.match(/\{[a-z_]+\}/g) ?? [])].sort();
const LANGUAGES: Language[] = ['en', 'ja'];

/** Values that hold no words, so that both languages may share them. */
const WORDLESS = /^[\s{}a-z_:./%-]*$/;

describe('the message files', () => {
  test('have the same keys in the same order', () => {
    expect(messageKeys('ja')).toEqual(messageKeys('en'));
  });

  test.each(messageKeys('en'))('%s has the same placeholders in both languages', (key) => {
    const [en, ja] = LANGUAGES.map((language) => template(key, language));
    expect(placeholders(ja ?? '')).toEqual(placeholders(en ?? ''));
  });

  test('are translated', () => {
    const same = messageKeys('en').filter((key) => template(key, 'ja') === template(key, 'en') && !WORDLESS.test(template(key, 'en')));
    expect(same).toEqual([]);
  });
});

describe('the guard catalog', () => {
  test.each(catalog.guards.map((guard) => [guard.id, guard] as const))('%s says the same in both languages', (_id, { message, remedy }) => {
    expect(placeholders(message.ja)).toEqual(placeholders(message.en));
    expect(placeholders(remedy.ja)).toEqual(placeholders(remedy.en));
    expect(message.ja).not.toBe(message.en);
  });
});

test('the manifest and package.json name the same version', () => {
  const version = (file: string) => (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version;
  expect(version('.claude-plugin/plugin.json')).toBe(version('package.json'));
});
