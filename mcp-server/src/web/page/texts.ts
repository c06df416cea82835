/** The page's words in the person's language, and how that language writes times and durations. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { fill } from '../../messages/fill.ts';
import type { Language } from '../view.ts';

export interface Words {
  lang: Language;
  t: (key: string, params?: Record<string, string | number>) => string;
  /** Whether there is such a text: names of steps and events that came later have none. */
  has: (key: string) => boolean;
  /** `3m 12s` */
  span: (ms: number) => string;
  clock: (at: number) => string;
  day: (at: number) => string;
  short: (at: number) => string;
}

function spanIn(lang: Language): (ms: number) => string {
  const unit = (name: string) =>
    new Intl.NumberFormat(lang, { style: 'unit', unit: name, unitDisplay: lang === 'ja' ? 'short' : 'narrow', maximumFractionDigits: 0 });
  const [days, hours, minutes, seconds] = [unit('day'), unit('hour'), unit('minute'), unit('second')];
  return (ms) => {
    const all = Math.max(0, Math.floor(ms / 1000));
    const [d, h, m, s] = [Math.floor(all / 86_400), Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60, all % 60];
    const parts = [d > 0 && days.format(d), h > 0 && hours.format(h), m > 0 && minutes.format(m), s > 0 && seconds.format(s)];
    // The two largest are exact enough for anybody.
    const from = parts.findIndex(Boolean);
    return from < 0
      ? seconds.format(0)
      : parts
          .slice(from, from + 2)
          .filter(Boolean)
          .join(' ');
  };
}

export function wordsFor(lang: Language, texts: Record<string, string>): Words {
  const clock = new Intl.DateTimeFormat(lang, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
  const day = new Intl.DateTimeFormat(lang, { dateStyle: 'full' });
  const short = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' });
  const safe = (format: Intl.DateTimeFormat) => (at: number) => (Number.isFinite(at) ? format.format(at) : '');
  return {
    lang,
    t: (key, params) => fill(texts[key] ?? key, params),
    has: (key) => key in texts,
    span: spanIn(lang),
    clock: safe(clock),
    day: safe(day),
    short: safe(short),
  };
}

export const WordsContext = createContext<Words>(wordsFor('en', {}));

export const useWords = (): Words => useContext(WordsContext);

/** A step's name for people: that of its node, else its phase. */
export function stepName({ t, has }: Words, node: string, phase = node): string {
  if (has(`web.step.${node}`)) return t(`web.step.${node}`);
  return has(`web.step.${phase}`) ? t(`web.step.${phase}`) : phase.toLowerCase().replaceAll('_', ' ');
}

const STORED = 'readygate.language';

export function firstLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  // Theirs, else the configuration's, else the browser's.
  const wanted = stored ?? document.documentElement.dataset.language ?? navigator.language;
  return wanted.toLowerCase().startsWith('ja') ? 'ja' : 'en';
}

export const keepLanguage = (lang: Language): void => localStorage.setItem(STORED, lang);
