/** search_text: words or expressions in the files, grouped by file, each with the definition that it stands in. */
import { globMatcher } from '../../evidence/file-glob.ts';
import { forRipgrep } from '../search/dialect.ts';
import { asksForLineBreak, expressionOf } from '../search/expression.ts';
import type { Needle } from '../search/lines.ts';
import { literalOf } from '../search/literal.ts';
import { ripgrep, runRipgrep } from '../search/ripgrep.ts';
import type { FileMatches, ScanReply } from '../search/scan.ts';
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

type Found = Pick<ScanReply, 'files' | 'searched' | 'large' | 'binary' | 'unreadable'>;

interface Chosen {
  /** The same name as long as it is the same list. */
  list: string;
  files: string[];
  /** Files that nobody wrote: left out. */
  minified: number;
}

function needlesOf(patterns: readonly string[], regex: boolean): Needle[] {
  return patterns.map((pattern) => {
    if (regex) {
      try {
        expressionOf(pattern, true);
      } catch (error) {
        throw new ToolProblem('intel.error.regex', { pattern: pattern.slice(0, 200), detail: (error as Error).message.slice(0, 300) });
      }
      if (asksForLineBreak(pattern)) throw new ToolProblem('intel.error.line_break', { pattern: pattern.slice(0, 200) });
    }
    return { pattern, regex, literal: regex ? literalOf(pattern) : pattern };
  });
}

let last: { key: string; listing: readonly string[]; chosen: Chosen } | null = null;
let lists = 0;

/** The files that the arguments mean; the list of the last search is kept, since making it takes longer than searching. */
function choose({ index }: ToolContext, scope: Scope, glob: string | undefined, listing: readonly string[]): Chosen {
  const key = JSON.stringify([index.root, index.version, scope.path, glob]);
  if (last && last.key === key && last.listing === listing) return last.chosen;
  const cleaned = glob?.trim().replace(/^\.?\//, '');
  const expression = cleaned ? globMatcher(cleaned.includes('/') ? cleaned : `**/${cleaned}`) : null;
  const below = scope.path === '' || scope.file ? '' : `${scope.path}/`;
  const wanted = listing.filter(
    (path) => scope.has(path) && (!expression || expression.test(path) || (below !== '' && expression.test(path.slice(below.length)))),
  );
  const files = wanted.filter((path) => index.stored(path)?.skipped !== 'minified');
  const chosen = { list: String(++lists), files, minified: wanted.length - files.length };
  last = { key, listing, chosen };
  return chosen;
}

/** What each thread was sent last. */
const known: string[] = [];

/** Both workers take every other file, so that one folder of large files does not fall to one of them. */
async function scanShare(at: number, share: () => string[], list: string, request: Record<string, unknown>): Promise<ScanReply> {
  const ask = (files: string[] | undefined) => scanners.ask<ScanReply>({ ...request, list, ...(files ? { files } : {}) }, at);
  const reply = await ask(known[at] === list ? undefined : share());
  known[at] = list;
  // The thread was ended since, and knows nothing any more.
  return reply.unknown ? ask(share()) : reply;
}

/** An expression that never ends takes both threads with it; so only one is looked for at a time, and none waits in its way. */
let alone: Promise<unknown> = Promise.resolve();

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = alone.then(work);
  alone = turn.catch(() => {});
  return turn;
}

async function scanOnce(root: string, { list, files }: Chosen, needles: Needle[], args: SearchText): Promise<Found> {
  const { case_sensitive = true, context_lines = 0, regex = false } = args;
  const request = { root, needles, caseSensitive: case_sensitive, context: context_lines, limit: LIMIT };
  const shares = files.length < 40 ? 1 : 2;
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
      Array.from({ length: shares }, (_, at) => scanShare(at, () => files.filter((_file, index) => index % shares === at), list, request)),
    );
    const sum = (key: 'searched' | 'large' | 'binary' | 'unreadable') => replies.reduce((total, reply) => total + reply[key], 0);
    return {
      files: replies.flatMap((reply) => reply.files),
      searched: sum('searched'),
      large: sum('large'),
      binary: sum('binary'),
      unreadable: sum('unreadable'),
    };
  } catch (error) {
    if (late && error instanceof WorkerGone) throw new ToolProblem('intel.error.deadline', { seconds: DEADLINE_MS / 1000 });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Our own search. Where its threads were ended under it, it is done once more, in turn: then no other call's expression can do that. */
async function scanAll(root: string, chosen: Chosen, needles: Needle[], args: SearchText): Promise<Found> {
  const scan = () => scanOnce(root, chosen, needles, args);
  try {
    return await (args.regex ? inTurn(scan) : scan());
  } catch (error) {
    if (!(error instanceof WorkerGone)) throw error;
    return inTurn(scan);
  }
}

/** ripgrep, for one expression without a plain word; what it passes over is searched by ours. Null where ours must do it all. */
async function byRipgrep(
  context: ToolContext,
  scope: Scope,
  { list, files, minified }: Chosen,
  needles: Needle[],
  args: SearchText,
): Promise<Found | null> {
  const program = ripgrep();
  const [needle] = needles;
  const fits = args.regex && needle && needles.length === 1 && needle.literal === '' && (args.context_lines ?? 0) === 0;
  if (!program || !fits || files.length < 40) return null;
  const pattern = forRipgrep(needle.pattern);
  if (pattern === null) return null;
  const reply = await runRipgrep(program, {
    root: context.root,
    source: needle.pattern,
    pattern,
    caseSensitive: args.case_sensitive ?? true,
    below: scope.path,
    deadline: DEADLINE_MS,
  });
  if (reply === 'late') throw new ToolProblem('intel.error.deadline', { seconds: DEADLINE_MS / 1000 });
  if (reply === null) return null;
  const listed = new Set(files);
  const found = reply.files.filter(({ path }) => listed.has(path));
  const left = files.filter((path) => !reply.searched.has(path));
  const rest = left.length === 0 ? null : await scanAll(context.root, { list: `${list} ${++lists}`, files: left, minified }, needles, args);
  return {
    files: [...found, ...(rest?.files ?? [])],
    searched: files.length - left.length + (rest?.searched ?? 0),
    large: rest?.large ?? 0,
    binary: rest?.binary ?? 0,
    unreadable: rest?.unreadable ?? 0,
  };
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
  const listing = await index.listing();
  const chosen = choose(context, scope, args.glob, listing.files);
  const found = (await byRipgrep(context, scope, chosen, needles, args)) ?? (await scanAll(root, chosen, needles, args));
  found.files.sort((a, b) => Number(isTest(a.path)) - Number(isTest(b.path)) || a.path.localeCompare(b.path));
  const total = found.files.reduce((sum, { count }) => sum + count, 0);
  // The definitions around the matches are those of the files as they are now.
  await index.freshen(found.files.slice(0, max_results ?? RESULTS).map(({ path }) => path));
  const rows = rowsOf(context, found.files, patterns, max_results ?? RESULTS);
  const head = say(language, total > 0 ? 'intel.text' : 'intel.text.none', {
    pattern: patterns.map((pattern) => pattern.slice(0, 60)).join(' | '),
    count: total,
    files: found.files.length,
    searched: found.searched,
  });
  const notes = notesOf({ ...context, progress: { ...context.progress, pending: 0 } });
  const large = chosen.minified + found.large;
  if (large + found.unreadable + found.binary > 0)
    notes.push(say(language, 'intel.note.skipped', { large, binary: found.binary, unreadable: found.unreadable }));
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
