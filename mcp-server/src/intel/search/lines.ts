/** The lines of one text that hold what is looked for. Pure. */
import { expressionOf } from './expression.ts';

export interface Needle {
  pattern: string;
  regex: boolean;
  /** Part of an expression that every match holds; files without it need no closer look. Empty for none. */
  literal: string;
}

export interface LineMatch {
  line: number;
  text: string;
  /** Which of the patterns. */
  needle: number;
  before?: string[];
  after?: string[];
}

const LONGEST = 240;
/** Matching lines of one file that are given back with their text. */
export const PER_FILE = 40;

/** Around the match, where a line is too long to show. */
export function excerpt(line: string, at: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min(at - 60, text.length - LONGEST));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + LONGEST)}…`;
}

/** A line by its place in the text, and where in it the match begins. */
interface Held {
  start: number;
  end: number;
  at: number;
}

/** All lines of a text that hold a needle, in order. */
export type Finder = (text: string) => Iterable<Held>;

const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

function lineEnd(text: string, from: number): number {
  const stop = text.indexOf('\n', from);
  return stop < 0 ? text.length : stop;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Plain text, which may go over lines: it counts for the one in which the first of it can be seen. */
function plainFinder(pattern: string, caseSensitive: boolean): Finder {
  const expression = caseSensitive ? null : new RegExp(escaped(pattern), 'gi');
  const next = (text: string, from: number): number => {
    if (!expression) return text.indexOf(pattern, from);
    expression.lastIndex = from;
    return expression.exec(text)?.index ?? -1;
  };
  const unseen = /^(?:\r?\n)*(?=[^\n])/.exec(pattern)?.[0].length ?? 0;
  return function* (text) {
    for (let from = 0; from < text.length; ) {
      const found = next(text, from);
      if (found < 0) return;
      const start = lineStart(text, found + unseen);
      const end = lineEnd(text, found + unseen);
      yield { start, end, at: found + unseen - start };
      from = Math.max(end - unseen, found) + 1;
    }
  };
}

/** An expression is held against one line after the other, as other programs do it: `^`, `$` and `\s` never see the next one. */
function expressionFinder({ pattern, literal }: Needle, caseSensitive: boolean): Finder {
  const expression = expressionOf(pattern, caseSensitive);
  const plain = caseSensitive ? literal : '';
  return function* (text) {
    // The mark in front is no part of the first line.
    for (let start = text.startsWith('\ufeff') ? 1 : 0; start < text.length; ) {
      if (plain !== '') {
        const found = text.indexOf(plain, start);
        if (found < 0) return;
        start = Math.max(start, lineStart(text, found));
      }
      const end = lineEnd(text, start);
      const match = expression.exec(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end));
      if (match) yield { start, end, at: match.index };
      start = end + 1;
    }
  };
}

/** @throws SyntaxError for an expression that cannot be read */
export const finderOf = (needle: Needle, caseSensitive: boolean): Finder =>
  needle.regex ? expressionFinder(needle, caseSensitive) : plainFinder(needle.pattern, caseSensitive);

/** Matching lines of one text, in order, each once for the first pattern that matches it; all are counted, few given back. */
export function linesIn(text: string, finders: readonly Finder[], context: number): { count: number; lines: LineMatch[] } {
  const found = new Map<number, Held & { needle: number }>();
  for (const [needle, find] of finders.entries())
    for (const held of find(text)) if (!found.has(held.start)) found.set(held.start, { ...held, needle });
  const ordered = [...found.values()].sort((a, b) => a.start - b.start);
  const lines: LineMatch[] = [];
  let line = 1;
  let counted = 0;
  const all = context > 0 && ordered.length > 0 ? text.replace(/\n$/, '').split('\n') : [];
  for (const { start, end, at, needle } of ordered.slice(0, PER_FILE)) {
    for (let next = text.indexOf('\n', counted); next >= 0 && next < start; next = text.indexOf('\n', counted)) {
      line++;
      counted = next + 1;
    }
    const match: LineMatch = { line, text: excerpt(text.slice(start, end), at), needle };
    if (context > 0) {
      match.before = all.slice(Math.max(0, line - 1 - context), line - 1).map((each) => excerpt(each, 0));
      match.after = all.slice(line, line + context).map((each) => excerpt(each, 0));
    }
    lines.push(match);
  }
  return { count: ordered.length, lines };
}
