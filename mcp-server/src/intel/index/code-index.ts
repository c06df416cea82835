/** The index of one work tree: kept in step with the files, in the background where that takes long. */
import fs from 'node:fs';
import type { Listing } from '../files/list.ts';
import { type FileStat, isFresh, isSame, type TreeState, TreeWatch } from '../files/stat-pass.ts';
import type { ParsedFile } from '../parse/parsed.ts';
import type { ParseReply } from '../parse/worker.ts';
import type { Database } from '../store/database.ts';
import { discard, type Opened, openBest, openInMemory, publish, publishedNow } from '../store/published.ts';
import { putFiles, removeFiles, type StoredFile, storedFiles, touchFiles } from '../store/write.ts';
import { Threads } from '../threads.ts';
import { take, unreadable } from './batches.ts';
import { pause, waitFor } from './patience.ts';
import type { Progress } from './progress.ts';
import { Writer } from './writer.ts';

/** So many changed files are read before a query is answered; more than that are read in the background. */
const FEW = 200;
/** How long a query waits for the background all the same: a small repository is then answered whole at once. */
const PATIENCE_MS = 2500;
const BATCH = 24;
const WRITE_AT = 192;
const PUBLISH_EVERY_MS = 10_000;
const PUBLISH_AFTER_MS = 2000;
const RETRY_MS = 1000;
const PARSER_MB = 256;
/** The first may be damage, the second a full disk; what fails in memory will fail again. */
const MOST_FAILURES = 2;

type Listener = (progress: Progress) => void;

const workers = new Threads('intel-parse.cjs', 2, PARSER_MB);

export class CodeIndex {
  readonly root: string;
  readonly #folder: string | null;
  readonly #watch: TreeWatch;
  readonly #known = new Map<string, StoredFile>();
  readonly #queue = new Set<string>();
  /** Taken from the queue and not in the index yet, as they were when they were taken. */
  readonly #reading = new Map<string, FileStat>();
  readonly #listeners = new Set<Listener>();
  #opened: Opened;
  readonly #writer = new Writer();
  #pumping: Promise<void> | null = null;
  #looking: Promise<unknown> = Promise.resolve();
  #buffer: ParsedFile[] = [];
  #bufferedAt = 0;
  #unpublished = false;
  #publishTimer: NodeJS.Timeout | null = null;
  #lastPublish = 0;
  #failures = 0;
  /** Memory failed as well: reading goes on with the next call, not by itself. */
  #stalled = false;
  #closed = false;
  #tree: TreeState = { files: new Map(), others: 0, truncated: false };
  /** Grows with every change, so that what was derived from the index can be kept until then. */
  version = 0;
  /** Why the index is in memory, or was built anew; null when nothing is to be said. */
  notice: string | null = null;

  /** @param folder where the index lies; null keeps it in memory */
  constructor(root: string, folder: string | null) {
    this.root = root;
    this.#folder = folder;
    this.#watch = new TreeWatch(root);
    this.#opened = this.#open();
    this.#load();
  }

  get db(): Database {
    return this.#opened.db;
  }

  get tree(): TreeState {
    return this.#tree;
  }

  #open(): Opened {
    const { opened, notice } = openBest(this.#folder);
    this.notice = notice ?? this.notice;
    return opened;
  }

  #load(): void {
    this.#known.clear();
    for (const file of storedFiles(this.db)) this.#known.set(file.path, file);
    this.version++;
  }

  #replace(open: () => Opened): void {
    discard(this.#opened);
    this.#buffer = [];
    this.#queue.clear();
    this.#reading.clear();
    this.#opened = open();
    // From memory nothing is published: another session may be the one that writes.
    if (this.#opened.file === null) void this.#writer.letGo();
    this.#load();
  }

  /** The index cannot be read or written: it is built anew, at the second failure in memory. */
  #recover(error: unknown): void {
    process.stderr.write(`readygate: the code index failed and is built anew: ${(error as Error).message}\n`);
    const why = (error as Error).message;
    this.#failures++;
    this.#replace(() => {
      if (this.#failures > 1 || this.#folder === null) {
        this.notice = `memory: ${why}`;
        return openInMemory();
      }
      this.notice = `damaged: ${why}`;
      fs.rmSync(`${this.#folder}/current.json`, { force: true });
      return this.#open();
    });
    // Nothing is held any more: until they are read again, all files are pending.
    this.#enqueue();
    this.#stalled = this.#failures > MOST_FAILURES;
  }

  /** Runs a query; where the database fails, it is built anew and asked once more. */
  query<T>(ask: (db: Database) => T): T {
    try {
      return ask(this.db);
    } catch (error) {
      this.#recover(error);
      this.refresh().catch(() => {}); // what fails there fails in the next call, and is told there
      return ask(this.db);
    }
  }

  progress(): Progress {
    const { size } = this.#tree.files;
    const pending = this.#queue.size + this.#reading.size;
    return { indexed: Math.max(0, size - pending), total: size, pending };
  }

  /** Calls `listener` whenever the background came further. @returns what ends that */
  onProgress(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Paths whose content changed since the index read them. */
  isStale(path: string): boolean {
    return this.#queue.has(path) || this.#reading.has(path);
  }

  /** What belongs to the work tree now; the same object as long as nothing came or went. */
  listing(): Promise<Listing> {
    return this.#watch.listing();
  }

  /** Reads those of a few files that changed. */
  async freshen(paths: readonly string[]): Promise<void> {
    let changed = false;
    for (const path of paths) {
      const stats = fs.lstatSync(`${this.root}/${path}`, { throwIfNoEntry: false });
      const known = this.#known.get(path);
      if (!stats?.isFile() || (known && isSame(known, { size: stats.size, mtime: stats.mtimeMs }))) continue;
      this.#queue.add(path);
      changed = true;
    }
    if (changed && this.#queue.size <= FEW) await this.#pump();
  }

  stored(path: string): StoredFile | undefined {
    return this.#known.get(path);
  }

  allStored(): IterableIterator<StoredFile> {
    return this.#known.values();
  }

  /**
   * Brings the index in step with the files: everything when little changed, else as far as patience goes.
   * @param patience milliseconds to wait for the background; Infinity waits to the end
   */
  async refresh(patience = PATIENCE_MS): Promise<Progress> {
    const look = this.#looking.then(() => this.#look());
    this.#looking = look.catch(() => {});
    await look;
    if (this.#queue.size > 0 || this.#pumping) {
      const few = this.#queue.size <= FEW;
      const running = this.#pump();
      await (few && patience > 0 ? running : waitFor(running, patience));
    }
    return this.progress();
  }

  /** Throws the index away and builds it anew. */
  async rebuild(patience: number): Promise<Progress> {
    await this.#pumping?.catch(() => {});
    this.#failures = 0;
    this.notice = null;
    this.#replace(() => {
      if (this.#folder !== null) fs.rmSync(`${this.#folder}/current.json`, { force: true });
      return this.#open();
    });
    this.#watch.forget();
    return this.refresh(patience);
  }

  async #look(): Promise<void> {
    // The folder may be deleted at any time: then there is no index, and one is made.
    if (this.#opened.file !== null && !fs.existsSync(this.#opened.file)) {
      await this.#writer.letGo();
      this.#replace(() => this.#open());
    }
    this.#tree = await this.#watch.look();
    const gone: string[] = [];
    for (const path of this.#known.keys()) if (!this.#tree.files.has(path)) gone.push(path);
    if (gone.length > 0)
      this.#change(() => {
        removeFiles(this.db, gone);
        for (const path of gone) this.#known.delete(path);
      });
    this.#enqueue();
    for (const path of this.#queue) if (!this.#tree.files.has(path)) this.#queue.delete(path);
    if (this.#queue.size > FEW) await this.#shareWork();
  }

  /** Queues every file that is not as it was when it was read, or is being read. */
  #enqueue(): void {
    for (const [path, stat] of this.#tree.files) {
      const known = this.#known.get(path);
      if (known && isSame(known, stat) && !isFresh(stat.mtime, known.readAt)) continue;
      const reading = this.#reading.get(path);
      if (!reading || !isSame(reading, stat)) this.#queue.add(path);
    }
  }

  #change(work: () => void): void {
    try {
      work();
      this.version++;
      this.#unpublished = true;
    } catch (error) {
      this.#recover(error);
    }
  }

  async #becomeWriter(): Promise<boolean> {
    if (this.#folder === null || this.#opened.file === null) return false;
    return this.#writer.become(this.#folder);
  }

  /** Before much is read: perhaps another session has published it already, or is about to. */
  async #shareWork(): Promise<void> {
    if (this.#folder === null || this.#opened.file === null || this.#pumping) return;
    await this.#becomeWriter();
    const published = publishedNow(this.#folder);
    if (published === null || published === this.#opened.generation) return;
    this.#replace(() => this.#open());
    this.#enqueue();
  }

  /** Another session is reading all this: wait for what it publishes instead of doing it twice. */
  #waitsForOther(): boolean {
    return this.#queue.size > FEW && this.#folder !== null && this.#opened.file !== null && !this.#writer.held();
  }

  #pump(): Promise<void> {
    this.#pumping ??= this.#work().finally(() => {
      this.#pumping = null;
    });
    return this.#pumping;
  }

  async #work(): Promise<void> {
    this.#stalled = false;
    await this.#becomeWriter();
    while (this.#waitsForOther() && !this.#closed) {
      await pause(RETRY_MS);
      this.#tell();
      if (await this.#becomeWriter()) break;
      const published = publishedNow(this.#folder as string);
      if (published === null || published === this.#opened.generation) continue;
      this.#replace(() => this.#open());
      this.#enqueue();
    }
    do {
      await this.#readAll();
      this.#flush(); // where it fails, everything is queued again
    } while (this.#queue.size > 0 && !this.#ends());
    this.#publishSoon();
  }

  #ends(): boolean {
    return this.#closed || this.#stalled;
  }

  /** Reads what is queued, several batches at once, and writes as it goes. */
  async #readAll(): Promise<void> {
    const running = new Set<Promise<void>>();
    while ((this.#queue.size > 0 || running.size > 0) && !this.#ends()) {
      while (this.#queue.size > 0 && running.size < workers.count * 2) {
        const batch = [...take(this.#queue, BATCH)];
        for (const path of batch) this.#reading.set(path, this.#tree.files.get(path) ?? { size: 0, mtime: 0 });
        const reading = this.#read(batch).finally(() => running.delete(reading));
        running.add(reading);
      }
      await Promise.race(running);
      if (this.#buffer.length >= WRITE_AT) this.#flush();
    }
  }

  /** Reads a batch; a file that brings a worker down is tried alone, and then passed over. */
  async #read(batch: string[]): Promise<void> {
    const { db } = this.#opened;
    const at = Date.now();
    let reply: ParseReply;
    try {
      reply = await workers.ask<ParseReply>({ root: this.root, files: batch });
    } catch (error) {
      if (batch.length > 1) {
        for (const file of batch) await this.#read([file]);
        return;
      }
      reply = { id: 0, files: [], failed: batch.map((path) => ({ path, message: (error as Error).message })) };
    }
    if (this.#opened.db !== db) return; // built anew meanwhile
    this.#bufferedAt = this.#buffer.length === 0 ? at : Math.min(at, this.#bufferedAt);
    this.#buffer.push(...reply.files);
    for (const { path, message } of reply.failed) {
      process.stderr.write(`readygate: ${path} could not be indexed: ${message}\n`);
      const stats = this.#tree.files.get(path);
      if (stats) this.#buffer.push(unreadable(path, stats));
    }
  }

  #flush(): void {
    const files = this.#buffer;
    this.#buffer = [];
    for (const { path } of files) this.#reading.delete(path);
    if (files.length === 0) return;
    const readAt = this.#bufferedAt;
    const same = files.filter(({ path, hash }) => hash !== '' && this.#known.get(path)?.hash === hash);
    const changed = files.filter((file) => !same.includes(file));
    this.#change(() => {
      if (same.length > 0) touchFiles(this.db, same, readAt);
      if (changed.length > 0) putFiles(this.db, changed, readAt);
      for (const { path, language, hash, size, mtime, skipped } of files)
        this.#known.set(path, { path, language, hash, size, mtime, readAt, skipped });
    });
    this.#tell();
    if (Date.now() - this.#lastPublish > PUBLISH_EVERY_MS) this.#publish();
  }

  #tell(): void {
    const progress = this.progress();
    for (const listener of this.#listeners) listener(progress);
  }

  #publishSoon(): void {
    if (!this.#unpublished || this.#publishTimer) return;
    if (this.#opened.generation === null) {
      this.#publish();
      return;
    }
    this.#publishTimer = setTimeout(() => {
      this.#publishTimer = null;
      this.#publish();
    }, PUBLISH_AFTER_MS);
  }

  #publish(): void {
    const { file } = this.#opened;
    if (this.#folder === null || file === null || !this.#writer.held() || !this.#unpublished || this.#closed) return;
    this.#lastPublish = Date.now();
    try {
      this.#opened.generation = publish(this.#folder, file);
      this.#unpublished = false;
    } catch (error) {
      // No room or no right to write: this session's own copy still serves, and the next publication may succeed.
      process.stderr.write(`readygate: the code index could not be kept for later sessions: ${(error as Error).message}\n`);
    }
  }

  /** Publishes what is there and lets go of everything. */
  async close(): Promise<void> {
    this.#publish();
    this.#closed = true;
    if (this.#publishTimer) clearTimeout(this.#publishTimer);
    await this.#writer.letGo();
    discard(this.#opened);
    workers.end();
  }
}
