/** The page as a whole. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { waitsFor } from '../../session/waits-for.ts';
import type { Language } from '../view.ts';
import { read } from './api.ts';
import { Artifacts } from './artifacts.tsx';
import { Decisions } from './decisions.tsx';
import { Flow } from './flow.tsx';
import { Header } from './header.tsx';
import { Hero } from './hero.tsx';
import { KnowledgeSection } from './knowledge.tsx';
import { PastSection } from './past.tsx';
import { useChosenSession, useStore } from './store.ts';
import { Tasks } from './tasks.tsx';
import { firstLanguage, keepLanguage, useWords, type Words, WordsContext, wordsFor } from './texts.ts';
import { Timeline } from './timeline.tsx';

function useTexts(lang: Language): Words | null {
  const [texts, setTexts] = useState<{ lang: Language; texts: Record<string, string> } | null>(null);
  useEffect(() => {
    void read<Record<string, string>>('/api/texts', { lang })
      .then((found) => found && setTexts({ lang, texts: found }))
      .catch(() => {});
    document.documentElement.lang = lang;
  }, [lang]);
  return useMemo(() => texts && wordsFor(texts.lang, texts.texts), [texts]);
}

export function App() {
  const [lang, setLang] = useState(firstLanguage);
  const words = useTexts(lang);
  if (!words) return null;
  const change = (next: Language) => {
    keepLanguage(next);
    setLang(next);
  };
  return (
    <WordsContext.Provider value={words}>
      <Page lang={lang} setLang={change} />
    </WordsContext.Provider>
  );
}

/** A tool that drives the browser shall not find the page unlocked for long. */
const CODE_MS = 2 * 60_000;

/** The code, in memory alone: what the browser keeps on disk, the model could read. Forgotten after a while. */
function useCode(): [string | null, (code: string | null) => void] {
  const [code, setCode] = useState<string | null>(null);
  useEffect(() => {
    if (code === null) return;
    const timer = setTimeout(() => setCode(null), CODE_MS);
    return () => clearTimeout(timer);
  }, [code]);
  return [code, setCode];
}

/** The tab says what is going on, too: a person works in another one. */
function useTitle(step: string | null, waits: boolean): void {
  useEffect(() => {
    document.title = step === null ? 'Readygate' : `${waits ? '● ' : ''}${step} · Readygate`;
  }, [step, waits]);
}

function Page({ lang, setLang }: { lang: Language; setLang: (lang: Language) => void }) {
  const { t } = useWords();
  const store = useStore(lang);
  const chosen = useChosenSession();
  const [code, setCode] = useCode();
  const { overview, events } = store;
  const session = overview?.session ?? null;
  const waits = session ? waitsFor(session) !== 'agent' : false;
  useTitle(session?.active ? `${session.step}/19` : null, waits);
  if (!overview) return <main class="loading">{t('web.loading')}</main>;
  return (
    <>
      <a class="skip" href="#main">
        {t('web.skip')}
      </a>
      <Header overview={overview} connection={store.connection} lang={lang} setLang={setLang} unlocked={code !== null} />
      <main id="main" tabIndex={-1}>
        {overview.problem && (
          <p class="notice bad" role="alert">
            {overview.problem}
          </p>
        )}
        {chosen !== null && overview.active !== null && chosen !== overview.active && (
          <p class="notice">
            {t('web.past_shown')} <a href="#main">{t('web.to_active')}</a>
          </p>
        )}
        {session ? (
          <>
            <Hero session={session} />
            <Decisions session={session} mayDecide={overview.may_decide} code={code} setCode={setCode} after={store.refresh} />
            <Flow map={overview.map} session={session} events={events} />
            <div class="columns">
              <div class="column">
                <Tasks session={session} />
                <KnowledgeSection knowledge={store.knowledge} />
                <Artifacts session={session.session} names={store.artifacts} stamp={store.folderStamp} />
              </div>
              <div class="column">
                <Timeline events={events} only={store.only} choose={store.choose} older={store.older} />
              </div>
            </div>
          </>
        ) : (
          <section class="card empty">
            <h1>{t('web.none.title')}</h1>
            <p>{t('web.none.how')}</p>
            <pre tabIndex={0}>/readygate:code {t('web.none.example')}</pre>
          </section>
        )}
        <PastSection past={store.past} more={store.morePast} shown={store.shown} />
      </main>
    </>
  );
}
