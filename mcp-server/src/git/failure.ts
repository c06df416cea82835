import { withoutUserInfo } from '../messages/addresses.ts';

/** Why a git command did not work, as far as it can be told from outside. */
export type FailureReason = 'identity' | 'hook' | 'missing' | 'lock' | 'other';

const TAIL = 4000;

/** The last part of an output, where programs say what went wrong; addresses in it lose their user and password. */
export function tailOf(text: string): string {
  const trimmed = withoutUserInfo(text).trimEnd();
  return trimmed.length <= TAIL ? trimmed : `…${trimmed.slice(-TAIL)}`;
}

/**
 * A git command (or a file operation of ours around git) that failed.
 *
 * `command` is the program with its arguments, `exitCode` is null when it never ran or was stopped,
 * `stderrTail` the end of its output, `hook` the name of the user's hook that refused.
 */
export class GitFailed extends Error {
  readonly command: string[];
  readonly exitCode: number | null;
  readonly stderrTail: string;
  readonly reason: FailureReason;
  readonly hook: string | null;

  constructor(
    message: string,
    about: { command: string[]; exitCode?: number | null; stderrTail?: string; reason?: FailureReason; hook?: string | null },
  ) {
    super(withoutUserInfo(message));
    this.name = 'GitFailed';
    this.command = about.command.map(withoutUserInfo);
    this.exitCode = about.exitCode ?? null;
    this.stderrTail = about.stderrTail ?? '';
    this.reason = about.reason ?? 'other';
    this.hook = about.hook ?? null;
  }
}

/** Turns an error of the file system (read-only folder, full disk) into a GitFailed that names what was being done. */
export function diskFailure(doing: string, error: unknown): GitFailed {
  if (error instanceof GitFailed) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new GitFailed(`${doing} failed: ${text}`, { command: [doing], stderrTail: tailOf(text) });
}
