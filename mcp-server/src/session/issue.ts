/** The issue that a session is about: read at its start, kept as data, looked at again when work on it goes on. */
import fs from 'node:fs';
import type { EarlierSession, MessageRef, SessionState } from '../flow/types.ts';
import { fenced, type Issue } from '../issue/issue.ts';
import { fetchIssue, type IssueRead } from '../issue/read.ts';
import { type IssueReference, knownBy, namesIssue, parseIssue } from '../issue/reference.ts';
import { maskText } from '../pre-planning/mask.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import { archivedSession, newestSessions } from '../state/archive.ts';
import { issueFile } from '../state/layout.ts';
import { StorageFailed, writeAtomic } from '../state/session-file.ts';

interface KeptIssue extends Issue {
  key: string;
  url: string;
  read_at: string;
}

type WithIssue = Pick<SessionState, 'work_tree' | 'session' | 'issue' | 'phase' | 'step' | 'outcome'>;

/** @returns the issue as it was read for a session, or null */
function keptIssue(root: string, session: string): KeptIssue | null {
  try {
    return JSON.parse(fs.readFileSync(issueFile(root, session), 'utf8')) as KeptIssue;
  } catch {
    return null;
  }
}

/** @throws StorageFailed */
export function keepIssue(root: string, session: string, { key, url }: IssueReference, issue: Issue, now: Date): void {
  const kept: KeptIssue = { key, url, read_at: now.toISOString(), ...issue };
  writeAtomic(issueFile(root, session), `${JSON.stringify(kept, null, 2)}\n`);
}

/** What the issue says, between fences; undefined where it was never read. */
export function shownIssue({ work_tree, session }: Pick<SessionState, 'work_tree' | 'session'>): string | undefined {
  const kept = keptIssue(work_tree, session);
  return kept ? fenced(kept) : undefined;
}

/**
 * The issue that notices may be written to: with the user's name under them, so only where the user named it. Where hooks do
 * not report what the user types, the reference is taken as given, as flags are.
 */
export function commentable({ issue, user_prompt }: Pick<SessionState, 'issue' | 'user_prompt'>): IssueReference | null {
  const reference = issue ? parseIssue(issue.url) : null;
  return reference && (user_prompt === null || namesIssue(user_prompt, reference)) ? reference : null;
}

/** Said at the start when notifiers would comment on an issue that the user did not name. */
export function unnamedWarning(state: Pick<SessionState, 'issue' | 'user_prompt' | 'config'>): MessageRef[] {
  const comments = settingsOf(state).notification.notifiers.some(({ type }) => type === 'github' || type === 'gitlab');
  return comments && state.issue && !commentable(state) ? [{ key: 'warning.issue_not_named', params: { issue: state.issue.url } }] : [];
}

/** How many sessions are looked at, and how many are named. */
const LOOKED_AT = 200;
const NAMED = 5;

/** Rule P13: sessions that ended, on the same issue, the newest first. */
export function earlierSessions({ work_tree, session, issue }: Pick<SessionState, 'work_tree' | 'session' | 'issue'>): EarlierSession[] {
  if (!issue) return [];
  const found: EarlierSession[] = [];
  for (const id of newestSessions(work_tree).slice(0, LOOKED_AT)) {
    if (id === session) continue;
    const earlier = archivedSession(work_tree, id);
    if (earlier?.issue?.key !== issue.key) continue;
    found.push({ session: id, task: maskText(earlier.task || earlier.request), outcome: earlier.outcome ?? '' });
    if (found.length === NAMED) break;
  }
  return found;
}

export interface StartIssue {
  reference: IssueReference;
  read: IssueRead;
}

/** Reads the issue that a session starts with. */
export async function readForStart(reference: IssueReference, root: string): Promise<StartIssue> {
  const read = await fetchIssue(reference, root);
  return { reference: 'program' in read ? knownBy(read.program, reference) : reference, read };
}

/** What is said when the issue could not be read. */
export function unreadWarning({ reference, read }: StartIssue): MessageRef[] {
  return 'detail' in read
    ? [{ key: 'warning.issue_unread', params: { issue: reference.url, detail: maskText(read.detail).slice(0, 300) } }]
    : [];
}

/** Sessions whose issue this process has read, or looked at again, already. */
const lookedAt = new Set<string>();

/** The process that started a session knows its issue. */
export const knowIssue = (session: string): void => {
  lookedAt.add(session);
};

/** The last step at which a changed issue changes the work: the plan. */
const LAST_STEP = 12;

/**
 * Rule P13: when another process goes on with a session, looks once whether its issue changed meanwhile. The new text is kept.
 * @returns the warning, or nothing; never throws
 */
export async function issueDrift(state: WithIssue, now: Date): Promise<MessageRef[]> {
  const { work_tree: root, session, issue, step, outcome } = state;
  if (!issue || outcome !== null || step > LAST_STEP || lookedAt.has(session)) return [];
  lookedAt.add(session);
  const reference = parseIssue(issue.url);
  const kept = keptIssue(root, session);
  if (!reference || !kept) return [];
  const read = await fetchIssue(reference, root);
  if ('detail' in read || read.issue.hash === kept.hash) return [];
  try {
    keepIssue(root, session, reference, read.issue, now);
  } catch (error) {
    if (!(error instanceof StorageFailed)) throw error;
  }
  return [{ key: 'warning.issue_changed', params: { issue: reference.url, file: issueFile(root, session) } }];
}
