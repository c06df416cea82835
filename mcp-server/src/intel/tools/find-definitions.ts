/** find_definitions: where a name is defined. */
import type { Answer, Row } from './answer.ts';
import { compose, say } from './answer.ts';
import { isTest, notesOf, scopeOf, type ToolContext } from './context.ts';
import { askedName, definitionsLike, definitionsOf, qualified, type SymbolRow } from './symbols-table.ts';

export interface FindDefinitions {
  symbol: string;
  path?: string;
  kind?: string;
  exact?: boolean;
}

const LIKE = 200;
const RANKED_LAST = new Set(['field', 'member', 'prototype', 'heading']);

/** What people look for first: code before tests, functions and types before fields and declarations. */
export function byInterest(a: SymbolRow, b: SymbolRow): number {
  const rank = (row: SymbolRow) => Number(isTest(row.path)) * 2 + Number(RANKED_LAST.has(row.kind));
  return rank(a) - rank(b) || a.path.localeCompare(b.path) || a.line - b.line;
}

/** Kind and holder are said where the signature does not say them. */
export function titleOf({ kind, container, signature }: Pick<SymbolRow, 'kind' | 'container' | 'signature'>): string {
  const told = new RegExp(`\\b${kind}\\b`).test(signature) || kind === 'variable';
  return `${told ? '' : `${kind} `}${container === '' ? '' : `${container}: `}${signature}`;
}

function definitionRow(found: SymbolRow): Row {
  const { path, line, kind, signature, doc } = found;
  const name = qualified(found);
  return {
    text: `${path}:${line} ${titleOf(found)}${doc === '' ? '' : `\n    ${doc}`}`,
    data: { path, line, kind, name, signature, ...(doc === '' ? {} : { doc }) },
    path,
  };
}

export function findDefinitions(context: ToolContext, { symbol, path, kind, exact = true }: FindDefinitions): Answer {
  const { index, language, root } = context;
  const scope = scopeOf(root, path);
  const asked = askedName(symbol);
  const fits = (row: SymbolRow) => scope.has(row.path) && (kind === undefined || row.kind === kind);
  const notes = notesOf(context);
  const found = index.query((db) => (exact ? definitionsOf(db, asked) : definitionsLike(db, asked, LIKE))).filter(fits);
  if (exact) found.sort(byInterest);
  if (found.length === 0 && exact) {
    const like = index.query((db) => definitionsLike(db, asked, LIKE)).filter((row) => scope.has(row.path));
    const head = say(language, like.length > 0 ? 'intel.definitions.like' : 'intel.definitions.none', { symbol: symbol.slice(0, 200) });
    return compose(language, { head, rows: like.slice(0, 10).map(definitionRow), total: like.length, notes });
  }
  const head = say(language, found.length > 0 ? 'intel.definitions' : 'intel.definitions.none', {
    symbol: symbol.slice(0, 200),
    count: found.length,
  });
  return compose(language, { head, rows: found.map(definitionRow), notes });
}
