/**
 * The fenced commit (STATE.md, One lock). A writer that slept may have lost its lock without knowing. So every writer
 * writes in a folder of its own and moves the folders of all others away before it reads: of two that overlap at least
 * one then fails to rename its result into place, and begins again with what the other wrote.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { folderOf, snapshotFile, stateFile } from './layout.ts';
import { type SessionFile, StorageFailed, serialize, syncFolder, writeDurably } from './session-file.ts';

const OWN = 'state.json.own.';
const DEAD = 'state.json.dead.';

/** Another writer came in between: what was computed is out of date. Nothing was written. */
export class Fenced extends Error {}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
const nonce = (): string => randomBytes(6).toString('hex');

/** Where a damaged state is kept. */
function keptName(root: string, now: Date): string {
  const name = `${stateFile(root)}.corrupt-${now.toISOString().replace(/[:.]/g, '-')}`;
  return fs.existsSync(name) ? `${name}-${nonce()}` : name;
}

/** Moves another writer's folder out of its reach. It may have finished, or somebody else may have been faster. */
function bury(folder: string, name: string): void {
  try {
    fs.renameSync(path.join(folder, name), path.join(folder, `${DEAD}${nonce()}`));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Removes what is left of other writers. A damaged state that one was about to keep is kept now. */
function clearDead(root: string, name: string): void {
  const dead = path.join(folderOf(root), name);
  try {
    const damaged = path.join(dead, 'corrupt');
    if (fs.lstatSync(damaged, { throwIfNoEntry: false })) fs.renameSync(damaged, keptName(root, new Date()));
    fs.rmSync(dead, { recursive: true, force: true });
  } catch {
    // It harms nobody, and the next writer tries again.
  }
}

export class Fence {
  readonly root: string;
  readonly #own: string;

  private constructor(root: string) {
    this.root = root;
    const host = os.hostname().replace(/[^A-Za-z0-9-]/g, '_');
    this.#own = path.join(folderOf(root), `${OWN}${host}.${process.pid}.${nonce()}`);
  }

  /** Makes this writer the only one that can write. Only what is read from now on counts. @throws StorageFailed */
  static open(root: string): Fence {
    const fence = new Fence(root);
    const folder = folderOf(root);
    try {
      fs.mkdirSync(fence.#own);
      const names = fs.readdirSync(folder);
      const others = names.filter((name) => name.startsWith(OWN) && name !== path.basename(fence.#own));
      for (const name of others) bury(folder, name);
      const dead = others.length > 0 ? fs.readdirSync(folder) : names;
      for (const name of dead) if (name.startsWith(DEAD)) clearDead(root, name);
      return fence;
    } catch (error) {
      throw new StorageFailed(folder, error);
    }
  }

  /** Whether no other writer has come in between so far. */
  get holds(): boolean {
    return fs.existsSync(this.#own);
  }

  /** Does what needs this writer's folder. @throws Fenced when it is gone, StorageFailed for anything else */
  #inside(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && !this.holds) throw new Fenced();
      throw new StorageFailed(stateFile(this.root), error);
    }
  }

  /**
   * Replaces the active state: whole, and on the disk, or not at all. Keeps a second copy beside the session, to recover
   * from. @returns the text that was written
   * @throws Fenced, StorageFailed; then nothing was written
   */
  commit(state: SessionFile): string {
    const text = serialize(state);
    const [fresh, copy] = [path.join(this.#own, 'new'), path.join(this.#own, 'copy')];
    this.#inside(() => {
      writeDurably(fresh, text);
      fs.writeFileSync(copy, text, { mode: 0o600 });
      fs.renameSync(fresh, stateFile(this.root));
    });
    try {
      syncFolder(folderOf(this.root));
      this.#keepCopy(copy, snapshotFile(this.root, state.session, state.rev));
    } catch {
      // The new state stands. That a power failure could still undo it, or a copy is missing, is no reason to say otherwise.
    }
    return text;
  }

  #keepCopy(copy: string, snapshot: string): void {
    try {
      fs.renameSync(copy, snapshot);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      fs.mkdirSync(path.dirname(snapshot), { recursive: true });
      fs.renameSync(copy, snapshot);
    }
  }

  /** Removes state.json, whose session is archived. @throws Fenced, StorageFailed */
  remove(): void {
    this.#inside(() => fs.renameSync(stateFile(this.root), path.join(this.#own, 'over')));
  }

  /** Keeps a damaged state.json under another name; of a link, the link. @returns that name @throws Fenced, StorageFailed */
  setAside(now: Date): string {
    const kept = keptName(this.root, now);
    this.#inside(() => {
      fs.renameSync(stateFile(this.root), path.join(this.#own, 'corrupt'));
      fs.renameSync(path.join(this.#own, 'corrupt'), kept);
    });
    return kept;
  }

  /** Gives a damaged state.json a second name, so that the next commit replaces it. @returns that name; null where that cannot be done */
  linkAside(now: Date): string | null {
    const kept = keptName(this.root, now);
    try {
      // Of a symbolic link, a second name may be one of what it points to.
      if (!fs.lstatSync(stateFile(this.root)).isFile()) return null;
      fs.linkSync(stateFile(this.root), kept);
      return kept;
    } catch {
      return null;
    }
  }

  close(): void {
    fs.rmSync(this.#own, { recursive: true, force: true });
  }
}
