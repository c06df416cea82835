/** What every tool works with. */
import fs from 'node:fs';
import path from 'node:path';
import type { Language } from '../../messages/messages.ts';
import type { ImportGraph } from '../graph/import-graph.ts';
import type { CodeIndex } from '../index/code-index.ts';
import type { Progress } from '../index/progress.ts';
import { say, ToolProblem } from './answer.ts';

export interface ToolContext {
  index: CodeIndex;
  root: string;
  language: Language;
  progress: Progress;
  /** Which file imports which; made when first asked for, and kept while the index stays as it is. */
  graph: () => ImportGraph;
  /** For tools that take long; the client may have asked to be told. */
  tell: (done: number, total: number) => void;
}

/** Files that a `path` argument means. */
export interface Scope {
  /** Relative to the root; '' for all of it. */
  path: string;
  file: boolean;
  has: (file: string) => boolean;
}

/** @throws ToolProblem for a path that is not there, or lies outside */
export function scopeOf(root: string, given: string | undefined): Scope {
  const cleaned = (given ?? '').trim();
  const absolute = path.resolve(root, cleaned);
  const relative = path.relative(root, absolute).split(path.sep).join('/');
  if (relative === '') return { path: '', file: false, has: () => true };
  if (relative.startsWith('../') || relative === '..' || path.isAbsolute(relative))
    throw new ToolProblem('intel.error.outside', { path: cleaned.slice(0, 300), root });
  let stats: fs.Stats | undefined;
  try {
    stats = fs.statSync(absolute, { throwIfNoEntry: false });
  } catch {
    stats = undefined; // a name that is too long, or a loop of links
  }
  if (!stats) throw new ToolProblem('intel.error.no_path', { path: cleaned.slice(0, 300), root });
  const prefix = `${relative}/`;
  return stats.isDirectory()
    ? { path: relative, file: false, has: (file) => file.startsWith(prefix) }
    : { path: relative, file: true, has: (file) => file === relative };
}

/** What the reader must know about how far the index came. */
export function notesOf({ index, language, progress }: ToolContext): string[] {
  const notes: string[] = [];
  const { indexed, total, pending } = progress;
  if (pending > 0) notes.push(say(language, 'intel.note.indexing', { indexed, total }));
  if (index.tree.truncated) notes.push(say(language, 'intel.note.truncated', { total }));
  const notice = index.notice;
  if (notice?.startsWith('memory: ')) notes.push(say(language, 'intel.note.memory', { detail: notice.slice(8, 208) }));
  if (notice?.startsWith('damaged: ')) notes.push(say(language, 'intel.note.damaged', { detail: notice.slice(9, 209) }));
  return notes;
}

const TEST_PATH =
  /(?:^|\/)(?:tests?|specs?|__tests__|testdata|e2e)\/|(?:^|\/)test_[^/]*\.py$|[._-](?:test|spec|tests)\.[a-z]+$|_test\.(?:go|rb|py|exs?|c|cc|cpp)$|Tests?\.(?:java|cs|php|kt)$|\.bats$/;

/** Whether a file holds tests, by its path. */
export const isTest = (file: string): boolean => TEST_PATH.test(file);
