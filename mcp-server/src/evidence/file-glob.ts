/** Globs as searches and claims use them: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders. */

export const isGlob = (text: string): boolean => /[*?[{]/.test(text);

const MAX_CHARS = 1000;

function classAt(glob: string, at: number): { source: string; end: number } | null {
  const end = glob.indexOf(']', at + 2);
  if (end < 0) return null;
  const inner = glob.slice(at + 1, end).replace(/\\/g, '\\\\');
  return { source: `[${inner.startsWith('!') ? `^${inner.slice(1)}` : inner}]`, end };
}

/** @returns the expression for whole paths; one that matches nothing for a glob that cannot be read */
export function globExpression(given: string): RegExp {
  // Repeated stars mean the same as one, and would make the expression slow.
  const glob = given
    .slice(0, MAX_CHARS)
    .replace(/\*{3,}/g, '**')
    .replace(/(?:\*\*\/){2,}/g, '**/');
  let source = '';
  let braces = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? '';
    if (glob.startsWith('**/', at)) {
      source += '(?:[^/]*/)*';
      at += 2;
    } else if (glob.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const found = classAt(glob, at);
      source += found?.source ?? '\\[';
      at = found?.end ?? at;
    } else if (char === '{' && glob.includes('}', at)) {
      source += '(?:';
      braces++;
    } else if (char === '}' && braces > 0) {
      source += ')';
      braces--;
    } else if (char === ',' && braces > 0) source += '|';
    else source += char.replace(/[.+^${}()|\\\]]/, '\\$&');
  }
  try {
    return new RegExp(`^${source}${')'.repeat(braces)}$`, 's');
  } catch {
    return /^\b$/;
  }
}

/** The folder that a glob's matches all lie in: what stands before its first special character. */
export function globFolder(glob: string): string {
  const head = glob.slice(0, glob.search(/[*?[{]/));
  const slash = head.lastIndexOf('/');
  return slash < 0 ? '.' : head.slice(0, slash) || '/';
}
