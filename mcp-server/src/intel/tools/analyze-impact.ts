/** analyze_impact: what leans on files or symbols, by distance. It never says that there are no tests: it cannot know. */
import { filesWithWord, findUses } from '../graph/references.ts';
import { type Answer, compose, type Row, say, ToolProblem } from './answer.ts';
import { isTest, notesOf, scopeOf, type ToolContext } from './context.ts';
import { askedName, definitionsOf, enclosing, qualified, type SymbolRow } from './symbols-table.ts';

export interface AnalyzeImpact {
  targets: string[];
  depth?: number;
}

type What = 'importer' | 'caller' | 'test' | 'document';

interface Affected {
  path: string;
  depth: number;
  what: What;
  /** For callers: the definition that uses the symbol, and where. */
  name?: string;
  line?: number;
  confidence?: string;
}

interface Target {
  given: string;
  files: string[];
  symbol: string | null;
}

const CALLERS_PER_LEVEL = 25;
const IMPORT_LINE = /^\s*(?:import|export|from|use|using|require|include|#\s*include|source)\b/;

function targetOf(context: ToolContext, given: string): Target {
  const { index, root } = context;
  const asFile = given.trim().replace(/:\d+$/, '');
  try {
    const scope = scopeOf(root, asFile);
    const files = [...index.tree.files.keys()].filter(scope.has);
    if (scope.path !== '' && files.length > 0) return { given, files, symbol: null };
  } catch (error) {
    if (!(error instanceof ToolProblem)) throw error;
  }
  const definitions = index.query((db) => definitionsOf(db, askedName(given)));
  return { given, files: [...new Set(definitions.map(({ path }) => path))], symbol: given };
}

/** Callers of callers, by distance. */
function callersOf(context: ToolContext, symbol: string, depth: number): Affected[] {
  const { index } = context;
  const affected: Affected[] = [];
  const seen = new Set<string>();
  let level: { name: string; definitions: SymbolRow[] }[] = [
    { name: askedName(symbol).name, definitions: index.query((db) => definitionsOf(db, askedName(symbol))) },
  ];
  for (let distance = 1; distance <= depth; distance++) {
    const next: typeof level = [];
    for (const { name, definitions } of level.slice(0, CALLERS_PER_LEVEL)) {
      const { found } = findUses(index, context.graph(), name, definitions, () => true);
      // Beyond the first step only what is known to be meant: names alone would lead anywhere.
      const sure = distance === 1 ? found : found.filter(({ confidence }) => confidence !== 'name');
      const around = new Map<string, (line: number) => SymbolRow | null>();
      for (const { path, line, confidence, text } of sure) {
        let inside = around.get(path);
        if (!inside) {
          inside = index.query((db) => enclosing(db, path));
          around.set(path, inside);
        }
        const holder = inside(line);
        // Where a file only imports the name, what uses it there tells more; a file that does nothing else is an importer.
        if (!holder && IMPORT_LINE.test(text)) continue;
        const key = `${path}:${holder ? qualified(holder) : ''}`;
        if (seen.has(key)) continue;
        seen.add(key);
        affected.push({
          path,
          depth: distance,
          what: isTest(path) ? 'test' : 'caller',
          line,
          confidence,
          ...(holder ? { name: qualified(holder) } : {}),
        });
        if (holder && !isTest(path) && (holder.kind === 'function' || holder.kind === 'method'))
          next.push({ name: holder.name, definitions: [holder] });
      }
    }
    level = next;
  }
  return affected;
}

/** Documents that mention a file by its name, or a symbol. */
function documentsOf({ index }: ToolContext, word: string): string[] {
  return filesWithWord(index, word).filter((path) => /\.(?:mdx?|rst|adoc|txt)$/i.test(path));
}

function impactOf(context: ToolContext, target: Target, depth: number): Affected[] {
  const affected: Affected[] = target.symbol === null ? [] : callersOf(context, target.symbol, depth);
  const known = new Set(affected.map(({ path }) => path));
  for (const [at, level] of context.graph().levels(target.files, depth).entries())
    for (const path of level) if (!known.has(path)) affected.push({ path, depth: at + 1, what: isTest(path) ? 'test' : 'importer' });
  const word =
    target.symbol === null
      ? target.files.length === 1
        ? (target.files[0]?.split('/').at(-1) ?? '').replace(/\.\w+$/, '')
        : ''
      : askedName(target.symbol).name;
  for (const path of word.length > 2 ? documentsOf(context, word) : []) affected.push({ path, depth: 1, what: 'document' });
  return affected;
}

const ORDER: readonly What[] = ['caller', 'importer', 'test', 'document'];

/** Callers and importers of the first step, then tests and documents, then what is further away. */
const byWeight = (a: Affected, b: Affected): number =>
  a.depth - b.depth ||
  ORDER.indexOf(a.what) - ORDER.indexOf(b.what) ||
  Number(a.confidence === 'name') - Number(b.confidence === 'name') ||
  a.path.localeCompare(b.path);

export function analyzeImpact(context: ToolContext, { targets, depth = 2 }: AnalyzeImpact): Answer {
  const { language } = context;
  const affected: Affected[] = [];
  const unknown: string[] = [];
  const notes: string[] = [];
  for (const given of targets) {
    const target = targetOf(context, given);
    if (target.files.length === 0) unknown.push(given.slice(0, 100));
    affected.push(...impactOf(context, target, depth));
  }
  const distinct = [...new Map(affected.sort(byWeight).map((each) => [`${each.what}:${each.path}:${each.name ?? ''}`, each])).values()];
  const count = (what: What) => new Set(distinct.filter((each) => each.what === what).map(({ path }) => path)).size;
  const counts = {
    callers: distinct.filter(({ what }) => what === 'caller').length,
    importers: count('importer'),
    tests: count('test'),
    documents: count('document'),
  };
  if (counts.tests === 0) notes.push(say(language, 'intel.impact.no_test_found'));
  if (unknown.length > 0) notes.push(say(language, 'intel.impact.unknown', { targets: unknown.join(', ') }));
  const rows: Row[] = distinct.map(({ path, depth: distance, what, name, line, confidence }) => ({
    text: `${distance} ${what} ${path}${line === undefined ? '' : `:${line}`}${name === undefined ? '' : ` ${name}`}${confidence === undefined ? '' : ` [${confidence}]`}`,
    data: {
      depth: distance,
      what,
      path,
      ...(line === undefined ? {} : { line }),
      ...(name === undefined ? {} : { name }),
      ...(confidence === undefined ? {} : { confidence }),
    },
    path,
  }));
  const head = say(language, 'intel.impact', {
    targets: targets
      .map((each) => each.slice(0, 60))
      .join(', ')
      .slice(0, 300),
    depth,
    ...counts,
  });
  return compose(language, { head, rows, notes: [...notes, ...notesOf(context)], extra: { counts } });
}
