/** Which session's journal a command is about: the one named, else the active one, else the one that ended last. */
import { fill, type Language, template } from '../messages/messages.ts';
import { rootOf } from '../session/root-of.ts';
import { newestSessions } from '../state/archive.ts';
import { isSessionId, journalFile } from '../state/layout.ts';
import { isPlainFile } from '../state/plain-file.ts';
import { readState } from '../state/session-file.ts';
import { type CliResult, EXIT } from './command.ts';

export interface FoundJournal {
  root: string;
  session: string;
  file: string;
}

/** @returns null when there is no such journal */
export function whichJournal(cwd: string, named: string | undefined): FoundJournal | null {
  const root = rootOf(cwd);
  const active = readState(root);
  const candidates = named !== undefined ? [named] : active.kind === 'present' ? [active.state.session] : newestSessions(root);
  const session = candidates.find((id) => isSessionId(id) && isPlainFile(journalFile(root, id)));
  return session === undefined ? null : { root, session, file: journalFile(root, session) };
}

/** The answer of a command that found no journal. */
export function noJournal(named: string | undefined, language: Language): CliResult {
  const text =
    named === undefined ? template('cli.journal.empty', language) : fill(template('cli.journal.none', language), { session: named });
  return { code: EXIT.wrong, text, data: { error: 'no_session' } };
}
