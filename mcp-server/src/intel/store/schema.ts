/** The tables of the index. */
import type { Database } from './database.ts';

/** Another number, and what is there is thrown away and built anew: raise it whenever what is stored, or how it is read, changes. */
export const SCHEMA = 1;

const TABLES = `
create table meta (key text primary key, value text) without rowid;
create table files (
  id integer primary key, path text not null unique, language text not null, hash text not null, size integer not null, mtime real not null,
  read_at real not null, lines integer not null, skipped text, broken integer not null
);
create table symbols (
  file integer not null, name text not null, key text not null, kind text not null, line integer not null, end integer not null,
  container text not null, signature text not null, doc text not null
);
create index symbols_key on symbols (key);
create index symbols_file on symbols (file);
create table imports (file integer not null, spec text not null, names text not null, line integer not null);
create index imports_file on imports (file);
create table chunks (id integer primary key, file integer not null, line integer not null, end integer not null, name text not null);
create index chunks_file on chunks (file);
create virtual table words using fts5 (path, name, doc, body, content = '', contentless_delete = 1, detail = column, tokenize = 'porter ascii');
insert into words (words, rank) values ('automerge', 0);
insert into words (words, rank) values ('crisismerge', 32);
`;

/** Makes the tables in an empty database. */
export function createTables(db: Database): void {
  db.exec(TABLES);
  db.run('insert into meta values (?, ?)', ['schema', String(SCHEMA)]);
}

/** Whether a database holds this schema and can be read. */
export function isOurs(db: Database): boolean {
  try {
    return db.all("select value from meta where key = 'schema'")[0]?.value === String(SCHEMA);
  } catch {
    return false;
  }
}
