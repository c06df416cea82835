/** Which paths git ignores, by the work tree's own ignore files: no process start. In bash: is_ignored in hooks/lib/shell.sh. */
import fs from 'node:fs';
import { classAt, exactly, type Matcher, matcherOf, NAME_CHAR, type Piece } from '../globs/match.ts';
import { gitFolders, stat } from './path.ts';
import { effectTable } from './shell/effects.ts';
import { trackedOutput } from './tracked-output.ts';

interface Pattern {
  matcher: Matcher;
  negated: boolean;
  foldersOnly: boolean;
}

interface IgnoreFile {
  mtimeNs: bigint;
  size: bigint;
  patterns: readonly Pattern[];
}

const MAX_BYTES = 1024n * 1024n;
const MAX_FILES = 500;
const cache = new Map<string, IgnoreFile>();

const ANY_FOLDERS: Piece = { either: [[], [{ of: '.', many: true }, exactly('/')]] };

/** A gitignore glob as a matcher of a path relative to the file's folder. */
function matcherFor(glob: string): Matcher {
  const anchored = glob.slice(0, -1).includes('/');
  const pieces: Piece[] = anchored ? [] : [ANY_FOLDERS];
  const text = glob.replace(/^\//, '');
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (text.startsWith('**/', at)) {
      pieces.push(ANY_FOLDERS);
      at += 2;
    } else if (text.startsWith('**', at)) {
      pieces.push({ of: '.', many: true });
      at += 1;
    } else if (char === '*') pieces.push({ of: NAME_CHAR, many: true });
    else if (char === '?') pieces.push({ of: NAME_CHAR });
    else {
      const found = classAt(text, at);
      pieces.push(found?.piece ?? exactly(char === '\\' ? (text[++at] ?? '') : char));
      at = found?.end ?? at;
    }
  }
  return matcherOf(pieces);
}

function patternOf(line: string): Pattern[] {
  const text = line.replace(/\r$/, '').replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const negated = text.startsWith('!');
  const glob = negated ? text.slice(1) : text;
  const foldersOnly = glob.endsWith('/');
  return [{ matcher: matcherFor(foldersOnly ? glob.slice(0, -1) : glob), negated, foldersOnly }];
}

function patternsOf(file: string): readonly Pattern[] {
  const info = stat(file);
  if (!info?.isFile() || info.size > MAX_BYTES) return [];
  const known = cache.get(file);
  if (known && known.mtimeNs === info.mtimeNs && known.size === info.size) return known.patterns;
  let patterns: Pattern[] = [];
  try {
    patterns = fs.readFileSync(file, 'utf8').split('\n').flatMap(patternOf);
  } catch {
    return [];
  }
  if (cache.size >= MAX_FILES) cache.clear();
  cache.set(file, { mtimeNs: info.mtimeNs, size: info.size, patterns });
  return patterns;
}

/** What the last pattern that fits says; undefined when none does. */
function verdictOf(patterns: readonly Pattern[], relative: string, isLast: boolean): boolean | undefined {
  const found = patterns.findLast(({ matcher, foldersOnly }) => !(foldersOnly && isLast) && matcher.test(relative));
  return found && !found.negated;
}

/** Whether a path, or a folder above it, is ignored; the nearest ignore file that speaks of it decides. */
function isIgnored(root: string, exclude: string | null, segments: readonly string[]): boolean {
  for (let length = 1; length <= segments.length; length++) {
    const isLast = length === segments.length;
    let ignored: boolean | undefined;
    for (let depth = length - 1; depth >= 0 && ignored === undefined; depth--) {
      const folder = [root, ...segments.slice(0, depth)].join('/');
      ignored = verdictOf(patternsOf(`${folder}/.gitignore`), segments.slice(depth, length).join('/'), isLast);
    }
    if (exclude !== null) ignored ??= verdictOf(patternsOf(exclude), segments.slice(0, length).join('/'), isLast);
    if (ignored === true) return true;
  }
  return false;
}

/** Whether a path is build output by its name, and nothing that git tracks: that is somebody's work. */
function isOutput(root: string, segments: readonly string[]): boolean {
  const { ignored } = effectTable();
  return segments.some((name, at) => ignored.has(name) && !trackedOutput(root).has(segments.slice(0, at + 1).join('/')));
}

/**
 * A question about absolute paths of the work tree at `root`: does git ignore it, or is it build output by its name?
 * @param root a folder without a slash at its end
 */
export function ignoredIn(root: string): (absolute: string) => boolean {
  const shared = gitFolders(root).at(-1);
  const exclude = shared === undefined ? null : `${shared}/info/exclude`;
  return (absolute) => {
    if (!absolute.startsWith(`${root}/`)) return false;
    const segments = absolute.slice(root.length + 1).split('/');
    return isOutput(root, segments) || isIgnored(root, exclude, segments);
  };
}
