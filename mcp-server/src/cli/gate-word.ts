/** What the state's gate is called in the reader's language. */
import { type Language, template } from '../messages/messages.ts';

/** @returns the word for an open or closed gate; anything else as it is */
export const gateWord = (gate: unknown, language: Language): string =>
  gate === 'open' || gate === 'closed' ? template(`cli.gate.${gate}`, language) : String(gate ?? '');
