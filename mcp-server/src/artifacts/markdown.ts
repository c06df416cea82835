/** As much of Markdown as artifacts need: headings with what stands under them, list items, and lines outside code blocks. Pure. */

export interface Line {
  /** From 1. */
  number: number;
  text: string;
  /** Part of a fenced code block: no heading, no item, no verdict. */
  code: boolean;
}

export interface Section {
  title: string;
  level: number;
  line: number;
  /** Everything up to the next heading of the same or a higher level. */
  lines: Line[];
}

/** No part of it can match what its neighbour matches: an artifact of blanks must not keep the server busy. */
const HEADING = /^ {0,3}(#{1,6})\s(.*)$/;

/** A title without the blanks around it and the number signs that may close it. */
function titleOf(text: string): string {
  const title = text.trim();
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return title.slice(0, end).trim();
}
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The lines of a text, those of code blocks marked. A fence that is never closed reaches to the end, as in Markdown. */
export function linesOf(text: string): Line[] {
  let fence = '';
  return text.split(/\r?\n/).map((line, index) => {
    const mark = FENCE.exec(line)?.[1] ?? '';
    const inside = fence !== '';
    if (!inside) fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = '';
    return { number: index + 1, text: line, code: inside || mark !== '' };
  });
}

/** Sections of one level, or of every level. */
export function sectionsOf(lines: readonly Line[], level?: number): Section[] {
  const open: Section[] = [];
  const found: Section[] = [];
  for (const line of lines) {
    const heading = line.code ? null : HEADING.exec(line.text);
    const depth = heading?.[1]?.length ?? 0;
    while (heading && open.length > 0 && (open.at(-1)?.level ?? 0) >= depth) open.pop();
    for (const section of open) section.lines.push(line);
    if (!heading) continue;
    const section: Section = { title: titleOf(heading[2] ?? ''), level: depth, line: line.number, lines: [] };
    open.push(section);
    if (level === undefined || level === depth) found.push(section);
  }
  return found;
}

const plain = (text: string): string => text.replace(/[*_`]/g, '').trim().toLowerCase();

/** The section under a heading of the second level, by its title; markup and case do not matter. */
export const sectionNamed = (lines: readonly Line[], title: string): Section[] =>
  sectionsOf(lines, 2).filter((section) => plain(section.title) === plain(title));

/** A text without its comments; one that is never closed is none. Searched with indexOf: an expression would go over the rest for each that begins. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf('<!--', from);
    const end = begin < 0 ? -1 : text.indexOf('-->', begin + 4);
    if (end < 0) return kept.join('') + text.slice(from);
    kept.push(text.slice(from, begin));
    from = end + 3;
  }
}

/** Whether anything is said: code counts, rules, empty items, sub-headings and comments alone do not. */
export const saysSomething = ({ lines }: Section): boolean =>
  /[\p{L}\p{N}]/u.test(
    withoutComments(
      lines
        .filter(({ text, code }) => code || !HEADING.test(text))
        .map(({ text }) => text)
        .join('\n'),
    ),
  );

/** What follows the first blank; the rest of the blanks is cut off by hand, since two parts that match them would share a line in every way there is. */
const ITEM = /^ ?(?:[-*+]|\d{1,4}[.)])\s(.*)/s;

/** First lines of the list items of the outermost level. */
export const itemsOf = ({ lines }: Section): { line: number; text: string }[] =>
  lines.flatMap(({ text, code, number }) => {
    const item = code ? undefined : ITEM.exec(text)?.[1]?.trim();
    return item ? [{ line: number, text: item }] : [];
  });
