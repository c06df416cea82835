/** readygate attest: says, for CI too, whether a merge came from a session whose journal is intact; --seal makes that checkable elsewhere. */
import { attest, type CommitReport, UnknownRevision, type Wanted } from '../attest/check.ts';
import { attestRef, type Sealed, sealSession } from '../attest/sealed.ts';
import { GitFailed } from '../git/failure.ts';
import { assertServed, type Inspection } from '../git/repository.ts';
import { fill, template } from '../messages/messages.ts';
import { inspectRoot } from '../session/locate.ts';
import { rootOf } from '../session/root-of.ts';
import { newestSessions } from '../state/archive.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

const OPTIONS = { seal: 'boolean', every: 'boolean', signed: 'boolean', 'allow-unverified': 'boolean' } as const;

type Say = (key: string, params?: Record<string, string | number>) => string;

const SHORT = 12;

function lineOf(report: CommitReport, { paint }: CliContext, say: Say): string[] {
  const { commit, title, session, flaws, outcome, lines, source, signature } = report;
  const sign = flaws.length > 0 ? paint.red('✗') : session === null ? paint.dim('-') : paint.green('✓');
  const head = `${sign} ${commit.slice(0, SHORT)} ${title}`;
  if (session === null) return [head, `    ${say(flaws.length > 0 ? 'cli.attest.flaw.no_session' : 'cli.attest.not_asked')}`];
  const signed = say(signature === 'good' ? 'cli.attest.signed' : 'cli.attest.not_signed');
  const about =
    source === null ? [] : [`    ${say('cli.attest.session', { session, outcome: outcome ?? '-', count: lines, source, signed })}`];
  return [
    head,
    ...about,
    ...flaws.map(
      (flaw) => `    ${paint.red(say(`cli.attest.flaw.${flaw}`, { session, outcome: outcome ?? '-', ref: attestRef(session) }))}`,
    ),
  ];
}

function verdictOf(reports: readonly CommitReport[]): 'sound' | 'flawed' | 'none' {
  if (reports.some(({ flaws }) => flaws.length > 0)) return 'flawed';
  return reports.some(({ session }) => session !== null) ? 'sound' : 'none';
}

async function check(found: Inspection, range: string, wanted: Wanted, context: CliContext, say: Say): Promise<CliResult> {
  const bar = context.progress('readygate attest', 1);
  const reports = await attest(found.root, range, wanted, (done, total) => bar.update(done, total)).finally(() => bar.end());
  const verdict = verdictOf(reports);
  const from = reports.filter(({ session }) => session !== null).length;
  const end = say(`cli.attest.${verdict}`, {
    range,
    count: reports.length,
    from,
    flawed: reports.filter(({ flaws }) => flaws.length > 0).length,
  });
  const text = [...reports.flatMap((report) => lineOf(report, context, say)), end].join('\n');
  return { code: verdict === 'sound' ? EXIT.ok : EXIT.wrong, text, data: { range, verdict, commits: reports } };
}

function sealLine(sealed: Sealed, { paint }: CliContext, say: Say): string {
  const { session } = sealed;
  if (sealed.status === 'refused') return `${paint.red('✗')} ${say(`cli.attest.refused.${sealed.why}`, { session })}`;
  return `${paint.green('✓')} ${say(`cli.attest.${sealed.status}`, { session, ref: sealed.ref })}`;
}

/** Without a name every finished session of this work tree is sealed; one that is still going on is then no failure. */
async function seal(found: Inspection, named: string | undefined, context: CliContext, say: Say): Promise<CliResult> {
  const sessions = named === undefined ? newestSessions(found.root).reverse() : [named];
  const bar = context.progress('readygate attest --seal', sessions.length);
  const all: Sealed[] = [];
  try {
    for (const session of sessions) {
      all.push(await sealSession(found.root, session));
      bar.update(all.length);
    }
  } finally {
    bar.end();
  }
  const told = named === undefined ? all.filter((one) => one.status !== 'refused' || one.why === 'broken') : all;
  const wrong = told.some(({ status }) => status === 'refused');
  const lines = told.map((sealed) => sealLine(sealed, context, say));
  const end = wrong ? [] : [say(told.length > 0 ? 'cli.attest.push' : 'cli.attest.nothing')];
  return { code: wrong ? EXIT.wrong : EXIT.ok, text: [...lines, ...end].join('\n'), data: { sealed: all } };
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const say: Say = (key, params = {}) => fill(template(key, context.language), params);
  const read = readOptions(args, OPTIONS, 1);
  if (!read) return misfit(attestCommand, args, context.language);
  const { values } = read;
  const [named] = read.rest;
  try {
    const found = await inspectRoot(context.cwd);
    assertServed(found);
    if (found.kind === 'none')
      return { code: EXIT.wrong, text: say('error.not_a_repository', { root: found.root }), data: { error: 'git_failed' } };
    if (values.seal) return await seal(found, named, context, say);
    const wanted = { every: values.every === true, signed: values.signed === true, unverified: values['allow-unverified'] === true };
    return await check(found, named ?? 'HEAD', wanted, context, say);
  } catch (error) {
    if (error instanceof UnknownRevision) {
      const { revision } = error;
      const text = say('cli.attest.unknown_revision', { revision, root: rootOf(context.cwd) });
      return { code: EXIT.wrong, text, data: { error: 'unknown_revision', revision } };
    }
    if (!(error instanceof GitFailed)) throw error;
    const { command, stderrTail, message } = error;
    return {
      code: EXIT.wrong,
      text: say('cli.git_failed', { command: command.join(' '), detail: stderrTail || message }),
      data: { error: 'git_failed' },
    };
  }
}

export const attestCommand: CliCommand = {
  name: 'attest',
  usage: '[revision | range] [--every] [--signed] [--allow-unverified] | --seal [session]',
  options: ['--seal', '--every', '--signed', '--allow-unverified'],
  argument: 'revision',
  summary: 'cli.attest.summary',
  run,
};
