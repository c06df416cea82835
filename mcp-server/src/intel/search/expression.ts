/** Expressions as they are asked for: which JavaScript makes of them, and whether one line can hold a match. Pure. */

/**
 * An expression to be held against one line. With full Unicode where it can be read so, as `\p{Lu}` and `\u{1f600}` are meant.
 * @throws SyntaxError
 */
export function expressionOf(pattern: string, caseSensitive: boolean): RegExp {
  const flags = caseSensitive ? '' : 'i';
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    return new RegExp(pattern, flags);
  }
}

/** Whether an expression asks for a line break, outside of classes: no single line has one. */
export function asksForLineBreak(pattern: string): boolean {
  let inClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') {
      at++;
      if (!inClass && (pattern[at] === 'n' || pattern[at] === '\n')) return true;
    } else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '\n' && !inClass) return true;
  }
  return false;
}
