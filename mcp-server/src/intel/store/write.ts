/** Putting files into the index and taking them out. Many rows go in by one statement: a call into SQLite costs as much as a row. */
import type { ParsedFile } from '../parse/parsed.ts';
import { wholeWord, wordsIn, wordsOf } from '../parse/words.ts';
import type { Database, Value } from './database.ts';

const COLUMNS = { files: 10, symbols: 9, imports: 4, chunks: 5, words: 5 } as const;
type Table = keyof typeof COLUMNS;
const INTO: Record<Table, string> = {
  files: 'files',
  symbols: 'symbols',
  imports: 'imports',
  chunks: 'chunks',
  words: 'words (rowid, path, name, doc, body)',
};
/** Rows of one statement. */
const TOGETHER = 50;

function insert(db: Database, table: Table, rows: readonly Value[][]): void {
  const row = `(${Array(COLUMNS[table]).fill('?').join(',')})`;
  const put = (count: number, from: number, to: number) => {
    if (from === to) return;
    const statement = db.prepare(`insert into ${INTO[table]} values ${Array(count).fill(row).join(',')}`);
    try {
      for (let at = from; at < to; at += count) {
        const values: Value[] = [];
        for (const cells of rows.slice(at, at + count)) values.push(...cells);
        statement.run(values);
      }
    } finally {
      statement.close();
    }
  };
  const rest = rows.length % TOGETHER;
  put(TOGETHER, 0, rows.length - rest);
  put(rest, rows.length - rest, rows.length);
}

const nextId = (db: Database, table: 'files' | 'chunks'): number =>
  Number(db.all(`select coalesce(max(id), 0) + 1 as id from ${table}`)[0]?.id);

function removeRows(db: Database, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const list = JSON.stringify(paths);
  const ids = db.all('select id from files where path in (select value from json_each(?))', [list]).map(({ id }) => id);
  if (ids.length === 0) return;
  const files = JSON.stringify(ids);
  db.run('delete from words where rowid in (select id from chunks where file in (select value from json_each(?)))', [files]);
  for (const table of ['chunks', 'symbols', 'imports'])
    db.run(`delete from ${table} where file in (select value from json_each(?))`, [files]);
  db.run('delete from files where id in (select value from json_each(?))', [files]);
}

/** All or nothing. @throws the driver's error */
function inTransaction(db: Database, work: () => void): void {
  db.exec('begin');
  try {
    work();
    db.exec('commit');
  } catch (error) {
    try {
      db.exec('rollback');
    } catch {
      // SQLite has rolled back by itself; the first error tells why
    }
    throw error;
  }
}

export interface StoredFile {
  path: string;
  language: string;
  hash: string;
  size: number;
  mtime: number;
  readAt: number;
  skipped: string | null;
}

/** Puts files in, in place of what was there under their paths. @throws the driver's error, and then nothing has changed */
export function putFiles(db: Database, files: readonly ParsedFile[], readAt: number): void {
  inTransaction(db, () => {
    removeRows(
      db,
      files.map(({ path }) => path),
    );
    let file = nextId(db, 'files');
    let chunk = nextId(db, 'chunks');
    const rows: Record<Table, Value[][]> = {
      files: [],
      symbols: [],
      imports: [],
      chunks: [],
      words: [],
    };
    for (const parsed of files) {
      const { path, language, hash, size, mtime, lines, skipped, broken } = parsed;
      const pathWords = [...wordsIn(path)].join(' ');
      rows.files.push([file, path, language, hash, size, mtime, readAt, lines, skipped, broken ? 1 : 0]);
      for (const each of parsed.definitions)
        rows.symbols.push([
          file,
          each.name,
          wholeWord(each.name),
          each.kind,
          each.line,
          each.end,
          each.container,
          each.signature,
          each.doc,
        ]);
      for (const { spec, names, line } of parsed.imports) rows.imports.push([file, spec, names.join(','), line]);
      for (const { line, end, name, doc, body } of parsed.chunks) {
        rows.chunks.push([chunk, file, line, end, name]);
        rows.words.push([chunk, pathWords, name.split('.').flatMap(wordsOf).join(' '), [...wordsIn(doc)].join(' '), body]);
        chunk++;
      }
      file++;
    }
    for (const table of Object.keys(rows) as Table[]) insert(db, table, rows[table]);
  });
}

/** Takes files out. @throws the driver's error, and then nothing has changed */
export function removeFiles(db: Database, paths: readonly string[]): void {
  inTransaction(db, () => removeRows(db, paths));
}

/** Notes new times of files whose content is as it was. */
export function touchFiles(db: Database, files: readonly { path: string; size: number; mtime: number }[], readAt: number): void {
  inTransaction(db, () => {
    const statement = db.prepare('update files set size = ?, mtime = ?, read_at = ? where path = ?');
    try {
      for (const { path, size, mtime } of files) statement.run([size, mtime, readAt, path]);
    } finally {
      statement.close();
    }
  });
}

/** What the index knows of every file. */
export function storedFiles(db: Database): StoredFile[] {
  return db.all('select path, language, hash, size, mtime, read_at as readAt, skipped from files') as unknown as StoredFile[];
}
