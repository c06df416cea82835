/**
 * Delivery of notices. The journal says what there is to tell and what was told: a line `telling` before each attempt, `told`
 * or `untold` after it. So every notifier gets each notice at most once, whatever ends the process in between. What failed
 * is tried again with the next notice, and, since the last one has none after it, a while later with a submission.
 */
import type { MessageRef } from '../flow/types.ts';
import type { Deadline } from '../issue/programs.ts';
import { hasPlace, notifierName, type Place, tell } from '../notify/notifiers.ts';
import { noticeText } from '../notify/text.ts';
import { isWanted, type Notice, type NoticeEvent } from '../pre-planning/notices.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import { appendJournal, type JournalEntry, type JournalLine, linesSince } from '../state/journal.ts';
import { readState, type SessionFile, StorageFailed } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import type { Edge } from './edge.ts';
import { commentable } from './issue.ts';

/** What telling may take of one submission, all notifiers together; they are told side by side. */
const BUDGET_MS = 15_000;

/** The budget, which the host's environment may set in milliseconds. */
const budgetMs = (): number => Number(process.env.READYGATE_NOTIFY_MS) || BUDGET_MS;

/** What failed is left alone for so long, and without another notice tried so often in all. */
const RETRY_AFTER_MS = 60_000;
const ATTEMPTS = 3;

interface Delivery {
  /** Which configured notifier, from 0. */
  index: number;
  /** Sequence number of the notice's journal line. */
  notice: number;
  message: Notice;
  /** How often it failed before. */
  failed: number;
}

const noticeOf = ({ notice, about, time, data }: JournalLine): Notice => ({
  event: notice as NoticeEvent,
  about: (about as string | null) ?? null,
  at: String(time),
  data: data as Record<string, unknown>,
});

/** What the journal says of telling one notice to one notifier. */
interface Tries {
  last: JournalLine;
  failed: number;
}

function triesOf(lines: readonly JournalLine[], notifier: number): Map<unknown, Tries> {
  const tries = new Map<unknown, Tries>();
  for (const line of lines) {
    if (!['telling', 'told', 'untold'].includes(line.event) || line.notifier !== notifier) continue;
    const failed = (tries.get(line.of)?.failed ?? 0) + (line.event === 'untold' ? 1 : 0);
    tries.set(line.of, { last: line, failed });
  }
  return tries;
}

const mayRetry = ({ last, failed }: Tries, now: Date): boolean =>
  last.event === 'untold' && failed < ATTEMPTS && now.getTime() - Date.parse(last.at) >= RETRY_AFTER_MS;

/** What is still to be told, by the journal alone. An attempt that nobody saw the end of counts as told. */
function outstanding(lines: readonly JournalLine[], state: SessionFile, place: Place): Delivery[] {
  const notices = lines.filter((line) => isNotice(line) && isWanted(line.notice as NoticeEvent, state));
  return settingsOf(state).notification.notifiers.flatMap((notifier, index) => {
    if (!hasPlace(notifier, place)) return [];
    const tries = triesOf(lines, index);
    return notices
      .filter(({ seq }) => (tries.get(seq)?.last.event ?? 'untold') === 'untold')
      .map((line) => ({ index, notice: line.seq, message: noticeOf(line), failed: tries.get(line.seq)?.failed ?? 0 }));
  });
}

/** Whether there is anything to tell now: a new notice, or one that failed a while ago. */
function isTime(lines: readonly JournalLine[], state: SessionFile, now: Date): boolean {
  if (lines.some((line) => isNotice(line) && line.rev > state.rev)) return true;
  return settingsOf(state).notification.notifiers.some((_, index) =>
    [...triesOf(lines, index).values()].some((tries) => mayRetry(tries, now)),
  );
}

/** The session as it is now: the lines of a journal never go back in their revision. */
function revisionNow({ work_tree, session, rev }: SessionFile): number {
  const found = readState(work_tree);
  return found.kind === 'present' && found.state.session === session ? found.state.rev : rev + 1;
}

function write(state: SessionFile, entries: Omit<JournalEntry, 'rev'>[], edge: Edge): void {
  const rev = revisionNow(state);
  appendJournal(
    state.work_tree,
    state.session,
    entries.map((entry) => ({ ...entry, rev }) as JournalEntry),
    edge.now(),
  );
}

const isNotice = (line: JournalLine): boolean => line.event === 'notice';

/**
 * Tells the configured notifiers what they have not been told. Call it without the lock: programs and the network take time.
 * @param state the state that a submission found: where it brought no notice, only what failed a while ago is told
 * @returns a warning for each notifier that failed or was not told in time; never throws
 */
export async function deliverNotices(edge: Edge, state: SessionFile): Promise<MessageRef[]> {
  const { notifiers } = settingsOf(state).notification;
  const { work_tree: root, session, language } = state;
  if (notifiers.length === 0 || !isTime(linesSince(root, session, 0), state, edge.now())) return [];
  const place: Place = { cwd: root, issue: commentable(state) };
  try {
    const deliveries = await withState(root, async () => {
      const due = outstanding(linesSince(root, session, 0), state, place);
      write(
        state,
        due.map(({ index, notice }) => ({ event: 'telling', notifier: index, of: notice })),
        edge,
      );
      return due;
    });
    if (deliveries.length === 0) return [];
    const ms = budgetMs();
    const deadline = { signal: AbortSignal.timeout(ms), ms };
    const outcomes = await Promise.all(
      notifiers.map((_, index) =>
        tellAll(
          deliveries.filter((delivery) => delivery.index === index),
          deadline,
        ),
      ),
    );
    const failures: MessageRef[] = [];
    const lines = outcomes.flat().map(({ delivery: { index, notice }, detail }) => {
      if (detail === null) return { event: 'told', notifier: index, of: notice };
      return { event: 'untold', notifier: index, of: notice, why: detail.slice(0, 200) };
    });
    await withState(root, async () => write(state, lines, edge));
    for (const [index, told] of outcomes.entries()) {
      const failed = told.filter(({ detail }) => detail !== null);
      const detail = failed[0]?.detail;
      const notifier = notifiers[index];
      if (!detail || !notifier) continue;
      const last = failed.every(({ delivery }) => delivery.failed + 1 >= ATTEMPTS);
      const params = { notifier: notifierName(notifier, index), detail: detail.slice(0, 200) };
      failures.push(last ? { key: 'warning.notifier_gave_up', params } : { key: 'warning.notifier_failed', params });
    }
    return failures;
  } catch (error) {
    const detail = error instanceof StorageFailed ? error.code : (error as Error).message.slice(0, 200);
    return [{ key: 'warning.notifier_failed', params: { notifier: '-', detail } }];
  }

  /** In order; after the first failure the rest waits for the next notice, too. */
  async function tellAll(all: readonly Delivery[], deadline: Deadline): Promise<{ delivery: Delivery; detail: string | null }[]> {
    const done: { delivery: Delivery; detail: string | null }[] = [];
    let failed: string | null = null;
    for (const delivery of all) {
      const notifier = notifiers[delivery.index];
      if (failed === null && notifier) {
        const message = {
          ...delivery.message,
          session,
          issue: state.issue?.url ?? null,
          text: noticeText(delivery.message, session, language),
        };
        failed = await tell(notifier, message, { ...place, deadline });
      }
      done.push({ delivery, detail: failed });
    }
    return done;
  }
}
