/** What a command of the readygate program is made of. */
import type { Language } from '../messages/messages.ts';

/** Exit codes: 0 all is well, 1 something is wrong or refused, 64 the command line does not fit. */
export const EXIT = { ok: 0, wrong: 1, usage: 64 } as const;

export interface CliContext {
  /** The folder the command runs in. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  language: Language;
  /** Whether a person can be asked: a terminal, not a tool of an agent. */
  interactive: boolean;
  now: () => Date;
  ask: (question: string) => Promise<string>;
}

/** What a command found: `text` for people, `data` for --json. */
export interface CliResult {
  code: number;
  text: string;
  data: Record<string, unknown>;
}

export interface CliCommand {
  name: string;
  /** Key of the one-line summary; `<key>.help` is the longer text. */
  summary: string;
  /** What follows the name on the usage line. */
  usage: string;
  /** Options of its own, beside --json and --help. */
  options?: readonly string[];
  run: (args: string[], context: CliContext) => Promise<CliResult>;
}
