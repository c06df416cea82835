/** Telling others of a notice: a program, a web address, or a comment on the issue. None of them throws. */
import type { NotifierConfig } from '../config/config.ts';
import { OWN_COMMENT } from '../issue/issue.ts';
import { type Deadline, noAnswer, runProgram } from '../issue/programs.ts';
import type { IssueReference } from '../issue/reference.ts';
import type { Notice } from '../pre-planning/notices.ts';

export interface Message extends Notice {
  session: string;
  text: string;
  issue: string | null;
}

export interface Place {
  /** Root of the work tree. */
  cwd: string;
  issue: IssueReference | null;
}

/** Where a message is told, and the time that all who tell share. */
interface Telling extends Place {
  deadline: Deadline;
}

/** null when it was told, else why not. */
type Told = string | null;

const WEBHOOK_MS = 10_000;

async function byCommand([program = '', ...args]: readonly string[], message: Message, { cwd, deadline }: Telling): Promise<Told> {
  const ran = await runProgram(program, args, { cwd, deadline, input: `${JSON.stringify(message)}\n` });
  return ran.ok ? null : ran.detail;
}

/** What stands in an address, decoded where it is encoded: a lone percent sign is a percent sign. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A request refuses an address that holds a user and a password; they belong into a header. */
function withHeaders(address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username === '' && url.password === '') return { url, headers };
  const user = [url.username, url.password].map(decoded).join(':');
  url.username = '';
  url.password = '';
  return { url, headers: { ...headers, authorization: `Basic ${Buffer.from(user).toString('base64')}` } };
}

async function byWebhook(address: string, message: Message, { deadline }: Telling): Promise<Told> {
  try {
    const { url, headers } = withHeaders(address);
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal: AbortSignal.any([AbortSignal.timeout(WEBHOOK_MS), deadline.signal]),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `HTTP ${answer.status}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    if (name === 'TimeoutError') return noAnswer(deadline.signal.aborted ? deadline.ms : WEBHOOK_MS);
    return cause?.code ?? name;
  }
}

/** Our own comments carry a mark, so that reading the issue again does not take them for news. */
async function byComment(program: 'gh' | 'glab', { text }: Message, { cwd, issue, deadline }: Telling): Promise<Told> {
  if (!issue) return 'no issue';
  const body = `${text}\n\n${OWN_COMMENT}`;
  const { url, host, project, number, programs } = issue;
  if (program === 'gh') {
    const which = programs.length > 1 ? [String(number), '--repo', project] : [url];
    const ran = await runProgram('gh', ['issue', 'comment', ...which, '--body-file', '-'], { cwd, deadline, input: body });
    return ran.ok ? null : ran.detail;
  }
  const repo = host === 'gitlab.com' || programs.length > 1 ? project : `https://${host}/${project}`;
  const ran = await runProgram('glab', ['issue', 'note', String(number), '--repo', repo, '--message', body], { cwd, deadline });
  return ran.ok ? null : ran.detail;
}

/** Whether a notifier has anywhere to tell it: one that comments needs an issue that its program knows. */
export function hasPlace(notifier: NotifierConfig, { issue }: Place): boolean {
  if (notifier.type === 'github') return issue?.programs.includes('gh') === true;
  if (notifier.type === 'gitlab') return issue?.programs.includes('glab') === true;
  return true;
}

/** What a notifier is called in warnings and in the journal. An address may hold a secret, so only its host is named. */
export function notifierName(notifier: NotifierConfig, index: number): string {
  if (notifier.type === 'command') return `${index + 1} (command ${notifier.command[0]?.split(/[\\/]/).at(-1) ?? ''})`;
  if (notifier.type === 'webhook') return `${index + 1} (webhook ${URL.canParse(notifier.url) ? new URL(notifier.url).host : ''})`;
  return `${index + 1} (${notifier.type})`;
}

/** Tells one message. @returns null when it arrived, else why it did not */
export async function tell(notifier: NotifierConfig, message: Message, place: Telling): Promise<Told> {
  if (place.deadline.signal.aborted) return noAnswer(place.deadline.ms);
  switch (notifier.type) {
    case 'command':
      return byCommand(notifier.command, message, place);
    case 'webhook':
      return byWebhook(notifier.url, message, place);
    case 'github':
      return byComment('gh', message, place);
    case 'gitlab':
      return byComment('glab', message, place);
  }
}
