/** The message files, and filling in their placeholders. One place for every text that a person or a model reads. */
import en from '../../../state/messages/en.json' with { type: 'json' };
import ja from '../../../state/messages/ja.json' with { type: 'json' };
import type { MessageRef } from '../flow/types.ts';
import { fill } from './fill.ts';

export { fill };

export type Language = 'en' | 'ja';

const files: Record<Language, Record<string, string | string[]>> = { en, ja };

/** Whether the message files have this key. */
export function hasMessage(key: string, language: Language = 'en'): boolean {
  return key in files[language];
}

/** Keys of one language's file. */
export function messageKeys(language: Language): string[] {
  return Object.keys(files[language]);
}

/** The raw text of a key, lines joined. @throws Error on a key that no file has (a defect of the code). */
export function template(key: string, language: Language): string {
  const text = files[language][key] ?? files.en[key];
  if (text === undefined) throw new Error(`no message ${key}`);
  return Array.isArray(text) ? text.join('\n') : text;
}

/** A message that stands on the disk: a key that only a newer version knows is shown as it is. */
export const sayStored = (ref: MessageRef, language: Language): string => (hasMessage(ref.key) ? say(ref, language) : ref.key);

/** A message in the session's language. @throws Error on a key that no file has */
export function say(ref: MessageRef, language: Language): string {
  return fill(template(ref.key, language), ref.params);
}
