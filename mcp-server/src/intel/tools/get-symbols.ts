/** get_symbols: the outline of a file, or the most central symbols of a folder. */
import { type Answer, compose, type Row, say, ToolProblem } from './answer.ts';
import { isTest, notesOf, scopeOf, type ToolContext } from './context.ts';
import { byInterest, titleOf } from './find-definitions.ts';
import { definitionsInFile, qualified, type SymbolRow } from './symbols-table.ts';

export interface GetSymbols {
  path: string;
}

const depthOf = ({ container }: SymbolRow): number => (container === '' ? 0 : container.split('.').length);

/** Where a whole outline does not fit, parts go before wholes: fields, then what stands deepest. */
function withinBudget(rows: readonly SymbolRow[]): SymbolRow[] {
  const MOST = 45;
  if (rows.length <= MOST) return [...rows];
  const minor = (row: SymbolRow) => Number(['field', 'member', 'variable'].includes(row.kind) && row.container !== '') * 10 + depthOf(row);
  const kept = new Set([...rows].sort((a, b) => minor(a) - minor(b)).slice(0, MOST));
  return rows.filter((row) => kept.has(row));
}

function outlineRow(row: SymbolRow): Row {
  const { line, end, kind, signature, doc } = row;
  const lines = end > line ? `${line}-${end}` : `${line}`;
  return {
    text: `${'  '.repeat(depthOf(row))}${lines} ${titleOf({ kind, container: '', signature })}`,
    data: { line, ...(end > line ? { end } : {}), kind, name: qualified(row), signature, ...(doc === '' ? {} : { doc }) },
  };
}

function outline(context: ToolContext, file: string): Answer {
  const { index, language } = context;
  const rows = index.query((db) => definitionsInFile(db, file));
  const stored = index.stored(file);
  const notes = notesOf(context);
  if (stored?.skipped) notes.unshift(say(language, 'intel.note.skipped_file', { reason: stored.skipped }));
  const shown = withinBudget(rows);
  const imports = context.graph().importersOf(file).length;
  const head = say(language, 'intel.symbols.file', {
    path: file,
    count: rows.length,
    language: stored?.language ?? '-',
    importers: imports,
  });
  const answer = compose(language, { head, rows: shown.map(outlineRow), total: rows.length, notes, extra: { path: file } });
  return { ...answer, paths: [file] };
}

/** How much of the rest of the tree leans on a symbol: importers by name count more than importers of its file. */
function centrality({ graph }: ToolContext, rows: readonly SymbolRow[]): Map<SymbolRow, number> {
  const edges = graph();
  const scores = new Map<SymbolRow, number>();
  for (const row of rows) {
    const importers = edges.importersOf(row.path);
    const named = importers.filter(({ names }) => names.has(row.name)).length;
    const code = ['function', 'class', 'interface', 'struct', 'trait', 'type', 'enum'].includes(row.kind) ? 0.5 : 0;
    scores.set(row, (named * 3 + importers.length * 0.2 + code) * (isTest(row.path) ? 0.3 : 1));
  }
  return scores;
}

function overview(context: ToolContext, folder: string, has: (file: string) => boolean): Answer {
  const { index, language } = context;
  const rows = index
    .query((db) =>
      db.all(
        "select files.path as path, symbols.name as name, kind, line, symbols.end as end, container, signature, doc from symbols join files on files.id = symbols.file where container = '' and kind <> 'heading'",
      ),
    )
    .map((row) => row as unknown as SymbolRow)
    .filter((row) => has(row.path));
  const scores = centrality(context, rows);
  rows.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || byInterest(a, b));
  const files = [...index.tree.files.keys()].filter(has);
  const head = say(language, 'intel.symbols.folder', { path: folder === '' ? '.' : folder, files: files.length, count: rows.length });
  const shown: Row[] = rows.slice(0, 80).map(({ path, line, kind, name, signature, doc }) => ({
    text: `${path}:${line} ${titleOf({ kind, container: '', signature })}`,
    data: { path, line, kind, name, signature, ...(doc === '' ? {} : { doc }) },
    path,
  }));
  return compose(language, { head, rows: shown, total: rows.length, notes: notesOf(context) });
}

/** @throws ToolProblem */
export function getSymbols(context: ToolContext, { path }: GetSymbols): Answer {
  const scope = scopeOf(context.root, path);
  if (!scope.file) return overview(context, scope.path, scope.has);
  if (!context.index.tree.files.has(scope.path)) throw new ToolProblem('intel.error.not_listed', { path: scope.path });
  return outline(context, scope.path);
}
