/** Colours for a terminal. They only mark what the words say, too. */
import { createColors } from 'picocolors';

export type Paint = ReturnType<typeof createColors>;

/** What a stream says of itself. */
interface Stream {
  isTTY?: boolean | undefined;
}

/**
 * Whether to colour what goes to a stream. FORCE_COLOR (other than 0) wins over NO_COLOR, as in Node itself; any NO_COLOR
 * that is not empty means no; else a terminal gets colours unless it is a dumb one.
 */
export function coloursFor(stream: Stream, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: term } = env;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return !none && term !== 'dumb' && stream.isTTY === true;
}

/** @returns functions that colour a text, or give it back as it is */
export const paintFor = (stream: Stream, env: NodeJS.ProcessEnv): Paint => createColors(coloursFor(stream, env));

/** What a terminal obeys, other than line ends, tabs and colours: texts of a model or of a commit may hold it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const CONTROLS = /\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;

/** A text that moves no cursor and changes no title or clipboard when it is printed. */
export const withoutControls = (text: string): string => text.replace(CONTROLS, '');
