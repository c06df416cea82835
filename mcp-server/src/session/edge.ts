/** What a session needs from the outside world, so that tests and the server give it the same way. */
import type { Language } from '../messages/messages.ts';

/** A question to the person; null when the client cannot ask or the person cancelled. */
export type AskPerson = (question: string, choices: readonly string[]) => Promise<string | null>;

export interface Edge {
  now: () => Date;
  /** The folder the host was started in. */
  projectDir: string;
  /** CLAUDE_CODE_SESSION_ID, where the host gives one. */
  owner: string | null;
  language: Language;
  ask: AskPerson;
}
