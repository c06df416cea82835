/** What a work tree looks like right now, without a watcher: times of folders tell whether to list again, times of files what moved. */
import fs from 'node:fs';
import path from 'node:path';
import { type Listing, listFiles } from './list.ts';

export interface FileStat {
  size: number;
  mtime: number;
}

/** A change within the same tick of the file system's clock has the same time: what is that new is looked at again. */
const TICK_MS = 50;
/** Times of folders do not tell everything (rules outside of the work tree), so a listing is not believed forever. */
const BELIEVED_MS = 10_000;

export interface TreeState {
  /** Regular files, by path; in the order of the listing. */
  files: Map<string, FileStat>;
  /** Listed, but no regular files: links, submodules, sockets. */
  others: number;
  truncated: boolean;
}

export class TreeWatch {
  readonly #root: string;
  #listing: Listing | null = null;
  #listedAt = 0;
  #times = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  #timeOf(absolute: string): number {
    try {
      return fs.statSync(absolute, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    } catch {
      return 0;
    }
  }

  #places({ folders, rules }: Listing): string[] {
    return [...folders.map((folder) => path.join(this.#root, folder)), ...rules];
  }

  #moved(): boolean {
    if (!this.#listing || Date.now() - this.#listedAt > BELIEVED_MS) return true;
    for (const [place, time] of this.#times) {
      const now = this.#timeOf(place);
      if (now !== time || now > this.#listedAt - TICK_MS) return true;
    }
    return false;
  }

  /** The listing as it is now. */
  async listing(): Promise<Listing> {
    if (this.#listing && !this.#moved()) return this.#listing;
    const at = Date.now();
    const listing = await listFiles(this.#root);
    this.#times = new Map(this.#places(listing).map((place) => [place, this.#timeOf(place)]));
    this.#listedAt = at;
    this.#listing = listing;
    return listing;
  }

  /** Forgets what is known, so that the next look lists anew. */
  forget(): void {
    this.#listing = null;
  }

  /** Lists where needed, and looks at every file. */
  async look(): Promise<TreeState> {
    const { files, truncated } = await this.listing();
    const state: TreeState = { files: new Map(), others: 0, truncated };
    const prefix = `${this.#root}/`;
    for (const file of files) {
      let stats: fs.Stats | undefined;
      try {
        stats = fs.lstatSync(prefix + file, { throwIfNoEntry: false });
      } catch {
        continue; // a folder on the way became a file, or may not be entered
      }
      if (!stats) continue;
      if (stats.isFile()) state.files.set(file, { size: stats.size, mtime: stats.mtimeMs });
      else state.others++;
    }
    return state;
  }
}

/** Whether a file may have changed within the same tick after it was read. A time in the future tells nothing. */
export const isFresh = (mtime: number, readAt: number): boolean => mtime > readAt - TICK_MS && mtime < readAt + TICK_MS;

export const isSame = (a: FileStat, b: FileStat): boolean => a.size === b.size && a.mtime === b.mtime;
