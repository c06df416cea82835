import type { Language, Overview } from '../view.ts';
import { Icon } from './icons.tsx';
import type { Connection } from './live.ts';
import { useWords } from './texts.ts';

interface Props {
  overview: Overview;
  connection: Connection;
  lang: Language;
  setLang: (lang: Language) => void;
  unlocked: boolean;
}

const LANGUAGES: readonly (readonly [Language, string, string])[] = [
  ['en', 'EN', 'English'],
  ['ja', '日本語', '日本語'],
];

function LanguageChoice({ lang, setLang }: Pick<Props, 'lang' | 'setLang'>) {
  const { t } = useWords();
  return (
    <fieldset class="choice">
      <legend class="hidden">{t('web.language')}</legend>
      {LANGUAGES.map(([key, short, name]) => (
        <button key={key} type="button" lang={key} aria-label={name} aria-pressed={lang === key} onClick={() => setLang(key)}>
          {short}
        </button>
      ))}
    </fieldset>
  );
}

/** Which project this is, whether the page is up to date, and whether it may decide. */
export function Header({ overview, connection, lang, setLang, unlocked }: Props) {
  const { t } = useWords();
  const rights = unlocked ? 'unlocked' : overview.may_decide ? 'locked' : 'shows_only';
  return (
    <header class="top">
      <a class="brand" href="#main">
        <img src="/icon.svg" alt="" width="28" height="28" />
        <span>Readygate</span>
      </a>
      <span class="project" title={overview.root}>
        {overview.project}
      </span>
      <span class="grow" />
      <span class={`pill rights ${rights}`} title={t(`web.rights.${rights}`)}>
        <Icon name={unlocked ? 'open' : 'closed'} size={15} />
        <span class="pill-text">{t(`web.rights.${rights}`)}</span>
      </span>
      <span class={`pill connection ${connection}`} role="status" title={t(`web.connection.${connection}`)}>
        <span class="dot" aria-hidden="true" />
        <span class="pill-text">{t(`web.connection.${connection}`)}</span>
      </span>
      <LanguageChoice lang={lang} setLang={setLang} />
    </header>
  );
}
