import type { Evaluator } from './evaluator.ts';
import type { Scope } from './scope.ts';

/** One command about to run: its name without folder, its arguments, and where. */
export interface Call {
  name: string;
  args: readonly string[];
  scope: Scope;
  /** What comes in on standard input, as far as it is known; null when nothing is connected to it. */
  stdin: string | null;
  evaluator: Evaluator;
}

/** Handles a command and returns what it prints; null leaves it to the tables. */
export type Handler = (call: Call) => string | null;
