/** Words that are the shell's own where a command begins. */
import type { Source } from './source.ts';

const RESERVED = /(?:if|then|else|elif|fi|for|select|while|until|do|done|case|in|esac|function|coproc|time|[{}!]|\[\[)(?=[\s;&|()<>]|$)/y;
/** What makes a `time` before it the shell's own word; its options there, and the head of a function. */
const AFTER_TIME = new Set(['!', 'time', '{', '[[', 'if', 'for', 'select', 'while', 'until', 'case', 'coproc', 'function']);
const TIME_OPTIONS = [/-p(?=[ \t])/y, /--(?=[ \t])/y];
const DEFINED = /[A-Za-z_][\w-]*[ \t]*\([ \t]*\)/y;

/** The unquoted plain word here, without consuming it; empty for any other word. */
export const reservedAt = (source: Source): string => source.match(RESERVED)?.[0] ?? '';

/** The length of a `!`, or of a `time` before what only the shell's own grammar knows; before a simple command it is a wrapper like others. */
export function prefixAt(source: Source): number {
  const word = reservedAt(source);
  if (word === '!') return 1;
  if (word !== 'time') return 0;
  const start = source.position;
  source.position += word.length;
  source.skipBlanks();
  for (const option of TIME_OPTIONS) {
    source.position += source.match(option)?.[0].length ?? 0;
    source.skipBlanks();
  }
  const length = source.position - start;
  const grammar = source.peek() === '(' || AFTER_TIME.has(reservedAt(source)) || source.match(DEFINED) !== null;
  source.position = start;
  return grammar ? length : 0;
}
