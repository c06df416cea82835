/** What a command of the readygate program is made of. */
import type { Language } from '../messages/messages.ts';
import type { Paint } from './paint.ts';
import type { Progress } from './progress.ts';

/** Exit codes: 0 all is well, 1 something is wrong or refused, 64 the command line does not fit. */
export const EXIT = { ok: 0, wrong: 1, usage: 64 } as const;

/** The same for `readygate help --json`; bin/readygate adds 69. */
export const EXIT_CODES = { '0': 'ok', '1': 'wrong or refused', '64': 'usage', '69': 'Node.js is missing' } as const;

export interface CliContext {
  /** The folder the command runs in. */
  cwd: string;
  env: NodeJS.ProcessEnv;
  language: Language;
  /** Whether a person can be asked: a terminal, not a tool of an agent. */
  interactive: boolean;
  /** --json: what goes to stdout is for programs. */
  json: boolean;
  /** Width of the terminal; null where stdout is none. */
  columns: number | null;
  /** Colours for stdout, or none. */
  paint: Paint;
  /** A bar on stderr for work that takes a while. */
  progress: (label: string, total: number) => Progress;
  now: () => Date;
  ask: (question: string) => Promise<string>;
}

/** What a command found: `text` for people, `data` for --json. */
export interface CliResult {
  code: number;
  text: string;
  data: Record<string, unknown>;
  /** The command has printed it all itself. */
  printed?: boolean;
}

export interface CliCommand {
  name: string;
  /** Key of the one-line summary; `<key>.help` is the longer text. */
  summary: string;
  /** What follows the name on the usage line. */
  usage: string;
  /** Options that the command reads itself. */
  options?: readonly string[];
  /** What the value of an option is, for options that take one. */
  values?: Readonly<Record<string, 'file' | 'number'>>;
  /** What a shell completes behind the name. */
  argument?: 'session' | 'revision' | 'file';
  run: (args: string[], context: CliContext) => Promise<CliResult>;
}
