/** One session's part in who may publish the index of a work tree: at most one at a time does. */
import { takeWriterLock, type WriterLock } from '../store/published.ts';

const RETRY_MS = 1000;

export class Writer {
  #lock: WriterLock | null = null;
  #tried = 0;

  held(): boolean {
    return this.#lock?.held() === true;
  }

  /** Takes the lock where nobody has it; asks for it once a second at most. @returns whether it is held */
  async become(folder: string): Promise<boolean> {
    if (this.held()) return true;
    if (Date.now() - this.#tried < RETRY_MS) return false;
    this.#tried = Date.now();
    this.#lock = await takeWriterLock(folder);
    return this.#lock !== null;
  }

  async letGo(): Promise<void> {
    const lock = this.#lock;
    this.#lock = null;
    await lock?.release();
  }
}
