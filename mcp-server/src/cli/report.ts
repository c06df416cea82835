/** readygate report: a session as one HTML file. */
import fs from 'node:fs';
import path from 'node:path';
import { fill, template } from '../messages/messages.ts';
import { isReport, reportPage } from '../report/page.ts';
import { readRecord } from '../report/session-record.ts';
import { folderOf } from '../state/layout.ts';
import { readPlain } from '../state/plain-file.ts';
import { StorageFailed, writeAtomic } from '../state/session-file.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';
import { noJournal, whichJournal } from './which-journal.ts';

const OPTIONS = { out: 'string' } as const;

/** Beside the sessions, so that no report ever becomes part of the user's work by accident. */
const defaultFile = (root: string, session: string): string => path.join(folderOf(root), 'reports', `${session}.html`);

/** What a report is known by stands at its beginning. */
const HEAD_BYTES = 1024;

const holdsReport = (file: string): boolean => isReport(readPlain(file, HEAD_BYTES)?.bytes.toString('utf8') ?? '');

async function run(args: string[], { cwd, language }: CliContext): Promise<CliResult> {
  const say = (key: string, params: Record<string, string | number> = {}) => fill(template(key, language), params);
  const read = readOptions(args, OPTIONS, 1);
  if (!read) return misfit(reportCommand, args, language);
  const [named] = read.rest;
  const found = whichJournal(cwd, named);
  const record = found && readRecord(found.root, found.session);
  if (!found || !record) return noJournal(named, language);
  const page = reportPage(record, language);
  const { out } = read.values;
  if (out === '-') return { code: EXIT.ok, text: page.trimEnd(), data: { session: found.session, html: page } };
  const file = out === undefined ? defaultFile(found.root, found.session) : path.resolve(cwd, out);
  if (out !== undefined && !/\.html?$/i.test(file)) return misfit(reportCommand, args, language);
  // Only a report is written over: the name comes from whoever types, and what was there would be lost.
  if (out !== undefined && fs.existsSync(file) && !holdsReport(file))
    return { code: EXIT.wrong, text: say('cli.report.unwritable', { file, code: 'EEXIST' }), data: { error: 'storage_failed', file } };
  try {
    writeAtomic(file, page);
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
    return { code: EXIT.wrong, text: say('cli.report.unwritable', { file, code: error.code }), data: { error: 'storage_failed', file } };
  }
  return { code: EXIT.ok, text: say('cli.report.written', { session: found.session, file }), data: { session: found.session, file } };
}

export const reportCommand: CliCommand = {
  name: 'report',
  usage: '[session] [--out file.html]',
  options: ['--out'],
  values: { '--out': 'file' },
  argument: 'session',
  summary: 'cli.report.summary',
  run,
};
