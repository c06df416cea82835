/**
 * Values as far as they can be known: ordinary text in which private-use characters stand for what the shell would fill in.
 * A value is so always a plain string, and knowing less never needs another type.
 */
import { classAt, exactly, type Matcher, matcherOf, NAME_CHAR, type Piece } from '../../globs/match.ts';

export const UNKNOWN = '\uE000';
const STAR = '\uE001';
const ANY_ONE = '\uE002';
const BRACKET = '\uE003';
const OPEN_BRACE = '\uE005';
const COMMA = '\uE006';
const CLOSE_BRACE = '\uE007';
/** Unknown, and standing for values that were cut off: what it names may be anything the command says. */
export const CUT = `${UNKNOWN}\uE004`;
/** Any path below a folder, however deep. */
export const BELOW = `${STAR}${UNKNOWN}`;
/** An unknown name without a slash, such as a hash or a base name: relative for sure. */
export const UNKNOWN_NAME = `x${UNKNOWN}`;

const MARK: Record<string, string> = { '*': STAR, '?': ANY_ONE, '[': BRACKET, '{': OPEN_BRACE, ',': COMMA, '}': CLOSE_BRACE };
const UNMARK: Record<string, string> = { [STAR]: '*', [ANY_ONE]: '?', [BRACKET]: '[', [OPEN_BRACE]: '{', [COMMA]: ',', [CLOSE_BRACE]: '}' };

/** Text from the command itself must not contain our marks. */
export function literal(text: string): string {
  return /[\uE000-\uE007]/.test(text) ? text.replace(/[\uE000-\uE007]/g, '\uFFFD') : text;
}

/** Unquoted text: its globs and braces act. */
export function active(text: string): string {
  return text.replace(/[*?[{,}]/g, (char) => MARK[char] ?? char);
}

/** The globs in a split value act, its braces do not. */
export function activeGlobs(text: string): string {
  return text.replace(/[*?[]/g, (char) => MARK[char] ?? char);
}

/** The value as text, with globs written out again; unknown pieces stay marked. */
export function plain(value: string): string {
  return value.replace(/[\uE001-\uE007]/g, (char) => UNMARK[char] ?? char);
}

/** Nothing is known, or what was known is cut off. */
export function unknownLike(value: string): string {
  return value.includes(CUT) ? CUT : UNKNOWN;
}

export function isKnown(value: string): boolean {
  return !value.includes(UNKNOWN);
}

export function hasGlob(value: string): boolean {
  return /[\uE001-\uE003]/.test(value);
}

/** A matcher for a glob value, for one path segment. */
export function globPattern(value: string): Matcher {
  const text = plain(value.replace(/\uE000\uE004?/g, STAR)).replace(/\*+/g, '*');
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    const found = classAt(text, at);
    if (char === '*') pieces.push({ of: NAME_CHAR, many: true });
    else pieces.push(char === '?' ? { of: NAME_CHAR } : (found?.piece ?? exactly(char)));
    at = found?.end ?? at;
  }
  return matcherOf(pieces);
}

const MAX_BRACED = 128;

/** Brace expansion of one word; braces that expand to nothing become plain text again. */
export function expandBraces(word: string, limit = MAX_BRACED): string[] {
  if (!word.includes(OPEN_BRACE)) return [plainBraces(word)];
  const open = word.indexOf(OPEN_BRACE);
  let depth = 0;
  let from = open + 1;
  const pieces: string[] = [];
  for (let at = open; at < word.length; at++) {
    const char = word[at];
    if (char === OPEN_BRACE) depth++;
    else if (char === COMMA && depth === 1) {
      pieces.push(word.slice(from, at));
      from = at + 1;
    } else if (char === CLOSE_BRACE && --depth === 0) {
      pieces.push(word.slice(from, at));
      const choices = pieces.length > 1 ? pieces : sequence(pieces[0] ?? '');
      const head = plainBraces(word.slice(0, open));
      const tail = word.slice(at + 1);
      if (choices === null) return expandBraces(tail, limit).map((rest) => `${head}{${plainBraces(pieces[0] ?? '')}}${rest}`);
      const results: string[] = [];
      const rests = expandBraces(tail, limit);
      for (const choice of choices) {
        for (const middle of expandBraces(choice, limit)) {
          for (const rest of rests) {
            if (results.length >= limit) return [...results, CUT];
            results.push(head + middle + rest);
          }
        }
      }
      return results;
    }
  }
  return [`${plainBraces(word.slice(0, open))}{${plainBraces(word.slice(open + 1))}`];
}

function plainBraces(text: string): string {
  return text.replace(/[\uE005-\uE007]/g, (char) => UNMARK[char] ?? char);
}

function sequence(text: string): string[] | null {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text);
  if (match === null) return null;
  const [, from = '', to = ''] = match;
  const numeric = /\d/.test(from);
  const first = numeric ? Number(from) : from.charCodeAt(0);
  const last = numeric ? Number(to) : to.charCodeAt(0);
  const items: string[] = [];
  for (let at = first; items.length < MAX_BRACED; at += Math.sign(last - first) || 1) {
    items.push(numeric ? String(at) : String.fromCharCode(at));
    if (at === last) break;
  }
  return items;
}

/** A word as shell text that stands for itself. */
export function quote(word: string): string {
  return /^[\w./:=@%+,\uE000-\uE007-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
