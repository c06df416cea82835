/** The tables of the index. */
import { createHash } from 'node:crypto';
import manifest from '../../../../.claude-plugin/plugin.json' with { type: 'json' };
import type { Database } from './database.ts';

/** Raise it when files are read in another way, so that what was read before is read again. */
const READING = 1;

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
create virtual table words using fts5 (path, name, doc, body, content = '', contentless_delete = 1, tokenize = 'porter ascii');
insert into words (words, rank) values ('automerge', 0);
insert into words (words, rank) values ('crisismerge', 32);
`;

/** What is stored under another name is thrown away and built anew. */
export const SCHEMA = `${manifest.version}.${READING}.${createHash('sha256').update(TABLES).digest('hex').slice(0, 12)}`;

/** Makes the tables in an empty database. */
export function createTables(db: Database): void {
  db.exec(TABLES);
  db.run('insert into meta values (?, ?)', ['schema', SCHEMA]);
}

/** Whether a database holds this schema and can be read. */
export function isOurs(db: Database): boolean {
  try {
    return db.all("select value from meta where key = 'schema'")[0]?.value === SCHEMA;
  } catch {
    return false;
  }
}
