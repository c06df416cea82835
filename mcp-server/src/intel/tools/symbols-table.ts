/** Definitions as the index holds them. */
import { wholeWord } from '../parse/words.ts';
import type { Database, Row } from '../store/database.ts';

export interface SymbolRow {
  path: string;
  name: string;
  kind: string;
  line: number;
  end: number;
  container: string;
  signature: string;
  doc: string;
}

const COLUMNS = 'files.path as path, symbols.name as name, kind, line, symbols.end as end, container, signature, doc';
const FROM = 'from symbols join files on files.id = symbols.file';

const asRows = (rows: Row[]): SymbolRow[] => rows as unknown as SymbolRow[];

/** A name as people write it: `Class.method`, `Class::method`, `Class#method`, `$name`, `name()`. */
export interface AskedName {
  name: string;
  /** The last part of what it stands in; empty when not said. */
  holder: string;
}

export function askedName(given: string): AskedName {
  const plain = given
    .trim()
    .replace(/\(.*\)?$/s, '')
    .replace(/^[@&*]+/, '');
  const parts = plain.split(/::|[.#\\]|->/).filter((part) => part !== '');
  return { name: parts.at(-1) ?? '', holder: parts.length > 1 ? (parts.at(-2) as string) : '' };
}

/** Definitions of exactly this name. */
export function definitionsOf(db: Database, { name, holder }: AskedName): SymbolRow[] {
  const named = (each: string) => asRows(db.all(`select ${COLUMNS} ${FROM} where key = ? and symbols.name = ?`, [wholeWord(each), each]));
  const whole = named(name);
  // PHP writes a sign before a name that is not part of it; in JavaScript it is.
  const found = whole.length === 0 && name.startsWith('$') ? named(name.slice(1)) : whole;
  const held = holder === '' ? found : found.filter(({ container }) => container.split('.').at(-1) === holder);
  // `module.function` is a common way to write a name whose holder is a file.
  const inFile =
    holder === '' || held.length > 0
      ? []
      : found.filter(
          ({ path }) =>
            path
              .split('/')
              .at(-1)
              ?.replace(/\.\w+$/, '') === holder,
        );
  return held.length > 0 ? held : inFile.length > 0 ? inFile : holder === '' ? found : [];
}

/** Definitions whose name is like this one: the same without case and underscores first, then those that hold it. */
export function definitionsLike(db: Database, { name }: AskedName, limit: number): SymbolRow[] {
  const key = wholeWord(name);
  if (key === '') return [];
  const escaped = key.replace(/[\\%_]/g, '\\$&');
  return asRows(
    db.all(
      `select ${COLUMNS} ${FROM} where key = ?1 or key like ?2 escape '\\' order by key <> ?1, key not like ?3 escape '\\', length(key), path limit ?4`,
      [key, `%${escaped}%`, `${escaped}%`, limit],
    ),
  );
}

/** Definitions in one file, in its order. */
export const definitionsInFile = (db: Database, path: string): SymbolRow[] =>
  asRows(db.all(`select ${COLUMNS} ${FROM} where files.path = ? order by line, symbols.end desc`, [path]));

/** The innermost definition around each line of a file. */
export function enclosing(db: Database, path: string): (line: number) => SymbolRow | null {
  const rows = definitionsInFile(db, path).filter(({ kind, line, end }) => end > line || kind === 'function' || kind === 'method');
  return (line) => {
    let best: SymbolRow | null = null;
    for (const row of rows) if (row.line <= line && line <= row.end && (!best || row.end - row.line <= best.end - best.line)) best = row;
    return best;
  };
}

export const qualified = ({ container, name }: Pick<SymbolRow, 'container' | 'name'>): string =>
  container === '' ? name : `${container}.${name}`;
