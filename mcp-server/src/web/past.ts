/** Past sessions with their time per phase, a page at a time. What ended does not change, so it is read once. */
import fs from 'node:fs';
import { COMPLETE } from '../flow/table.ts';
import { archivedSession, newestSessions } from '../state/archive.ts';
import { archivedState } from '../state/layout.ts';
import { readState } from '../state/session-file.ts';
import { JournalIndex } from './journal-index.ts';
import type { PastPage, PastSession } from './view.ts';

const TITLE = 300;

export class PastSessions {
  readonly root: string;
  #known = new Map<string, { stamp: string; view: PastSession }>();

  constructor(root: string) {
    this.root = root;
  }

  /** @param before the id that the page before ended with; null for the newest */
  async page(before: string | null, limit: number): Promise<PastPage> {
    const found = readState(this.root);
    const active = found.kind === 'present' && found.state.phase !== COMPLETE ? found.state.session : null;
    const all = newestSessions(this.root).filter((session) => session !== active);
    const older = before === null ? all : all.filter((session) => session < before);
    const chosen = older.slice(0, limit);
    const sessions: PastSession[] = [];
    for (const session of chosen) {
      sessions.push(this.#view(session));
      // Whoever else asks is not kept waiting by a long list.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { sessions, total: all.length, next: older.length > limit ? (chosen.at(-1) ?? null) : null };
  }

  #view(session: string): PastSession {
    const stamp = this.#stamp(session);
    const known = this.#known.get(session);
    if (known && known.stamp === stamp) return known.view;
    const state = archivedSession(this.root, session);
    const journal = new JournalIndex(this.root, session, false).refresh();
    const view: PastSession = {
      session,
      task: (state?.task ?? '').slice(0, TITLE),
      outcome: state?.outcome ?? null,
      started: state?.created ?? journal.started,
      ms: journal.durations.reduce((sum, { ms }) => sum + ms, 0),
      times: journal.durations,
      tasks: state?.tasks.length ?? 0,
      returns: Object.values(journal.returns).reduce((sum, count) => sum + count, 0),
      blocks: journal.counts.block,
    };
    this.#known.set(session, { stamp, view });
    return view;
  }

  #stamp(session: string): string {
    const stat = fs.statSync(archivedState(this.root, session), { throwIfNoEntry: false });
    return stat ? `${stat.mtimeMs}:${stat.size}` : '';
  }
}
