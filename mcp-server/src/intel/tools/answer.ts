/** The short answers of the tools: the same rows as text and as structure, cut to a size, and saying how much was cut. */
import { fill, type Language, template } from '../../messages/messages.ts';

/** One row: a line of text (or a few), and the same as data. */
export interface Row {
  text: string;
  data: Record<string, unknown>;
  /** The file that the row shows: it counts as seen. */
  path?: string | undefined;
}

export interface Draft {
  /** The first line. */
  head: string;
  rows: Row[];
  /** How many there are, where more were found than rows were made. */
  total?: number;
  notes?: string[];
  /** More data beside the rows. */
  extra?: Record<string, unknown>;
  /** Bytes; the caller asked for more than usual. */
  budget?: number;
}

export interface Answer {
  text: string;
  /** What the client gets as structure, and shows the model in place of the text: the same rows, without a name for every part. */
  wire: Record<string, unknown>;
  /** The rows in their parts. */
  data: Record<string, unknown>;
  /** Files that the answer showed. */
  paths: string[];
}

/** What the model did wrong, in the words of a message. */
export class ToolProblem extends Error {
  readonly key: string;
  readonly params: Record<string, string | number>;

  constructor(key: string, params: Record<string, string | number> = {}) {
    super(key);
    this.key = key;
    this.params = params;
  }
}

/** Text and structure stay under 4 KB each, with room for the notes. */
export const BUDGET = 3900;
const NOTES = 700;
export const MORE_BUDGET = 16_000;

export const say = (language: Language, key: string, params: Record<string, string | number> = {}): string =>
  fill(template(key, language), params);

const bytes = (text: string): number => Buffer.byteLength(text);

/** Cuts a line of somebody's file to what an answer can bear. */
export function cutLine(text: string, longest = 200): string {
  const line = text.replace(/[\t ]+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** Rows until the budget is spent, and a note of how many are left out. */
export function compose(language: Language, draft: Draft): Answer {
  const { head, rows, notes = [], extra = {}, budget = BUDGET } = draft;
  const room = budget - NOTES;
  let textSize = bytes(head);
  let wireSize = bytes(JSON.stringify(extra)) + bytes(JSON.stringify(head)) + 80;
  const shown: Row[] = [];
  for (const row of rows) {
    textSize += bytes(row.text) + 1;
    wireSize += bytes(JSON.stringify(row.text)) + 1;
    if (textSize > room || wireSize > room) break;
    shown.push(row);
  }
  const total = Math.max(draft.total ?? 0, rows.length);
  const all = [...notes];
  if (shown.length < total) all.unshift(say(language, 'intel.note.cut', { shown: shown.length, total, left: total - shown.length }));
  // However many notes there are, the answer stays an answer.
  const kept: string[] = [];
  let spent = 0;
  for (const note of all.map((each) => (each.length > 400 ? `${each.slice(0, 399)}…` : each))) {
    spent += bytes(note) + 4;
    if (spent < NOTES - 50) kept.push(note);
  }
  const paths = [...new Set(shown.flatMap(({ path }) => path ?? []))];
  const wire = {
    summary: head,
    results: shown.map(({ text }) => text),
    ...(shown.length < total ? { shown: shown.length, total } : {}),
    ...(kept.length > 0 ? { notes: kept } : {}),
  };
  return {
    text: [head, ...shown.map(({ text }) => text), ...kept.map((note) => `(${note})`)].join('\n'),
    wire,
    data: { summary: head, results: shown.map(({ data }) => data), shown: shown.length, total, ...extra, notes: kept },
    paths,
  };
}
