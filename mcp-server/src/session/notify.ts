/**
 * Delivery of notices. The journal says what there is to tell and what was told: a line `telling` before each attempt, `told`
 * or `untold` after it. So every notifier gets each notice at most once, whatever ends the process in between, and what
 * failed is tried again with the next notice.
 */
import type { MessageRef } from '../flow/types.ts';
import { hasPlace, notifierName, type Place, tell } from '../notify/notifiers.ts';
import { noticeText } from '../notify/text.ts';
import { isWanted, type Notice, type NoticeEvent } from '../pre-planning/notices.ts';
import { settingsOf } from '../pre-planning/settings.ts';
import { appendJournal, type JournalEntry, type JournalLine, linesSince } from '../state/journal.ts';
import { readState, type SessionFile, StorageFailed } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import type { Edge } from './edge.ts';
import { commentable } from './issue.ts';

interface Delivery {
  /** Which configured notifier, from 0. */
  index: number;
  /** Sequence number of the notice's journal line. */
  notice: number;
  message: Notice;
}

const noticeOf = ({ notice, about, time, data }: JournalLine): Notice => ({
  event: notice as NoticeEvent,
  about: (about as string | null) ?? null,
  at: String(time),
  data: data as Record<string, unknown>,
});

/** What is still to be told, by the journal alone. An attempt that nobody saw the end of counts as told. */
function outstanding(lines: readonly JournalLine[], state: SessionFile, place: Place): Delivery[] {
  const notices = lines.filter((line) => isNotice(line) && isWanted(line.notice as NoticeEvent, state));
  return settingsOf(state).notification.notifiers.flatMap((notifier, index) => {
    if (!hasPlace(notifier, place)) return [];
    const last = new Map(
      lines
        .filter((line) => ['telling', 'told', 'untold'].includes(line.event) && line.notifier === index)
        .map((line) => [line.of, line.event]),
    );
    return notices
      .filter(({ seq }) => !last.has(seq) || last.get(seq) === 'untold')
      .map((line) => ({ index, notice: line.seq, message: noticeOf(line) }));
  });
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
 * @param state the state that a submission found: where it brought no notice, there is nothing to do
 * @returns a warning for each notifier that failed; never throws
 */
export async function deliverNotices(edge: Edge, state: SessionFile): Promise<MessageRef[]> {
  const { notifiers } = settingsOf(state).notification;
  const { work_tree: root, session, language } = state;
  if (notifiers.length === 0 || !linesSince(root, session, state.rev + 1).some(isNotice)) return [];
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
    const outcomes = await Promise.all(notifiers.map((_, index) => tellAll(deliveries.filter((delivery) => delivery.index === index))));
    const failures: MessageRef[] = [];
    const lines = outcomes.flat().map(({ delivery: { index, notice }, detail }) => {
      if (detail === null) return { event: 'told', notifier: index, of: notice };
      return { event: 'untold', notifier: index, of: notice, why: detail.slice(0, 200) };
    });
    await withState(root, async () => write(state, lines, edge));
    for (const [index, told] of outcomes.entries()) {
      const detail = told.find((one) => one.detail !== null)?.detail;
      const notifier = notifiers[index];
      if (detail && notifier)
        failures.push({
          key: 'warning.notifier_failed',
          params: { notifier: notifierName(notifier, index), detail: detail.slice(0, 200) },
        });
    }
    return failures;
  } catch (error) {
    const detail = error instanceof StorageFailed ? error.code : (error as Error).message.slice(0, 200);
    return [{ key: 'warning.notifier_failed', params: { notifier: '-', detail } }];
  }

  /** In order; after the first failure the rest waits for the next notice, too. */
  async function tellAll(all: readonly Delivery[]): Promise<{ delivery: Delivery; detail: string | null }[]> {
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
        failed = await tell(notifier, message, place);
      }
      done.push({ delivery, detail: failed });
    }
    return done;
  }
}
