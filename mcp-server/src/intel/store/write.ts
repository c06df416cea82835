/** Putting files into the index and taking them out. Many rows go in by one statement: each call into SQLite costs more than a row. */
import type { ParsedFile } from '../parse/parsed.ts';
import { wholeWord, wordsIn, wordsOf } from '../parse/words.ts';
import type { Database } from './database.ts';

const INSERT_FILES = `insert into files
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9 from json_each(?)`;
const INSERT_SYMBOLS = `insert into symbols
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 from json_each(?)`;
const INSERT_IMPORTS = 'insert into imports select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)';
const INSERT_CHUNKS = 'insert into chunks select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)';
const INSERT_WORDS = `insert into words (rowid, path, name, doc, body)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`;

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
    const rows: Record<'files' | 'symbols' | 'imports' | 'chunks' | 'words', unknown[][]> = {
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
    for (const [sql, list] of [
      [INSERT_FILES, rows.files],
      [INSERT_SYMBOLS, rows.symbols],
      [INSERT_IMPORTS, rows.imports],
      [INSERT_CHUNKS, rows.chunks],
      [INSERT_WORDS, rows.words],
    ] as const)
      if (list.length > 0) db.run(sql, [JSON.stringify(list)]);
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
