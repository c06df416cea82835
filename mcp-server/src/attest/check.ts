/** Whether commits came from sessions: each names its session in a trailer, and that session's journal must name the commit. */
import { GitFailed, git, gitLine, records } from '../git/run.ts';
import { TRAILER } from '../session/effects.ts';
import { type CheckedJournal, checkJournalBytes } from '../state/check-journal.ts';
import { findJournal, outcomeIn, type Signature } from './sealed.ts';

/** What is wrong with a commit, as the end of a message key. */
export type Flaw = 'no_session' | 'no_journal' | 'broken' | 'not_recorded' | 'unfinished' | 'unverified' | 'bad_signature' | 'unsigned';

export interface CommitReport {
  commit: string;
  title: string;
  session: string | null;
  merge: boolean;
  flaws: Flaw[];
  outcome: string | null;
  lines: number;
  source: string | null;
  signature: Signature | null;
}

export interface Wanted {
  /** Also commits that name no session are flaws. */
  every: boolean;
  /** Only sealed journals with a good signature count. */
  signed: boolean;
  /** A session whose verification the user accepted unproved, or that was aborted, counts, too. */
  unverified: boolean;
}

interface Commit {
  oid: string;
  parents: string[];
  session: string | null;
  title: string;
}

const FORMAT = `%H%x1f%P%x1f%(trailers:key=${TRAILER},valueonly,separator=%x2C)%x1f%s`;

/** A revision, or an end of a range, that names no commit here. */
export class UnknownRevision extends Error {
  readonly revision: string;
  constructor(revision: string) {
    super(`there is no commit ${revision}`);
    this.revision = revision;
  }
}

/** The end of a range, or the revision itself, that names no commit; null when each names one. */
async function unknownIn(root: string, range: string): Promise<string | null> {
  for (const end of range.split(/\.{2,3}/)) {
    const revision = end || 'HEAD';
    if ((await gitLine(root, ['rev-parse', '-q', '--verify', '--end-of-options', `${revision}^{commit}`], [1])) === null) return revision;
  }
  return null;
}

/** The commits of `A..B`, or the one that a revision names. @throws UnknownRevision, GitFailed */
async function commitsIn(root: string, range: string): Promise<Commit[]> {
  if (range.startsWith('-')) throw new UnknownRevision(range);
  const single = !range.includes('..');
  const one = single ? ['-1'] : [];
  const { stdout } = await git(root, ['log', '-z', ...one, `--format=${FORMAT}`, range, '--']).catch(async (error: unknown) => {
    const unknown = error instanceof GitFailed ? await unknownIn(root, range).catch(() => null) : null;
    throw unknown === null ? error : new UnknownRevision(unknown);
  });
  const found = records(stdout);
  // Git takes a file's or a folder's name without a word, and lists nothing.
  if (single && found.length === 0) throw new UnknownRevision(range);
  return found.map((record) => {
    const [oid = '', parents = '', session = '', title = ''] = record.split('\x1f');
    // Where a message names several, the last is the one that git wrote last.
    return { oid, parents: parents.split(' ').filter(Boolean), session: session.split(',').at(-1)?.trim() || null, title };
  });
}

/** Every commit that a journal's own lines say the session made. */
function recordedIn({ lines }: CheckedJournal): Set<string> {
  const made = lines.filter(({ event }) => event === 'done' || event === 'recovered');
  return new Set(
    made.flatMap(({ result }) =>
      typeof (result as { commit?: unknown } | null)?.commit === 'string' ? [(result as { commit: string }).commit] : [],
    ),
  );
}

const PROVED = new Set(['completed', 'completed_with_issues', 'verified', 'investigated', 'nothing_to_do']);

interface KnownSession {
  checked: CheckedJournal;
  recorded: Set<string>;
  outcome: string | null;
  source: string;
  signature: Signature;
}

async function sessionOf(root: string, id: string, known: Map<string, KnownSession | null>): Promise<KnownSession | null> {
  const there = known.get(id);
  if (there !== undefined) return there;
  const found = await findJournal(root, id);
  const checked = found && checkJournalBytes(found.bytes);
  const session =
    found && checked
      ? { checked, recorded: recordedIn(checked), outcome: outcomeIn(checked.lines), source: found.source, signature: found.signature }
      : null;
  known.set(id, session);
  return session;
}

function flawsOf({ oid }: Commit, { checked, recorded, outcome, signature }: KnownSession, wanted: Wanted): Flaw[] {
  if (checked.broken) return ['broken'];
  return [
    ...(recorded.has(oid) ? [] : (['not_recorded'] as const)),
    ...(outcome === null ? (['unfinished'] as const) : PROVED.has(outcome) || wanted.unverified ? [] : (['unverified'] as const)),
    ...(signature === 'bad' ? (['bad_signature'] as const) : wanted.signed && signature !== 'good' ? (['unsigned'] as const) : []),
  ];
}

async function reportOn(
  root: string,
  commit: Commit,
  must: boolean,
  wanted: Wanted,
  known: Map<string, KnownSession | null>,
): Promise<CommitReport> {
  const { oid, title, session: id, parents } = commit;
  const base = { commit: oid, title, session: id, merge: parents.length > 1, outcome: null, lines: 0, source: null, signature: null };
  if (id === null) return { ...base, flaws: must ? ['no_session'] : [] };
  const session = await sessionOf(root, id, known);
  if (!session) return { ...base, flaws: ['no_journal'] };
  const { outcome, source, signature, checked } = session;
  return { ...base, flaws: flawsOf(commit, session, wanted), outcome, source, signature, lines: checked.lines.length };
}

/**
 * Checks a revision, or every commit of a range `A..B`. What a session's merge brings in must come from a session, too.
 * @param tick called after each commit with how many are done and how many there are
 * @throws UnknownRevision when the range names no commits, GitFailed when they cannot be read
 */
export async function attest(
  root: string,
  range: string,
  wanted: Wanted,
  tick: (done: number, total: number) => void = () => {},
): Promise<CommitReport[]> {
  const asked = await commitsIn(root, range);
  const brought = new Map<string, Commit>();
  for (const { parents, session } of asked) {
    const [first, second] = parents;
    if (session === null || first === undefined || second === undefined) continue;
    for (const commit of await commitsIn(root, `${first}..${second}`)) brought.set(commit.oid, commit);
  }
  const single = !range.includes('..');
  const more = [...brought.values()].filter(({ oid }) => !asked.some((commit) => commit.oid === oid));
  const all = [...asked, ...more];
  const known = new Map<string, KnownSession | null>();
  const reports: CommitReport[] = [];
  for (const commit of all) {
    reports.push(await reportOn(root, commit, single || wanted.every || brought.has(commit.oid), wanted, known));
    tick(reports.length, all.length);
  }
  return reports;
}
