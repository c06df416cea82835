/** Pieces of work that a command is given: tens of thousands of lines, and little enough that a hook answers in time. */
const MOST_STEPS = 20_000;
/** Milliseconds of a safety net: steps decide, so that the same command gets the same verdict on a slow or busy machine. */
const MOST_WORKED = 1_500;
const MOST_PASSED = 6_000;
/** Not each step looks at the clock. */
const BETWEEN_LOOKS = 64;

/** `process.threadCpuUsage` came with Node 23.9. */
type ThreadClock = { threadCpuUsage?: () => { user: number; system: number } };

/** What this thread has used up of the safety net, where it can be told from other threads and programs: those parse and search meanwhile. */
function used(): number {
  const worked = (process as ThreadClock).threadCpuUsage?.();
  return worked === undefined ? performance.now() / MOST_PASSED : (worked.user + worked.system) / 1000 / MOST_WORKED;
}

/** How much work the judging of one command may still take. */
export class Budget {
  private steps = 0;
  private nextLook = BETWEEN_LOOKS;
  private late = false;
  private readonly begun = used();

  /** Takes note of work that was done. */
  spend(steps = 1): void {
    this.steps += steps;
  }

  /** Whether nothing more may be done. */
  get spent(): boolean {
    if (!this.late && this.steps >= this.nextLook) {
      this.nextLook = this.steps + BETWEEN_LOOKS;
      this.late = used() - this.begun > 1;
    }
    return this.late || this.steps > MOST_STEPS;
  }

  /** Half of what is left, as a question: a loop must leave something for what follows it. */
  half(): () => boolean {
    const most = this.steps + (MOST_STEPS - this.steps) / 2;
    return () => this.steps > most || this.spent;
  }
}
