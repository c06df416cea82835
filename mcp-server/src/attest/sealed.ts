/**
 * Sealed journals: a finished session's journal as a commit under refs/readygate/attest/<session>, so that it can be pushed,
 * and checked in a clone that has no `.readygate`.
 */
import fs from 'node:fs';
import path from 'node:path';
import { GitFailed, git, gitBytes, gitLine } from '../git/run.ts';
import { checkJournalBytes } from '../state/check-journal.ts';
import { sha256 } from '../state/journal.ts';
import { isSessionId, journalFile } from '../state/layout.ts';
import { isPlainFile, readPlain } from '../state/plain-file.ts';

const PREFIX = 'refs/readygate/attest/';
const FILE = 'journal.jsonl';

export const attestRef = (session: string): string => `${PREFIX}${session}`;

/** What git says of a sealed journal's signature. */
export type Signature = 'good' | 'none' | 'bad' | 'unknown';

export interface FoundSeal {
  bytes: Buffer;
  /** The ref it was read from, or the file where it was not sealed yet. */
  source: string;
  signature: Signature;
}

async function signatureOf(root: string, ref: string): Promise<Signature> {
  const letter = await gitLine(root, ['log', '-1', '--format=%G?', ref, '--'], []);
  if (letter === 'G' || letter === 'U') return 'good';
  if (letter === 'N') return 'none';
  return letter === 'B' || letter === 'R' ? 'bad' : 'unknown';
}

/** Whether a file of the work tree is what it seems, and not part of what was checked out: that came with the commits to be judged. */
async function isOfThisMachine(root: string, file: string): Promise<boolean> {
  const real = fs.realpathSync(root);
  const inside = path.relative(root, file);
  if (fs.realpathSync(file) !== path.join(real, inside)) return false;
  return (await gitLine(real, ['--literal-pathspecs', 'ls-files', '--', inside], [128])) === '';
}

/** A session's journal: sealed if it is, else the one in `.readygate` of this work tree; null when there is neither. @throws GitFailed */
export async function findJournal(root: string, session: string): Promise<FoundSeal | null> {
  if (!isSessionId(session)) return null;
  const ref = attestRef(session);
  if ((await gitLine(root, ['rev-parse', '-q', '--verify', '--end-of-options', `${ref}^{commit}`], [1])) !== null) {
    const bytes = Buffer.from(await gitBytes(root, ['cat-file', 'blob', `${ref}:${FILE}`]));
    return { bytes, source: ref, signature: await signatureOf(root, ref) };
  }
  const file = journalFile(root, session);
  if (!isPlainFile(file) || !(await isOfThisMachine(root, file))) return null;
  const found = readPlain(file);
  return found && { bytes: found.bytes, source: file, signature: 'none' };
}

export type Sealed =
  | { session: string; status: 'sealed' | 'unchanged'; ref: string }
  | { session: string; status: 'refused'; why: Refusal };
export type Refusal = 'missing' | 'broken' | 'unfinished';

/** How a journal says that its session ended; null while it goes on. */
export function outcomeIn(lines: readonly Record<string, unknown>[]): string | null {
  const last = lines.findLast((line) => typeof line.outcome === 'string');
  return typeof last?.outcome === 'string' ? last.outcome : null;
}

/**
 * Seals the journal of a finished session; the same journal again changes nothing.
 * Signed where the user signs commits (`commit.gpgSign`).
 * @throws GitFailed
 */
export async function sealSession(root: string, session: string): Promise<Sealed> {
  const found = isSessionId(session) ? readPlain(journalFile(root, session)) : null;
  if (!found) return { session, status: 'refused', why: 'missing' };
  const { bytes } = found;
  const { lines, broken } = checkJournalBytes(bytes);
  if (broken) return { session, status: 'refused', why: 'broken' };
  const outcome = outcomeIn(lines);
  if (outcome === null) return { session, status: 'refused', why: 'unfinished' };
  const ref = attestRef(session);
  const blob = (await git(root, ['hash-object', '-w', '--stdin'], { input: bytes })).stdout.trim();
  const tree = (await git(root, ['mktree'], { input: `100644 blob ${blob}\t${FILE}\n` })).stdout.trim();
  const before = await gitLine(root, ['rev-parse', '-q', '--verify', '--end-of-options', `${ref}^{tree}`], [1]);
  if (before === tree) return { session, status: 'unchanged', ref };
  const signs = (await gitLine(root, ['config', '--type=bool', '--get', 'commit.gpgSign'], [1])) === 'true';
  const head = sha256(bytes);
  const message = `Readygate session ${session}: ${outcome}\n\n${lines.length} journal lines, sha256 ${head}\n`;
  const commit = (await git(root, ['commit-tree', ...(signs ? ['-S'] : []), '-F', '-', tree], { input: message })).stdout.trim();
  if (commit === '') throw new GitFailed('git commit-tree gave no commit', { command: ['git', 'commit-tree'], stderrTail: '' });
  await git(root, ['update-ref', ref, commit]);
  return { session, status: 'sealed', ref };
}
