/** Pieces of work that a command is given: tens of thousands of lines, and little enough that a hook answers in time. */
const MOST_STEPS = 20_000;
/** Milliseconds of a safety net: steps decide, so that the same command gets the same verdict on a slow or busy machine. */
const MOST_TIME = 1_500;
/** Not each step looks at the clock. */
const BETWEEN_LOOKS = 64;

/** `process.threadCpuUsage` came with Node 23.9. */
type ThreadClock = { threadCpuUsage?: () => { user: number; system: number } };

/** Milliseconds that this thread has worked, where they can be had: other threads parse and search in the meantime. */
function now(): number {
  const used = (process as ThreadClock).threadCpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / 1000;
}

/** How much work the judging of one command may still take. */
export class Budget {
  private steps = 0;
  private nextLook = BETWEEN_LOOKS;
  private late = false;
  private readonly begun = now();

  /** Takes note of work that was done. */
  spend(steps = 1): void {
    this.steps += steps;
  }

  /** Whether nothing more may be done. */
  get spent(): boolean {
    if (!this.late && this.steps >= this.nextLook) {
      this.nextLook = this.steps + BETWEEN_LOOKS;
      this.late = now() - this.begun > MOST_TIME;
    }
    return this.late || this.steps > MOST_STEPS;
  }

  /** Half of what is left, as a question: a loop must leave something for what follows it. */
  half(): () => boolean {
    const most = this.steps + (MOST_STEPS - this.steps) / 2;
    return () => this.steps > most || this.spent;
  }
}
