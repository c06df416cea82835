/** Globs as searches and claims use them: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of folders. */

import { classAt, exactly, type Matcher, matcherOf, NAME_CHAR, type Piece } from '../globs/match.ts';

export const isGlob = (text: string): boolean => /[*?[{]/.test(text);

const MAX_CHARS = 1000;

/** @returns a matcher of whole paths; one that fits nothing for a glob that cannot be read */
export function globMatcher(given: string): Matcher {
  const glob = given
    .slice(0, MAX_CHARS)
    .replace(/\*{3,}/g, '**')
    .replace(/(?:\*\*\/){2,}/g, '**/');
  let pieces: Piece[] = [];
  /** What stood before each open brace, and its alternatives so far. */
  const open: { before: Piece[]; branches: Piece[][] }[] = [];
  const close = (): void => {
    const brace = open.pop();
    if (brace) pieces = [...brace.before, { either: [...brace.branches, pieces] }];
  };
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? '';
    if (glob.startsWith('**/', at)) {
      pieces.push({ repeat: [{ of: NAME_CHAR, many: true }, exactly('/')] });
      at += 2;
    } else if (glob.startsWith('**', at)) {
      pieces.push({ of: '.', many: true });
      at += 1;
    } else if (char === '*') pieces.push({ of: NAME_CHAR, many: true });
    else if (char === '?') pieces.push({ of: NAME_CHAR });
    else if (char === '[') {
      const found = classAt(glob, at);
      pieces.push(found?.piece ?? exactly(char));
      at = found?.end ?? at;
    } else if (char === '{' && glob.includes('}', at)) {
      open.push({ before: pieces, branches: [] });
      pieces = [];
    } else if (char === '}' && open.length > 0) close();
    else if (char === ',' && open.length > 0) {
      open.at(-1)?.branches.push(pieces);
      pieces = [];
    } else pieces.push(exactly(char));
  }
  while (open.length > 0) close();
  return matcherOf(pieces);
}

/** The folder that a glob's matches all lie in: what stands before its first special character. */
export function globFolder(glob: string): string {
  const head = glob.slice(0, glob.search(/[*?[{]/));
  const slash = head.lastIndexOf('/');
  return slash < 0 ? '.' : head.slice(0, slash) || '/';
}
