/** What a session needs from the outside world, so that tests and the server give it the same way. */
import type { Language } from '../messages/messages.ts';

/** What came back: a choice; `declined`, when the person would not choose; `unavailable`, when the client cannot ask or cancelled. */
export type Answer = { choice: string } | 'declined' | 'unavailable';

/** A question to the person; `titles` say what each choice means, in their order. Throws when the call itself is over. */
export type AskPerson = (question: string, choices: readonly string[], titles: readonly string[]) => Promise<Answer>;

export interface Edge {
  now: () => Date;
  /** The folder the host was started in. */
  projectDir: string;
  /** CLAUDE_CODE_SESSION_ID, where the host gives one. */
  owner: string | null;
  language: Language;
  ask: AskPerson;
  /** Tells the client how far a long call came, where it asked to be told. */
  tell?: ((done: number, total: number) => void) | undefined;
}
