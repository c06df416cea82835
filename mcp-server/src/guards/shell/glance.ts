import { effectTable } from './effects.ts';

let writers: ReadonlySet<string> | null = null;

/** Commands that write whatever their options. */
function writersOf(): ReadonlySet<string> {
  writers ??= new Set(
    [...effectTable().rules]
      .filter(([, rules]) =>
        rules.some(({ sub, when, match, targets, min }) => sub.size + when.size === 0 && match === null && targets !== 'none' && min < 2),
      )
      .map(([name]) => name),
  );
  return writers;
}

const WORD = /(?:^|[\s;&|(`{!'"/])([A-Za-z][\w.-]*)(?=\s)/g;
const REDIRECTION = />>?\|?\s*(?![&>|\s]|\/dev\/|\/tmp\/|\d)[^\s]/;

/**
 * Whether a text that is nested too deeply to be read shows a write: a writing command, or a redirection to a file.
 * @param code the command's text
 */
export function showsWrite(code: string): boolean {
  if (REDIRECTION.test(code)) return true;
  for (const [, name = ''] of code.matchAll(WORD)) if (writersOf().has(name)) return true;
  return false;
}
