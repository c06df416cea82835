/**
 * How parallel sessions share one index. No SQLite file is ever open in two processes: each works on a private copy, and
 * the one that holds the writer's lock publishes copies of its own under a new name, announced by `current.json`, whose
 * hash tells damage. (The WebAssembly SQLite locks by a folder that a crash leaves behind, and readers shut each other out.)
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import lockfile from 'proper-lockfile';
import { type Database, openDatabase } from './database.ts';
import { createTables, isOurs, SCHEMA } from './schema.ts';

interface Announcement {
  file: string;
  sha256: string;
  schema: string;
}

const PRIVATE = /^private-(\d+)-[0-9a-f]+\.sqlite/;
const PUBLISHED = /^index-[0-9a-f]+\.sqlite$/;

const announcementFile = (folder: string): string => path.join(folder, 'current.json');

function announced(folder: string): Announcement | null {
  try {
    const value = JSON.parse(fs.readFileSync(announcementFile(folder), 'utf8')) as Partial<Announcement>;
    const fits =
      typeof value.file === 'string' && PUBLISHED.test(value.file) && typeof value.sha256 === 'string' && value.schema === SCHEMA;
    return fits ? (value as Announcement) : null;
  } catch {
    return null;
  }
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Private copies of processes that are gone, and publications that nobody can want any more. */
function removeLeftovers(folder: string): void {
  const current = announced(folder)?.file;
  for (const name of fs.readdirSync(folder)) {
    const pid = PRIVATE.exec(name)?.[1];
    const file = path.join(folder, name);
    const old =
      PUBLISHED.test(name) && name !== current && Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 60_000;
    if (old || (pid !== undefined && !isRunning(Number(pid)))) fs.rmSync(file, { recursive: true, force: true });
  }
}

export interface Opened {
  db: Database;
  /** The private file; null in memory. */
  file: string | null;
  /** What the content was published as; null for an empty index. */
  generation: string | null;
  /** Why a published index was not used. */
  damage: string | null;
}

function fresh(file: string | null): Database {
  const db = openDatabase(file ?? ':memory:');
  createTables(db);
  return db;
}

export const openInMemory = (): Opened => ({ db: fresh(null), file: null, generation: null, damage: null });

/**
 * Opens a private copy of what is published, or an empty index where nothing is, or it is damaged.
 * @throws the system's error (no room, read-only folder)
 */
function openPrivate(folder: string): Opened {
  fs.mkdirSync(folder, { recursive: true });
  removeLeftovers(folder);
  const file = path.join(folder, `private-${process.pid}-${randomBytes(4).toString('hex')}.sqlite`);
  const current = announced(folder);
  let damage: string | null = null;
  if (current) {
    try {
      const bytes = fs.readFileSync(path.join(folder, current.file));
      if (sha256(bytes) !== current.sha256) throw new Error('its hash is not the announced one');
      fs.writeFileSync(file, bytes, { mode: 0o600 });
      const db = openDatabase(file);
      if (isOurs(db)) return { db, file, generation: current.file, damage: null };
      db.close();
      damage = `${current.file} holds other tables`;
    } catch (error) {
      damage = `${current.file}: ${(error as Error).message}`;
    }
    fs.rmSync(file, { force: true });
  } else if (fs.existsSync(announcementFile(folder))) damage = 'current.json cannot be read, or is of another version';
  return { db: fresh(file), file, generation: null, damage };
}

/** What is published where that can be read and copied, else an empty index, else one in memory; and what is to be said of it. */
export function openBest(folder: string | null): { opened: Opened; notice: string | null } {
  if (folder === null) return { opened: openInMemory(), notice: null };
  try {
    const opened = openPrivate(folder);
    return { opened, notice: opened.damage ? `damaged: ${opened.damage}` : null };
  } catch (error) {
    return { opened: openInMemory(), notice: `memory: ${(error as Error).message}` };
  }
}

/** Lets go of an index, and of its private file. */
export function discard({ db, file }: Opened): void {
  try {
    db.close();
  } catch {
    // A damaged database may not close either; its file goes all the same.
  }
  if (file !== null) for (const name of [file, `${file}.lock`, `${file}-journal`]) fs.rmSync(name, { recursive: true, force: true });
}

/** The name of what is published now; null for nothing. */
export const publishedNow = (folder: string): string | null => announced(folder)?.file ?? null;

/**
 * Publishes a private file whose database has no open transaction.
 * @returns the new name
 * @throws the system's error; what was published before then stays
 */
export function publish(folder: string, file: string): string {
  const bytes = fs.readFileSync(file);
  const name = `index-${randomBytes(6).toString('hex')}.sqlite`;
  const target = path.join(folder, name);
  const before = announced(folder)?.file;
  try {
    fs.writeFileSync(target, bytes, { mode: 0o600 });
    const temporary = `${announcementFile(folder)}.${process.pid}`;
    fs.writeFileSync(temporary, JSON.stringify({ file: name, sha256: sha256(bytes), schema: SCHEMA } satisfies Announcement));
    fs.renameSync(temporary, announcementFile(folder));
  } catch (error) {
    fs.rmSync(target, { force: true });
    throw error;
  }
  // A reader that has just read the announcement may still want it; then it finds it gone and reads anew.
  if (before && before !== name) fs.rmSync(path.join(folder, before), { force: true });
  return name;
}

export interface WriterLock {
  /** Whether it is still ours: a machine that slept may have lost it. */
  held: () => boolean;
  release: () => Promise<void>;
}

/** The right to publish, or null when another process has it. @throws nothing: a folder that cannot be locked gives null */
export async function takeWriterLock(folder: string): Promise<WriterLock | null> {
  let lost = false;
  try {
    const release = await lockfile.lock(folder, {
      lockfilePath: path.join(folder, 'writer.lock'),
      realpath: false,
      stale: 10_000,
      update: 3000,
      onCompromised: () => {
        lost = true;
      },
    });
    return { held: () => !lost, release: () => release().catch(() => {}) };
  } catch {
    return null;
  }
}
