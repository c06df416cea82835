/** The one-line signature of a definition and the first sentence of its comment, taken from the text. Pure. */

const LONGEST = 160;
const LONGEST_DOC = 120;

const OPENING = '([';
const CLOSING = ')]';

/** Annotations in front of a Java or C# declaration, and export words, tell nothing that a reader needs. */
const NOISE = /^(?:@[\w.]+(?:\([^)]*\))?\s+|\[[^\]\n]*\]\s+|export\s+(?:default\s+)?|pub(?:\([^)]*\))?\s+(?=\w))+/;

/**
 * Everything up to the body: the first `{`, `:` (where `colon`), `=>`, or end of line outside of parentheses.
 * @param text the source from the definition's start
 */
export function signatureOf(text: string, colon: boolean): string {
  let depth = 0;
  let end = Math.min(text.length, 1000);
  for (let at = 0; at < end; at++) {
    const char = text[at] as string;
    if (OPENING.includes(char)) depth++;
    else if (CLOSING.includes(char)) depth--;
    else if (depth <= 0 && (char === '\n' || char === ';' || (char === '{' && at > 0) || (colon && char === ':'))) end = at;
  }
  const line = text
    .slice(0, end)
    .replace(/\s+/g, ' ')
    .replace(NOISE, '')
    .replace(/\s*(?:=>|=)?\s*$/, '');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

const COMMENT_LINE = /^\s*(?:\/\/[/!]?|#(?!\[|!|include|define)|\*(?!\/)|\/\*\*?|--)\s?(.*?)\s*(?:\*\/)?\s*$/;
const BETWEEN = /^\s*(?:@[\w.]+.*|#\[.*|\[[A-Z]\w*.*\]|template\s*<.*>|\*\/)\s*$/;
const NOTHING = /^(?:eslint|biome|prettier|noinspection|pylint|type:|@ts-|#region|[-=*#/]{3,})/i;

const firstSentence = (text: string): string => {
  const sentence = /^(.*?[.!?。])(?:\s|$)/.exec(text)?.[1] ?? text;
  return sentence.length > LONGEST_DOC ? `${sentence.slice(0, LONGEST_DOC - 1)}…` : sentence;
};

/** The comment that ends on the line before `line` (0-based), read upwards past decorators. */
function commentAbove(lines: readonly string[], line: number): string {
  const found: string[] = [];
  for (let at = line - 1; at >= 0 && at > line - 60; at--) {
    const text = lines[at] as string;
    if (BETWEEN.test(text) && found.length === 0) continue;
    const comment = COMMENT_LINE.exec(text);
    if (!comment) break;
    found.unshift(comment[1] ?? '');
    if (/^\s*\/\*/.test(text)) break;
  }
  return found.filter((text) => text !== '' && !NOTHING.test(text) && !text.startsWith('@')).join(' ');
}

/** A string that stands as the first statement below a Python signature. */
function docstringBelow(lines: readonly string[], line: number): string {
  for (let at = line; at < Math.min(lines.length, line + 12); at++) {
    const found = /^\s*[rRuU]?("""|'''|"|')(.*)$/.exec(lines[at] as string);
    if (!found) {
      if (at > line && /^\s*\w/.test(lines[at] as string) && !/[,(]\s*$|^\s*[\w*]+\s*[:,=)]/.test(lines[at] as string)) return '';
      continue;
    }
    const quote = found[1] as string;
    const first = (found[2] as string).split(quote)[0]?.trim() ?? '';
    return first !== '' ? first : (lines[at + 1]?.split(quote)[0]?.trim() ?? '');
  }
  return '';
}

/** @param line the definition's first line, 0-based */
export function docOf(lines: readonly string[], line: number, python: boolean): string {
  const doc = (python ? docstringBelow(lines, line) : '') || commentAbove(lines, line);
  return firstSentence(doc.replace(/\s+/g, ' ').trim());
}
