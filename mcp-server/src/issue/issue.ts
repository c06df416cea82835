/** What an issue holds, brought into one form: cut, masked, and never taken for instructions. Pure. */
import { createHash } from 'node:crypto';
import { maskText } from '../pre-planning/mask.ts';

export interface IssueComment {
  author: string;
  body: string;
}

export interface Issue {
  title: string;
  body: string;
  labels: string[];
  comments: IssueComment[];
  state: string;
  /** Over title, body and comments as they are over there; our own comments aside. */
  hash: string;
  /** Something was cut. */
  cut: boolean;
}

/** Stands in comments that a session of ours wrote. */
export const OWN_COMMENT = '<!-- readygate -->';

const LIMITS = { title: 300, body: 8000, comment: 2000, comments: 30, labels: 50 };

type Raw = Record<string, unknown>;

const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const nameOf = (value: unknown): string =>
  isRaw(value) ? text(value.login) || text(value.username) || text(value.name) || text(value.title) : text(value);

/** Keeps what a terminal or a reader could be tricked with out: control characters and those that turn the direction of text. */
const plain = (value: string): string => value.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '');

/**
 * Reads what `gh issue view --json` or `glab issue view --output json` printed.
 * @returns null when it is no issue
 */
export function readIssue(json: string): Issue | null {
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return null;
  }
  if (!isRaw(raw) || typeof raw.title !== 'string') return null;
  const notes = list(raw.comments ?? raw.Notes ?? raw.notes).filter(isRaw);
  const written = notes.filter((note) => note.system !== true && !text(note.body).includes(OWN_COMMENT));
  const body = text(raw.body) || text(raw.description);
  const all = written.map((note) => ({ author: nameOf(note.author), body: text(note.body) }));
  const hash = createHash('sha256')
    .update(JSON.stringify([raw.title, body, all.map((comment) => comment.body)]))
    .digest('hex');
  const clean = (value: string, limit: number): string => maskText(plain(value)).slice(0, limit);
  return {
    title: clean(raw.title, LIMITS.title),
    body: clean(body, LIMITS.body),
    labels: list(raw.labels)
      .map((label) => clean(nameOf(label), 100))
      .filter(Boolean)
      .slice(0, LIMITS.labels),
    comments: all
      .slice(-LIMITS.comments)
      .map((comment) => ({ author: clean(comment.author, 100), body: clean(comment.body, LIMITS.comment) })),
    state: clean(text(raw.state), 40).toLowerCase(),
    hash,
    cut: body.length > LIMITS.body || all.length > LIMITS.comments || all.some((comment) => comment.body.length > LIMITS.comment),
  };
}

/** How much of an issue an instruction shows. */
const SHOWN = { body: 900, comment: 160, comments: 3 };

const head = (value: string, limit: number): string => (value.length > limit ? `${value.slice(0, limit)}…` : value);

/** The issue between fences that nothing in it can close. */
export function fenced({ title, body, labels, comments }: Issue): string {
  const last = comments
    .slice(-SHOWN.comments)
    .map((comment) => `${comment.author}: ${head(comment.body.replace(/\s+/g, ' '), SHOWN.comment)}`);
  const lines = [`title: ${title}`, ...(labels.length > 0 ? [`labels: ${labels.join(', ')}`] : []), head(body.trim(), SHOWN.body)];
  const inner = [...lines, ...(last.length > 0 ? [`comments: ${comments.length}, the last:`, ...last] : [])].join('\n');
  const longest = Math.max(2, ...[...inner.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}issue-data\n${inner}\n${fence}`;
}
