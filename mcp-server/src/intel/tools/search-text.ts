/** search_text: words or expressions in the files, grouped by file, each with the definition that it stands in. */
import { globExpression } from '../../evidence/file-glob.ts';
import { literalOf } from '../search/literal.ts';
import { ripgrep, runRipgrep } from '../search/ripgrep.ts';
import type { FileMatches, Needle, ScanReply, ScanRequest } from '../search/scan.ts';
import { Threads, WorkerGone } from '../threads.ts';
import { type Answer, BUDGET, compose, cutLine, MORE_BUDGET, type Row, say, ToolProblem } from './answer.ts';
import { isTest, notesOf, type Scope, scopeOf, type ToolContext } from './context.ts';
import { enclosing, qualified } from './symbols-table.ts';

export interface SearchText {
  patterns: string[];
  regex?: boolean;
  path?: string;
  glob?: string;
  case_sensitive?: boolean;
  context_lines?: number;
  max_results?: number;
}

/** An expression that takes longer goes in circles. */
const DEADLINE_MS = 4000;
const LIMIT = 400;
const RESULTS = 60;
const SCANNER_MB = 192;

const scanners = new Threads('intel-scan.cjs', 2, SCANNER_MB);

type Found = Pick<ScanReply, 'files' | 'binary' | 'unreadable'>;

function needlesOf(patterns: readonly string[], regex: boolean): Needle[] {
  return patterns.map((pattern) => {
    if (regex) {
      try {
        new RegExp(pattern);
      } catch (error) {
        throw new ToolProblem('intel.error.regex', { pattern: pattern.slice(0, 200), detail: (error as Error).message.slice(0, 300) });
      }
    }
    return { pattern, regex, literal: regex ? literalOf(pattern) : pattern };
  });
}

function filter(context: ToolContext, scope: Scope, glob: string | undefined): { files: ScanRequest['files']; skipped: number } {
  const cleaned = glob?.trim().replace(/^\.?\//, '');
  const expression = cleaned ? globExpression(cleaned.includes('/') ? cleaned : `**/${cleaned}`) : null;
  const below = scope.path === '' || scope.file ? '' : `${scope.path}/`;
  const files: ScanRequest['files'] = [];
  let skipped = 0;
  for (const [path, { size, mtime }] of context.index.tree.files) {
    if (!scope.has(path)) continue;
    if (expression && !expression.test(path) && !(below !== '' && expression.test(path.slice(below.length)))) continue;
    const reason = context.index.stored(path)?.skipped;
    if (size > 1024 * 1024 || reason === 'minified' || reason === 'large') skipped++;
    else files.push({ path, size, mtime });
  }
  return { files, skipped };
}

/** Both workers take every other file, so that one folder of large files does not fall to one of them. */
async function scanAll(root: string, files: ScanRequest['files'], needles: Needle[], args: SearchText): Promise<Found> {
  const { case_sensitive = true, context_lines = 0, regex = false } = args;
  const shares = files.length < 40 ? [files] : [files.filter((_, at) => at % 2 === 0), files.filter((_, at) => at % 2 === 1)];
  let timer: NodeJS.Timeout | undefined;
  let late = false;
  if (regex) {
    timer = setTimeout(() => {
      late = true;
      scanners.end();
    }, DEADLINE_MS);
  }
  try {
    const replies = await Promise.all(
      shares.map((share, at) =>
        scanners.ask<ScanReply>({ root, files: share, needles, caseSensitive: case_sensitive, context: context_lines, limit: LIMIT }, at),
      ),
    );
    return {
      files: replies.flatMap((reply) => reply.files),
      binary: replies.reduce((sum, { binary }) => sum + binary, 0),
      unreadable: replies.reduce((sum, { unreadable }) => sum + unreadable, 0),
    };
  } catch (error) {
    if (late && error instanceof WorkerGone) throw new ToolProblem('intel.error.deadline', { seconds: DEADLINE_MS / 1000 });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** ripgrep, for one expression without a plain word. Null where ours must do it. */
async function byRipgrep(
  context: ToolContext,
  scope: Scope,
  files: ScanRequest['files'],
  needles: Needle[],
  args: SearchText,
): Promise<Found | null> {
  const program = ripgrep();
  const [needle] = needles;
  const fits = args.regex && needle && needles.length === 1 && needle.literal === '' && (args.context_lines ?? 0) === 0;
  if (!program || !fits || files.length < 40) return null;
  const found = await runRipgrep(program, {
    root: context.root,
    pattern: needle.pattern,
    caseSensitive: args.case_sensitive ?? true,
    below: scope.path,
    deadline: DEADLINE_MS,
  });
  if (found === 'late') throw new ToolProblem('intel.error.deadline', { seconds: DEADLINE_MS / 1000 });
  if (found === null) return null;
  const listed = new Set(files.map(({ path }) => path));
  return { files: found.filter(({ path }) => listed.has(path)), binary: 0, unreadable: 0 };
}

function rowsOf(context: ToolContext, files: readonly FileMatches[], patterns: readonly string[], most: number): Row[] {
  const rows: Row[] = [];
  for (const { path, lines, count } of files) {
    if (rows.length >= most) break;
    const around = context.index.query((db) => enclosing(db, path));
    for (const [at, match] of lines.entries()) {
      if (rows.length >= most) break;
      const holder = around(match.line);
      const name = holder ? qualified(holder) : '';
      const shown = match.before ? match.text.trimEnd() : cutLine(match.text, 240);
      const label = at === 0 ? `${path}${count > 1 ? ` (${count})` : ''}\n` : '';
      const before = (match.before ?? []).map((text, index, all) => `    ${match.line - all.length + index}- ${text}`);
      const after = (match.after ?? []).map((text, index) => `    ${match.line + index + 1}- ${text}`);
      const which = patterns.length > 1 ? { pattern: patterns[match.needle]?.slice(0, 60) } : {};
      rows.push({
        text: `${label}${[...before, `  ${match.line}: ${shown}${name === '' ? '' : `  [${name}]`}`, ...after].join('\n')}`,
        data: {
          path,
          line: match.line,
          text: shown,
          ...(name === '' ? {} : { in: name }),
          ...which,
          ...(match.before ? { before: match.before, after: match.after } : {}),
        },
        path,
      });
    }
  }
  return rows;
}

/** @throws ToolProblem for an expression that cannot be read, or does not end */
export async function searchText(context: ToolContext, args: SearchText): Promise<Answer> {
  const { index, language, root } = context;
  const { patterns, regex = false, max_results } = args;
  const scope = scopeOf(root, args.path);
  const needles = needlesOf(patterns, regex);
  const { files, skipped } = filter(context, scope, args.glob);
  const found = (await byRipgrep(context, scope, files, needles, args)) ?? (await scanAll(root, files, needles, args));
  found.files.sort((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)) || a.path.localeCompare(b.path));
  const total = found.files.reduce((sum, { count }) => sum + count, 0);
  const rows = rowsOf(context, found.files, patterns, max_results ?? RESULTS);
  const head = say(language, total > 0 ? 'intel.text' : 'intel.text.none', {
    pattern: patterns.map((pattern) => pattern.slice(0, 60)).join(' | '),
    count: total,
    files: found.files.length,
    searched: files.length,
  });
  const notes = notesOf({ ...context, progress: { ...context.progress, pending: 0 } });
  const left = skipped + found.unreadable;
  if (left + found.binary > 0)
    notes.push(say(language, 'intel.note.skipped', { large: skipped, binary: found.binary, unreadable: found.unreadable }));
  const others = index.tree.others;
  if (others > 0) notes.push(say(language, 'intel.note.others', { count: others }));
  return compose(language, {
    head,
    rows,
    total,
    notes,
    extra: { files: found.files.length },
    budget: max_results === undefined ? BUDGET : MORE_BUDGET,
  });
}
