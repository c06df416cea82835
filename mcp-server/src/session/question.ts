/** Questions to the person. A dialogue shows a few lines only, so the question comes first, and each choice says what it means. */
import { fill, type Language, template } from '../messages/messages.ts';
import type { Answer, Edge } from './edge.ts';

/** Every question there is: its text is `question.<kind>`, what a choice means `question.<kind>.<choice>`. */
type Kind = 'escalation' | 'plan_escalation' | 'approval' | 'fingerprint' | 'stale_branches' | 'clean';

/** What the agent said is quoted in one line, as far as it fits one. */
const WORDS_CHARS = 300;

export interface Put {
  kind: Kind;
  choices: readonly string[];
  language: Language;
  params: Record<string, string | number>;
}

/** Puts a question to the person. Throws when the call itself is over. */
export function put(edge: Edge, { kind, choices, language, params }: Put): Promise<Answer> {
  const titles = choices.map((choice) => template(`question.${kind}.${choice}`, language));
  return edge.ask(fill(template(`question.${kind}`, language), params), choices, titles);
}

/** The agent's own words on a line of theirs, in quotation marks; nothing where it said nothing. */
export function quoted(words: string, language: Language): string {
  const line = words.replace(/\s+/g, ' ').trim();
  const text = line.length > WORDS_CHARS ? `${line.slice(0, WORDS_CHARS)}…` : line;
  return line === '' ? '' : fill(template('question.agent_words', language), { text });
}
