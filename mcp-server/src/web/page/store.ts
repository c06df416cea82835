/** What the page knows, and how it keeps up: the server says that something changed, and only that part is read again. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ArtifactName, Category, EventPage, Knowledge, Language, Overview, PastPage, PastSession, Tick } from '../view.ts';
import { read } from './api.ts';
import { type Connection, useLive } from './live.ts';

const PAST_ROWS = 40;

export interface Past {
  sessions: PastSession[];
  total: number;
  next: string | null;
}

export interface Store {
  overview: Overview | null;
  /** The session that is shown: the chosen one, else the active one. */
  shown: string | null;
  events: EventPage | null;
  only: Category | null;
  knowledge: Knowledge | null;
  artifacts: ArtifactName[];
  /** Changes when an artifact may have changed. */
  folderStamp: string;
  past: Past | null;
  connection: Connection;
  choose: (only: Category | null) => void;
  older: () => Promise<void>;
  morePast: () => Promise<void>;
  refresh: () => void;
}

/** The session named in the address, so that links and the back button work. */
export function useChosenSession(): string | null {
  const now = () => /^#session=([0-9A-Za-z-]+)$/.exec(location.hash)?.[1] ?? null;
  const [chosen, setChosen] = useState(now);
  useEffect(() => {
    const change = () => setChosen(now());
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  return chosen;
}

/** The rows that came since, in front of those that are shown. */
function joined(old: EventPage | null, fresh: EventPage): EventPage {
  if (!old || old.session !== fresh.session || fresh.last_seq < old.last_seq) return fresh;
  const known = new Set(old.rows.map(({ seq }) => seq));
  return { ...fresh, rows: [...fresh.rows.filter(({ seq }) => !known.has(seq)), ...old.rows], more: old.more };
}

export function useStore(lang: Language): Store {
  const chosen = useChosenSession();
  const [overview, setOverview] = useState<Overview | null>(null);
  const [events, setEvents] = useState<EventPage | null>(null);
  const [only, setOnly] = useState<Category | null>(null);
  const [knowledge, setKnowledge] = useState<Knowledge | null>(null);
  const [artifacts, setArtifacts] = useState<ArtifactName[]>([]);
  const [past, setPast] = useState<Past | null>(null);
  const [folderStamp, setFolderStamp] = useState('');
  const last = useRef<Tick | null>(null);
  const shown = chosen ?? overview?.session?.session ?? null;
  // What arrives late for a session that is not shown any more is dropped.
  const wanted = useRef({ chosen, lang, only });
  wanted.current = { chosen, lang, only };

  const readOverview = useCallback(async () => {
    const found = await read<Overview>('/api/overview', { session: chosen, lang });
    if (found && wanted.current.chosen === chosen && wanted.current.lang === lang) setOverview(found);
  }, [chosen, lang]);

  const readEvents = useCallback(
    async (session: string, after: number) => {
      const found = await read<EventPage>('/api/events', { session, only, lang, after: after || null });
      if (!found || wanted.current.only !== only || wanted.current.lang !== lang) return;
      // More than a page came at once: what lies between is read from the end again.
      const whole = found.more && after > 0 ? await read<EventPage>('/api/events', { session, only, lang }) : found;
      if (whole) setEvents((old) => (after > 0 && !found.more ? joined(old, whole) : whole));
    },
    [only, lang],
  );

  const readFolder = useCallback(async (session: string) => {
    const [names, handed] = await Promise.all([
      read<ArtifactName[]>('/api/artifacts', { session }),
      read<Knowledge>('/api/knowledge', { session }),
    ]);
    setArtifacts(names ?? []);
    setKnowledge(handed);
  }, []);

  const readPast = useCallback(async () => {
    const found = await read<PastPage>('/api/past', { limit: PAST_ROWS });
    if (!found) return;
    // Those that were opened further down stay open.
    setPast((old) => {
      const older = old?.sessions.filter(({ session }) => session < (found.sessions.at(-1)?.session ?? '')) ?? [];
      return { sessions: [...found.sessions, ...older], total: found.total, next: older.length > 0 ? (old?.next ?? null) : found.next };
    });
  }, []);

  const refresh = useCallback(() => void readOverview(), [readOverview]);
  const quiet = (work: Promise<void>) => void work.catch(() => {}); // the stream says that the server has gone

  useEffect(() => quiet(readOverview()), [readOverview]);
  useEffect(() => quiet(readPast()), [readPast]);
  useEffect(() => {
    setEvents((old) => (old?.session === shown ? old : null));
    if (shown) quiet(readEvents(shown, 0));
  }, [shown, readEvents]);
  useEffect(() => {
    setArtifacts([]);
    setKnowledge(null);
    if (shown) quiet(readFolder(shown));
  }, [shown, readFolder]);

  const connection = useLive(shown, (tick) => {
    const before = last.current;
    last.current = tick;
    setFolderStamp(tick.folder);
    if (!before || tick.state !== before.state || tick.past !== before.past) quiet(readOverview());
    if (!before || tick.past !== before.past || tick.state !== before.state) quiet(readPast());
    if (shown && (!before || tick.journal !== before.journal)) quiet(readEvents(shown, events?.session === shown ? events.last_seq : 0));
    if (shown && (!before || tick.folder !== before.folder)) quiet(readFolder(shown));
  });

  const older = useCallback(async () => {
    const oldest = events?.rows.at(-1)?.seq;
    if (!events || oldest === undefined) return;
    const found = await read<EventPage>('/api/events', { session: events.session, only, lang, before: oldest });
    if (found) setEvents((now) => now && { ...now, rows: [...now.rows, ...found.rows], more: found.more });
  }, [events, only, lang]);

  const morePast = useCallback(async () => {
    const found = past?.next ? await read<PastPage>('/api/past', { limit: PAST_ROWS, before: past.next }) : null;
    if (found) setPast((old) => old && { sessions: [...old.sessions, ...found.sessions], total: found.total, next: found.next });
  }, [past]);

  const choose = (next: Category | null) => setOnly(next);
  return { overview, shown, events, only, knowledge, artifacts, folderStamp, past, connection, choose, older, morePast, refresh };
}
