/** SQLite, from the runtime where it has it, else compiled to WebAssembly. Only one process ever opens a file (published.ts). */
import { readWasm } from '../parse/grammars.ts';

export type Value = string | number | null;
export type Row = Record<string, Value>;

export interface Statement {
  run: (values?: Value[]) => void;
  all: (values?: Value[]) => Row[];
  close: () => void;
}

export interface Database {
  exec: (sql: string) => void;
  prepare: (sql: string) => Statement;
  /** One statement, run once. */
  run: (sql: string, values?: Value[]) => void;
  all: (sql: string, values?: Value[]) => Row[];
  close: () => void;
  /** Which SQLite this is. */
  engine: 'node' | 'wasm';
}

interface NodeSqlite {
  DatabaseSync: new (
    file: string,
  ) => {
    exec: (sql: string) => void;
    prepare: (sql: string) => { run: (...values: Value[]) => unknown; all: (...values: Value[]) => unknown[] };
    close: () => void;
  };
}

function nodeSqlite(): NodeSqlite | null {
  const { emitWarning } = process;
  // It warns of being experimental, on a stream that the user reads.
  process.emitWarning = () => {};
  try {
    return require('node:sqlite') as NodeSqlite;
  } catch {
    return null; // Node before 22.13, or built without it
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNode(sqlite: NodeSqlite, file: string): Database {
  const db = new sqlite.DatabaseSync(file);
  const prepare = (sql: string): Statement => {
    const statement = db.prepare(sql);
    return {
      run: (values = []) => void statement.run(...values),
      all: (values = []) => statement.all(...values) as Row[],
      close: () => {},
    };
  };
  return {
    engine: 'node',
    exec: (sql) => db.exec(sql),
    prepare,
    run: (sql, values) => prepare(sql).run(values),
    all: (sql, values) => prepare(sql).all(values),
    close: () => db.close(),
  };
}

type Wasm = typeof import('node-sqlite3-wasm');
let wasm: Wasm | null = null;

function wasmSqlite(): Wasm {
  if (!wasm) {
    const given = globalThis as { readygateSqlite?: Buffer };
    given.readygateSqlite = readWasm('sqlite3');
    wasm = require('node-sqlite3-wasm') as Wasm;
    delete given.readygateSqlite;
  }
  return wasm;
}

function openWasm(file: string): Database {
  const { Database: Wasm } = wasmSqlite();
  const db = new Wasm(file);
  return {
    engine: 'wasm',
    exec: (sql) => db.exec(sql),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      return {
        run: (values = []) => void statement.run(values),
        all: (values = []) => statement.all(values) as Row[],
        close: () => statement.finalize(),
      };
    },
    run: (sql, values = []) => void db.run(sql, values),
    all: (sql, values = []) => db.all(sql, values) as Row[],
    close: () => db.close(),
  };
}

const SETTINGS =
  'pragma page_size = 8192; pragma locking_mode = exclusive; pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -16384; pragma temp_store = memory;';

/** Opens a file, or `:memory:`. @throws the driver's error (no room, no such folder, no database) */
export function openDatabase(file: string): Database {
  const sqlite = nodeSqlite();
  const db = sqlite ? openNode(sqlite, file) : openWasm(file);
  try {
    db.exec(SETTINGS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
