/** Putting files into the index and taking them out. Many rows go in by one statement: each call into SQLite costs more than a row. */
import type { ParsedFile } from '../parse/parsed.ts';
import { wholeWord } from '../parse/words.ts';
import type { Database } from './database.ts';

const INSERT_FILES = `insert into files
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9 from json_each(cast(? as text))`;
const INSERT_SYMBOLS = `insert into symbols
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 from json_each(cast(? as text))`;
const INSERT_IMPORTS = 'insert into imports select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(cast(? as text))';
/** The terms of all files lie one behind the other in the second value. */
const INSERT_CHUNKS = `insert into chunks
select value ->> 0, value ->> 1, substr(?2, value ->> 2, value ->> 3) from json_each(cast(?1 as text))`;

const nextId = (db: Database): number => Number(db.all('select coalesce(max(id), 0) + 1 as id from files')[0]?.id);

function removeRows(db: Database, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const list = JSON.stringify(paths);
  const ids = db.all('select id from files where path in (select value from json_each(?))', [list]).map(({ id }) => id);
  if (ids.length === 0) return;
  const files = JSON.stringify(ids);
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
    let file = nextId(db);
    const rows: Record<'files' | 'symbols' | 'imports' | 'chunks', unknown[][]> = { files: [], symbols: [], imports: [], chunks: [] };
    const terms: Uint8Array[] = [];
    let length = 0;
    for (const parsed of files) {
      const { path, language, hash, size, mtime, lines, skipped, broken } = parsed;
      rows.files.push([file, path, language, hash, size, mtime, readAt, lines, skipped, broken ? 1 : 0]);
      for (const { name, kind, line, end, container, signature, doc } of parsed.definitions)
        rows.symbols.push([file, name, wholeWord(name), kind, line, end, container, signature, doc]);
      for (const { spec, names, line } of parsed.imports) rows.imports.push([file, spec, names.join(','), line]);
      if (parsed.chunks.length > 0) {
        const bytes = new Uint8Array(parsed.terms.buffer, parsed.terms.byteOffset, parsed.terms.byteLength);
        const places = JSON.stringify(parsed.chunks.map(({ line, end, name }) => [line, end, name]));
        rows.chunks.push([file, places, length + 1, bytes.length]);
        terms.push(bytes);
        length += bytes.length;
      }
      file++;
    }
    // As bytes, which are copied over in one go; a string goes over letter by letter.
    for (const [sql, list, more] of [
      [INSERT_FILES, rows.files, []],
      [INSERT_SYMBOLS, rows.symbols, []],
      [INSERT_IMPORTS, rows.imports, []],
      [INSERT_CHUNKS, rows.chunks, [Buffer.concat(terms)]],
    ] as const)
      if (list.length > 0) db.run(sql, [Buffer.from(JSON.stringify(list)), ...more]);
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
