/** Expressions of JavaScript as ripgrep writes them. Pure. */

/** Escapes that do not mean the same in both, or not in ASCII alone; and the same inside of a class. */
const SPACES = '\\t\\x0b\\x0c \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const KINDS: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: SPACES };
const OTHERS: Readonly<Record<string, string>> = { D: '0-9', W: '0-9A-Za-z_', S: SPACES };
const SAME: Readonly<Record<string, string>> = { t: '\\t', f: '\\x0c', v: '\\x0b' };
const DOT = '[^\\n\\r\\x{2028}\\x{2029}]';

const plain = (char: string): string => (/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(char) && !/[<>_]/.test(char) ? `\\${char}` : char);

/** A class from its bracket on: what ripgrep writes, and where it ends. Null where both might read it differently. */
function classAt(pattern: string, from: number): { text: string; end: number } | null {
  const negated = pattern[from + 1] === '^';
  let text = negated ? '[^' : '[';
  let at = from + (negated ? 2 : 1);
  const first = at;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    const char = pattern[at] as string;
    const next = pattern[at + 1] ?? '';
    if (char === '\\') {
      if (KINDS[next] !== undefined) text += KINDS[next];
      else if (SAME[next] !== undefined) text += SAME[next];
      else if (/\w/.test(next)) return null;
      else text += plain(next);
      at++;
    } else if (char === '-' && at > first && next !== ']') {
      // Only between two single letters or digits is it surely a range.
      if (!/[0-9A-Za-z]/.test(pattern[at - 1] as string) || !/[0-9A-Za-z]/.test(next) || pattern[at - 2] === '\\') return null;
      text += `-${next}`;
      at++;
      if (pattern[at + 1] === '-' && pattern[at + 2] !== ']') return null;
    } else if (/[\ud800-\udfff\n\r]/.test(char)) return null;
    else text += plain(char);
  }
  return at === first || at >= pattern.length ? null : { text: `${text}]`, end: at };
}

/**
 * The same expression for ripgrep. Cautious: whatever both might read differently is left to ours.
 * @returns null for that
 */
export function forRipgrep(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
  } catch {
    return null;
  }
  let text = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    const next = pattern[at + 1] ?? '';
    if (char === '\\') {
      if (KINDS[next] !== undefined) text += `[${KINDS[next]}]`;
      else if (OTHERS[next] !== undefined) text += `[^${OTHERS[next]}]`;
      else if (next === 'b' || next === 'B') text += `(?-u:\\${next})`;
      else if (SAME[next] !== undefined) text += SAME[next];
      else if (/\w/.test(next)) return null;
      else text += plain(next);
      at++;
    } else if (char === '[') {
      const made = classAt(pattern, at);
      if (made === null) return null;
      text += made.text;
      at = made.end;
    } else if (char === '(' && next === '?') {
      if (pattern[at + 2] !== ':') return null;
      text += '(?:';
      at += 2;
    } else if (char === '{') {
      const close = pattern.indexOf('}', at);
      text += pattern.slice(at, close + 1);
      at = close;
    } else if (char === '.') text += DOT;
    else if ('^$|()*+?'.includes(char)) text += char;
    else if (/[\n\r]/.test(char)) return null;
    else text += plain(char);
  }
  return text;
}
