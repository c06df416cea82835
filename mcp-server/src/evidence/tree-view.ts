/** How the checks of claims look at the real disk. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { absolutePath, type Kind, type TreeView } from './seen.ts';

/** Lines of a larger file are not counted. */
const MAX_BYTES = 32 * 1024 * 1024;

function kindOf(absolute: string): Kind | null {
  try {
    const stats = fs.statSync(absolute);
    return stats.isDirectory() ? 'folder' : 'file';
  } catch {
    // A link that leads nowhere is still there.
    return isThere(absolute) ? 'file' : null;
  }
}

function isThere(absolute: string): boolean {
  try {
    return fs.lstatSync(absolute, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realOf(absolute: string): string {
  try {
    return fs.realpathSync.native(absolute);
  } catch {
    return absolute;
  }
}

/** An editor shows one line more than there are line ends, unless the file ends with one; that last empty line counts, too. */
function linesOf(absolute: string): number | null {
  try {
    if (fs.statSync(absolute).size > MAX_BYTES) return null;
    return fs.readFileSync(absolute, 'utf8').split('\n').length;
  } catch {
    return null;
  }
}

function textOf(file: string): string {
  try {
    return fs.statSync(file).size > MAX_BYTES ? '' : fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** `@src/a.ts` in a text that the host expands. */
function mentioned(text: string, base: string, home: string): string[] {
  return [...text.matchAll(/(?:^|[\s(])@([^\s`'"()<>,;]+)/g)].map(([, name = '']) => absolutePath(name.replace(/[.:]+$/, ''), base, home));
}

const MEMORY = ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md'];

/** Files that the model has before it without any tool call: the host's memory files with what they import, and what the user's own words name with @. */
function givenFiles(root: string, home: string, words: readonly string[]): Set<string> {
  const given = new Set(words.flatMap((text) => mentioned(text, root, home)));
  const waiting = [...MEMORY.map((name) => path.join(root, name)), path.join(home, '.claude/CLAUDE.md')];
  for (let depth = 0; depth < 3; depth++) {
    for (const file of waiting.splice(0)) {
      if (given.has(file)) continue;
      given.add(file);
      waiting.push(...mentioned(textOf(file), path.dirname(file), home));
    }
  }
  return new Set([...given, ...[...given].map(realOf)]);
}

/** @param words the user's own words: prompt and request */
export function diskView(root: string, words: readonly string[]): TreeView {
  const home = os.homedir();
  const real = new Map<string, string>();
  return {
    root,
    home,
    kind: kindOf,
    lines: linesOf,
    given: givenFiles(root, home, words),
    real: (absolute) => {
      const known = real.get(absolute) ?? realOf(absolute);
      real.set(absolute, known);
      return known;
    },
  };
}
