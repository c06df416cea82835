/** The dashboard's addresses. Everything may be read; whatever decides needs the code of this start. */
import path from 'node:path';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import { COMPLETE } from '../flow/table.ts';
import { choiceIn } from '../messages/language.ts';
import { messageKeys, say, template } from '../messages/messages.ts';
import type { Edge } from '../session/edge.ts';
import { unreadable } from '../session/locate.ts';
import { decideAsPerson } from '../session/user-decision.ts';
import { archivedSession, newestArchived } from '../state/archive.ts';
import { isSessionId } from '../state/layout.ts';
import { readState } from '../state/session-file.ts';
import { artifactsIn, artifactText } from '../state/session-texts.ts';
import type { StartCode } from './code.ts';
import { flowMap } from './flow-map.ts';
import { JournalIndex } from './journal-index.ts';
import { knowledgeOf } from './knowledge.ts';
import { PastSessions } from './past.ts';
import { protect } from './protect.ts';
import { readDecision } from './read-decision.ts';
import { sessionView } from './session-view.ts';
import { CATEGORIES, type Category, type DecisionAnswer, type Language, type Overview } from './view.ts';
import { watch } from './watch.ts';

/** The page's own files, built into the program. */
export interface PageFiles {
  html: string;
  js: string;
  css: string;
  icon: string;
}

export interface AppOptions {
  /** The work tree's root. */
  root: string;
  edge: Edge;
  page: PageFiles;
  /** Null: this dashboard only shows. */
  code: StartCode | null;
  port: () => number;
  /** Ends the streams when the server stops. */
  over: AbortSignal;
}

const ROWS = 200;
const PAST = 100;
/** Indexes of that many journals are kept. */
const OPEN_JOURNALS = 4;
const BEAT_MS = 15_000;
const BODY_BYTES = 64 * 1024;

const languageOf = (text: string | undefined): Language => (text === 'ja' ? 'ja' : 'en');

/** A whole number from the query, within limits. */
function whole(text: string | undefined, { least, most, otherwise }: Record<'least' | 'most' | 'otherwise', number>): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) ? Math.min(most, Math.max(least, value)) : otherwise;
}

/** Journals that are looked at, the newest first. */
function openJournals(root: string): (session: string) => JournalIndex {
  const open: JournalIndex[] = [];
  return (session) => {
    const at = open.findIndex((index) => index.session === session);
    const [found] = at < 0 ? [new JournalIndex(root, session)] : open.splice(at, 1);
    open.unshift(found as JournalIndex);
    open.length = Math.min(open.length, OPEN_JOURNALS);
    return (found as JournalIndex).refresh();
  };
}

function activeOf(root: string): string | null {
  const found = readState(root);
  return found.kind === 'present' && found.state.phase !== COMPLETE ? found.state.session : null;
}

async function overview({ root, code }: AppOptions, session: string | null, language: Language): Promise<Overview> {
  const found = readState(root);
  const current = found.kind === 'present' ? found.state : null;
  const active = current && current.phase !== COMPLETE ? current.session : null;
  const newest = session === null && current === null ? newestArchived(root) : null;
  const shown = session === null || session === current?.session ? (current ?? newest) : archivedSession(root, session);
  const problem = unreadable(found);
  return {
    project: path.basename(root),
    root,
    may_decide: code !== null,
    active,
    session: shown && (await sessionView(shown, language)),
    problem: problem && say(problem.message, language),
    map: flowMap(shown),
  };
}

/** The page as the configuration's `language` wants it; with `auto` the browser decides. */
function inChosenLanguage(html: string, root: string): string {
  const choice = choiceIn(root);
  return choice === 'auto' ? html : html.replace('<html lang="en"', `<html lang="${choice}" data-language="${choice}"`);
}

/** The page's texts in one language. */
function textsFor(language: Language): Record<string, string> {
  const keys = messageKeys(language).filter((key) => key.startsWith('web.'));
  return Object.fromEntries(keys.map((key) => [key, template(key, language)]));
}

/** Addresses that only show. */
function addReads(app: Hono, options: AppOptions): void {
  const { root, over } = options;
  const journalOf = openJournals(root);
  const past = new PastSessions(root);
  const sessionOf = (named: string | undefined) => (named && isSessionId(named) ? named : activeOf(root));

  app.get('/api/texts', (context) => context.json(textsFor(languageOf(context.req.query('lang')))));
  app.get('/api/overview', async (context) => {
    const named = context.req.query('session');
    return context.json(await overview(options, named && isSessionId(named) ? named : null, languageOf(context.req.query('lang'))));
  });
  app.get('/api/events', (context) => {
    const session = sessionOf(context.req.query('session'));
    if (session === null) return context.json({ error: 'no_session' }, 404);
    const named = context.req.query('only') as Category;
    const seq = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };
    const page = journalOf(session).page({
      before: whole(context.req.query('before'), seq),
      after: whole(context.req.query('after'), seq),
      limit: whole(context.req.query('limit'), { least: 1, most: ROWS, otherwise: ROWS }),
      only: CATEGORIES.includes(named) ? named : null,
      language: languageOf(context.req.query('lang')),
    });
    return context.json(page);
  });
  app.get('/api/knowledge', (context) => {
    const session = sessionOf(context.req.query('session'));
    return context.json(session === null ? null : knowledgeOf(root, session));
  });
  app.get('/api/artifacts', (context) => {
    const session = sessionOf(context.req.query('session'));
    return context.json(session === null ? [] : artifactsIn(root, session));
  });
  app.get('/api/artifact', (context) => {
    const found = artifactText(root, sessionOf(context.req.query('session')) ?? '', context.req.query('name') ?? '');
    return found ? context.json(found) : context.json({ error: 'no_artifact' }, 404);
  });
  app.get('/api/past', async (context) => {
    const before = context.req.query('before');
    const limit = whole(context.req.query('limit'), { least: 1, most: PAST, otherwise: 40 });
    return context.json(await past.page(before && isSessionId(before) ? before : null, limit));
  });
  app.get('/api/live', (context) => {
    const named = context.req.query('session');
    return streamSSE(context, async (stream) => {
      const left = new AbortController();
      stream.onAbort(() => left.abort());
      over.addEventListener('abort', () => left.abort(), { once: true, signal: left.signal });
      watch(
        root,
        () => sessionOf(named),
        (tick) => void stream.writeSSE({ event: 'tick', data: JSON.stringify(tick), retry: 1000 }),
        left.signal,
      );
      // A line now and then, so that both ends notice when the other has gone.
      const beat = setInterval(() => void stream.writeSSE({ event: 'beat', data: '' }), BEAT_MS);
      await new Promise<void>((resolve) => left.signal.addEventListener('abort', () => resolve(), { once: true }));
      clearInterval(beat);
    });
  });
}

/** Addresses that decide. */
function addDecisions(app: Hono, { root, edge, code }: AppOptions): void {
  app.use('/api/unlock', bodyLimit({ maxSize: BODY_BYTES }));
  app.use('/api/decide', bodyLimit({ maxSize: BODY_BYTES }));
  app.on('POST', ['/api/unlock', '/api/decide'], async (context, next) => {
    if (!context.req.header('content-type')?.startsWith('application/json')) return context.json({ error: 'not_json' }, 415);
    if (!code) return context.json({ error: 'shows_only' }, 403);
    const typed = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1];
    const verdict = typed === undefined ? 'missing' : code.check(typed);
    if (verdict === 'wrong' && code.locked) process.stderr.write(`${template('web.code.locked', edge.language)}\n`);
    return verdict === 'right' ? next() : context.json({ error: `code_${verdict}` }, verdict === 'locked' ? 429 : 401);
  });
  app.post('/api/unlock', (context) => context.json({ unlocked: true }));
  app.post('/api/decide', async (context) => {
    const read = readDecision(await context.req.json().catch(() => null));
    if (!read) return context.json({ error: 'bad_decision' }, 400);
    const { done, message, language } = await decideAsPerson(edge, { root, source: 'user:dashboard', ...read });
    const answer: DecisionAnswer = { done, message: say(message, languageOf(context.req.query('lang') ?? language)) };
    return context.json(answer, done ? 200 : 409);
  });
}

/** The whole application; nothing listens yet. */
export function dashboardApp(options: AppOptions): Hono {
  const { page, port } = options;
  const app = new Hono();
  app.use(protect(port));
  app.get('/', (context) => context.html(inChosenLanguage(page.html, options.root)));
  app.get('/page.js', (context) => context.body(page.js, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  app.get('/page.css', (context) => context.body(page.css, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/icon.svg', (context) => context.body(page.icon, 200, { 'Content-Type': 'image/svg+xml' }));
  addReads(app, options);
  addDecisions(app, options);
  app.notFound((context) => context.json({ error: 'not_found' }, 404));
  app.onError((error, context) => {
    if (error instanceof HTTPException) return context.json({ error: 'refused' }, error.status);
    process.stderr.write(`readygate dashboard: ${error.stack ?? error.message}\n`);
    return context.json({ error: 'internal' }, 500);
  });
  return app;
}
