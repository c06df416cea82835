/** find_references: where a name is used, surest first. */
import { findUses } from '../graph/references.ts';
import type { Answer, Row } from './answer.ts';
import { compose, cutLine, say } from './answer.ts';
import { notesOf, scopeOf, type ToolContext } from './context.ts';
import { askedName, definitionsOf, enclosing, qualified, type SymbolRow } from './symbols-table.ts';

export interface FindReferences {
  symbol: string;
  path?: string;
}

/** Rows that any answer could hold. */
const ROWS = 120;

export function findReferences(context: ToolContext, { symbol, path }: FindReferences): Answer {
  const { index, language, root } = context;
  const scope = scopeOf(root, path);
  const asked = askedName(symbol);
  const definitions = index.query((db) => definitionsOf(db, asked));
  const { found, unread } = findUses(index, context.graph(), asked.name, definitions, scope.has);
  const around = new Map<string, (line: number) => SymbolRow | null>();
  const rows: Row[] = found.slice(0, ROWS).map(({ path: file, line, text, confidence }) => {
    let inside = around.get(file);
    if (!inside) {
      inside = index.query((db) => enclosing(db, file));
      around.set(file, inside);
    }
    const holder = inside(line);
    const within = holder ? qualified(holder) : '';
    const shown = cutLine(text, 120);
    return {
      text: `${file}:${line} [${confidence}]${within === '' ? '' : ` in ${within}`}: ${shown}`,
      data: { path: file, line, confidence, ...(within === '' ? {} : { in: within }), text: shown },
      path: file,
    };
  });
  const count = (confidence: string) => found.filter((reference) => reference.confidence === confidence).length;
  const counts = { exact: count('exact'), import: count('import'), name: count('name') };
  const files = new Set(found.map((reference) => reference.path)).size;
  const head = say(language, found.length > 0 ? 'intel.references' : 'intel.references.none', {
    symbol: symbol.slice(0, 200),
    count: found.length,
    files,
    ...counts,
    defined:
      definitions
        .slice(0, 3)
        .map((definition) => `${definition.path}:${definition.line}`)
        .join(', ') || '-',
  });
  const notes = notesOf(context);
  if (unread > 0) notes.unshift(say(language, 'intel.note.unread', { count: unread }));
  if (counts.name > 0) notes.push(say(language, 'intel.note.by_name'));
  return compose(language, { head, rows, total: found.length, notes, extra: { counts, files } });
}
