/**
 * A journal kept in step with its file: only what was appended is read, a line is found by its place, and the sums that
 * the page shows are kept as it grows. So a long session costs as little to watch as a short one.
 */
import fs from 'node:fs';
import { type JournalLine, parseLine } from '../state/journal.ts';
import { journalFile } from '../state/layout.ts';
import { openPlain } from '../state/plain-file.ts';
import { NOT_BEGUN, pass } from '../state/visits.ts';
import { categoryOf, eventRow, goesBack } from './event-row.ts';
import { CATEGORIES, type Category, type EventPage, type EventRow, type Language, type StepTime } from './view.ts';

const CHUNK = 256 * 1024;
const NEWLINE = 10;

/** Where a line lies, and what is needed to choose it without reading it. */
interface Place {
  from: number;
  length: number;
  seq: number;
  category: Category;
  took: number | null;
}

const noCounts = (): Record<Category, number> => Object.fromEntries(CATEGORIES.map((name) => [name, 0])) as Record<Category, number>;

export interface PageRequest {
  /** Only lines older than this one; 0: from the end. */
  before?: number;
  /** Only lines newer than this one. */
  after?: number;
  limit: number;
  only: Category | null;
  /** Of the reasons. */
  language?: Language;
}

export class JournalIndex {
  readonly root: string;
  readonly session: string;
  #size = 0;
  #identity = '';
  #places: Place[] = [];
  #passing = NOT_BEGUN;
  counts = noCounts();
  returns: Record<string, number> = {};
  times = new Map<number, number>();
  started: number | null = null;
  last: JournalLine | null = null;
  broken = false;

  /** @param keep false: only the sums are kept, not the places of the lines */
  constructor(
    root: string,
    session: string,
    private readonly keep = true,
  ) {
    this.root = root;
    this.session = session;
  }

  get file(): string {
    return journalFile(this.root, this.session);
  }

  #forget(): void {
    this.#size = 0;
    this.#places = [];
    this.#passing = NOT_BEGUN;
    this.counts = noCounts();
    this.returns = {};
    this.times = new Map();
    this.started = null;
    this.last = null;
    this.broken = false;
  }

  /** Reads what came since the last time. A journal that cannot be read is an empty one. */
  refresh(): this {
    const handle = openPlain(this.file);
    if (handle === null) {
      this.#forget();
      return this;
    }
    try {
      const { size, ino, dev } = fs.fstatSync(handle);
      const identity = `${dev}:${ino}`;
      // Another file, or a shorter one: what is known of it is worth nothing.
      if (identity !== this.#identity || size < this.#size) this.#forget();
      this.#identity = identity;
      this.#read(handle, size);
    } finally {
      fs.closeSync(handle);
    }
    return this;
  }

  #read(handle: number, size: number): void {
    let rest = Buffer.alloc(0);
    let at = this.#size;
    while (at + rest.length < size) {
      const want = Math.min(CHUNK, size - at - rest.length);
      const bytes = Buffer.alloc(want);
      const got = fs.readSync(handle, bytes, 0, want, at + rest.length);
      if (got === 0) break;
      const all = Buffer.concat([rest, bytes.subarray(0, got)]);
      let from = 0;
      for (let end = all.indexOf(NEWLINE); end >= 0; end = all.indexOf(NEWLINE, from)) {
        if (end > from) this.#take(all.toString('utf8', from, end), at + from, end - from);
        from = end + 1;
      }
      at += from;
      rest = all.subarray(from);
    }
    // A line that is not whole yet is read again next time.
    this.#size = at;
  }

  #take(raw: string, from: number, length: number): void {
    const line = parseLine(raw);
    if (!line) return;
    if (this.last && line.seq !== this.last.seq + 1) this.broken = true;
    const took = this.#time(line);
    const category = categoryOf(line);
    this.counts[category] += 1;
    if (goesBack(line)) {
      const way = `${line.step}>${line.to_step}`;
      this.returns[way] = (this.returns[way] ?? 0) + 1;
    }
    if (this.keep) this.#places.push({ from, length, seq: line.seq, category, took });
    this.last = line;
  }

  #time(line: JournalLine): number | null {
    const at = Date.parse(line.at);
    if (Number.isNaN(at)) return null;
    this.started ??= at;
    this.#passing = pass(this.#passing, line);
    const { stay } = this.#passing;
    if (!stay) return null;
    const took = stay.to - stay.from;
    this.times.set(stay.step, (this.times.get(stay.step) ?? 0) + took);
    return took;
  }

  get durations(): StepTime[] {
    return [...this.times].map(([step, ms]) => ({ step, ms })).sort((a, b) => a.step - b.step);
  }

  /** Rows, newest first, with the sums of the whole journal. */
  page({ before = 0, after = 0, limit, only, language = 'en' }: PageRequest): EventPage {
    const chosen: Place[] = [];
    let more = false;
    for (let index = this.#places.length - 1; index >= 0; index--) {
      const place = this.#places[index] as Place;
      if (place.seq <= after) break;
      if ((before > 0 && place.seq >= before) || (only !== null && place.category !== only)) continue;
      if (chosen.length === limit) {
        more = true;
        break;
      }
      chosen.push(place);
    }
    return {
      session: this.session,
      rows: this.#rows(chosen, language),
      more,
      counts: this.counts,
      total: Object.values(this.counts).reduce((sum, count) => sum + count, 0),
      last_seq: this.last?.seq ?? 0,
      returns: this.returns,
      durations: this.durations,
      broken: this.broken,
    };
  }

  #rows(places: readonly Place[], language: Language): EventRow[] {
    if (places.length === 0) return [];
    const handle = openPlain(this.file);
    if (handle === null) return [];
    try {
      return places.flatMap(({ from, length, took }) => {
        const bytes = Buffer.alloc(length);
        fs.readSync(handle, bytes, 0, length, from);
        const line = parseLine(bytes.toString('utf8'));
        return line ? [eventRow(line, took, language)] : [];
      });
    } finally {
      fs.closeSync(handle);
    }
  }
}
