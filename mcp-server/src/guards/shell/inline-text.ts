import { decodeEscapes } from './words.ts';

/** Program text whose strings and comments are blanked out, position for position. */
export interface MaskedProgram {
  code: string;
  masked: string;
}

/** Blanks strings and comments, so that calls and operators can be found without mistaking data for them. */
export function maskProgram(code: string, language: string): MaskedProgram {
  const out: string[] = [];
  const hash = language !== 'node';
  const slashes = language === 'node' || language === 'php';
  let at = 0;
  const blank = (end: number): void => {
    for (; at < end && at < code.length; at++) out.push(code[at] === '\n' ? '\n' : ' ');
  };
  while (at < code.length) {
    const char = code[at] ?? '';
    if (hash && char === '#' && (language !== 'perl' || /[\s;]|^$/.test(code[at - 1] ?? ''))) blank(lineEnd(code, at));
    else if (slashes && code.startsWith('//', at) && code[at - 1] !== ':') blank(lineEnd(code, at));
    else if (slashes && code.startsWith('/*', at)) blank(endOf(code, '*/', at + 2));
    else if (char === '"' || char === "'" || (char === '`' && language !== 'python')) {
      const end = stringEnd(code, at, language);
      out.push(char);
      at++;
      blank(end - 1);
      if (at < code.length) out.push(code[at++] ?? '');
    } else {
      out.push(char);
      at++;
    }
  }
  return { code, masked: out.join('') };
}

function lineEnd(code: string, at: number): number {
  const end = code.indexOf('\n', at);
  return end < 0 ? code.length : end;
}

function endOf(code: string, close: string, from: number): number {
  const end = code.indexOf(close, from);
  return end < 0 ? code.length : end + close.length;
}

/** The position after a string that starts at `start`. */
export function stringEnd(code: string, start: number, language: string): number {
  const quote = code[start] ?? '';
  const triple = quote.repeat(3);
  if (language === 'python' && code.startsWith(triple, start)) return endOf(code, triple, start + 3);
  const lines = language === 'python' || (language === 'node' && quote !== '`');
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === quote) return at + 1;
    else if (lines && code[at] === '\n') return at;
  }
  return code.length;
}

/** The position of the bracket that closes the one at `open`, in masked text. */
export function closing(masked: string, open: number): number {
  let depth = 0;
  for (let at = open; at < masked.length; at++) {
    const char = masked[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth === 0) return at;
  }
  return masked.length;
}

/** Where the expression ends that starts at `from`, in masked text. */
export function statementEnd(masked: string, from: number): number {
  let depth = 0;
  for (let at = from; at < masked.length; at++) {
    const char = masked[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth < 0) return at;
    else if (/["'`]/.test(char)) {
      // What stands in a string is blank.
      const end = masked.indexOf(char, at + 1);
      if (end > at) at = end;
    } else if (depth === 0 && /[;\n,:]/.test(char)) return at;
  }
  return masked.length;
}

/** Splits program text at a separator that stands outside brackets and strings. */
export function splitTop(code: string, separator: string, language: string): string[] {
  const { masked } = maskProgram(code, language);
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < masked.length; at++) {
    const char = masked[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (depth === 0 && char === separator) {
      pieces.push(code.slice(from, at));
      from = at + 1;
    }
  }
  pieces.push(code.slice(from));
  return pieces;
}

/** Rewrites what only hides a program's words: joined strings, decoded bytes, computed member names. */
export function fold(code: string): string {
  let text = code;
  for (let round = 0; round < 6; round++) {
    const before = text;
    text = text
      .replace(/\b(?:chr|String\.fromCharCode)\((\d{1,3})\)/g, (_all, value: string) => quoted(String.fromCharCode(Number(value))))
      .replace(/(?:bytes\.fromhex\(\s*['"]([0-9a-fA-F\s]*)['"]\s*\)\.decode\([^()]*\))/g, (_all, hex: string) => quoted(fromHex(hex)))
      .replace(
        /Buffer\.from\(\s*['"]([^'"]*)['"]\s*,\s*['"](base64|hex)['"]\s*\)\.toString\([^()]*\)/g,
        (_all, data: string, encoding: string) => quoted(Buffer.from(data, encoding === 'hex' ? 'hex' : 'base64').toString('utf8')),
      )
      .replace(/(?:base64\.)?b64decode\(\s*b?['"]([^'"]*)['"]\s*\)(?:\.decode\([^()]*\))?/g, (_all, data: string) =>
        quoted(fromBase64(data)),
      )
      .replace(/\batob\(\s*['"]([^'"]*)['"]\s*\)/g, (_all, data: string) => quoted(fromBase64(data)))
      .replace(/\bpack\(\s*['"]H\*['"]\s*,\s*['"]([0-9a-fA-F]*)['"]\s*\)/g, (_all, hex: string) => quoted(fromHex(hex)))
      .replace(/(['"])((?:(?!\1)[^\\\n])*)\1\s*\+\s*(['"])((?:(?!\3)[^\\\n])*)\3/g, (_all, _q1, left: string, _q3, right: string) =>
        quoted(left + right),
      )
      .replace(/__import__\(\s*['"](\w+)['"]\s*\)/g, '$1')
      .replace(/\bgetattr\(\s*([\w.]+)\s*,\s*['"](\w+)['"]\s*\)/g, '$1.$2')
      .replace(/(?<=[\w)\]])\[\s*['"]([A-Za-z_]\w*)['"]\s*\](?=\s*\()/g, '.$1');
    if (text === before) break;
  }
  return text;
}

/** A text as a string literal. */
export function quoted(text: string): string {
  return text.includes("'") ? `"${text.replace(/[\\"]/g, '\\$&')}"` : `'${text.replace(/\\/g, '\\\\')}'`;
}

function fromHex(hex: string): string {
  return Buffer.from(hex.replace(/\s/g, ''), 'hex').toString('utf8');
}

function fromBase64(data: string): string {
  return Buffer.from(data, 'base64').toString('utf8');
}

/** The value of a string literal without interpolation; null when the text is none. */
export function literalString(text: string): string | null {
  const match = /^([A-Za-z]{0,2})("""|'''|["'`])([\s\S]*)\2$/.exec(text);
  if (match === null) return null;
  const [, prefix = '', quote = '', body = ''] = match;
  if (quote.length === 1 && new RegExp(`(^|[^\\\\])(\\\\\\\\)*${quote}`).test(body)) return null;
  return /r/i.test(prefix) ? body : decodeEscapes(body);
}
