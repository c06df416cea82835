/** readygate verify: whether a session's journal is what the session wrote. */
import fs from 'node:fs';
import { fill, template } from '../messages/messages.ts';
import { archivedSession } from '../state/archive.ts';
import { type CheckedJournal, checkJournal } from '../state/check-journal.ts';
import { sha256 } from '../state/journal.ts';
import { stateFile } from '../state/layout.ts';
import { readState, serialize } from '../state/session-file.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';
import { type FoundJournal, noJournal, whichJournal } from './which-journal.ts';

/** The hash that the journal's last transition should hold: of the active state, or of the one that ended the session. */
function hashOfState({ root, session }: FoundJournal): string | null {
  const active = readState(root);
  if (active.kind === 'present' && active.state.session === session) return sha256(fs.readFileSync(stateFile(root)));
  const ended = archivedSession(root, session);
  return ended ? sha256(serialize({ ...ended, gate: 'open' })) : null;
}

/** A journal whose end is missing is a sound chain; only the state tells. A crash between the two explains it as well. */
function endsEarly(found: FoundJournal, { lines }: CheckedJournal): boolean {
  const state = hashOfState(found);
  const last = lines.findLast((line) => typeof line.state === 'string');
  return state !== null && last !== undefined && last.state !== state;
}

async function run(args: string[], { cwd, language }: CliContext): Promise<CliResult> {
  const read = readOptions(args, {}, 1);
  if (!read) return misfit(verifyCommand, args, language);
  const [named] = read.rest;
  const say = (key: string, params: Record<string, string | number> = {}) => fill(template(key, language), params);
  const found = whichJournal(cwd, named);
  if (!found) return noJournal(named, language);
  const { session, file } = found;
  const checked = checkJournal(file);
  const { lines, broken, cut } = checked;
  const early = !broken && endsEarly(found, checked);
  const warnings = [...cut.map(({ line }) => say('cli.verify.cut', { line })), ...(early ? [say('cli.verify.early')] : [])];
  const verdict = broken
    ? say(`cli.verify.${broken.what}`, { session, line: broken.line })
    : say('cli.verify.sound', { session, count: lines.length });
  return {
    code: broken ? EXIT.wrong : EXIT.ok,
    text: [verdict, ...warnings.map((warning) => `! ${warning}`)].join('\n'),
    data: { session, file, sound: !broken, lines: lines.length, broken, warnings },
  };
}

export const verifyCommand: CliCommand = { name: 'verify', usage: '[session]', argument: 'session', summary: 'cli.verify.summary', run };
