/** Source text with comments and plain strings blanked out, so that a name found in it is code. Pure; length and lines stay. */
import type { Language } from './languages.ts';

interface Style {
  line: RegExp | null;
  block: readonly (readonly [string, string])[];
  quotes: string;
}

const C_LIKE: Style = { line: /\/\//y, block: [['/*', '*/']], quotes: `"'` };
const HASH: Style = { line: /#/y, block: [], quotes: `"'` };
const STYLES: Partial<Record<Language, Style>> = {
  python: {
    line: /#/y,
    block: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    quotes: `"'`,
  },
  ruby: { line: /#(?!\{)/y, block: [['\n=begin', '\n=end']], quotes: `"'` },
  php: { line: /\/\/|#(?!\[)/y, block: [['/*', '*/']], quotes: `"'` },
  // In a shell a string is code as often as not.
  bash: { ...HASH, line: /(?<=^|\s)#/my, quotes: '' },
  // A single quote also begins a lifetime.
  rust: { ...C_LIKE, quotes: '"' },
};

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Where a string that begins at `at` ends; -1 for one that does not end on its line. */
function endOfString(text: string, at: number): number {
  const quote = text[at];
  for (let next = at + 1; next < text.length; next++) {
    const char = text[next];
    if (char === '\\') next++;
    else if (char === quote) return next + 1;
    else if (char === '\n') return -1;
  }
  return -1;
}

/** Values are put into strings by `{x}`, `$x` and `#{x}`: then names in them are code. */
const HOLDS_CODE = /[{$]/;

export function maskText(text: string, language: Language): string {
  if (language === 'markdown' || language === 'text') return text;
  const style = STYLES[language] ?? C_LIKE;
  const out: string[] = [];
  let kept = 0;
  const hide = (from: number, to: number) => {
    out.push(text.slice(kept, from), blank(text.slice(from, to)));
    kept = to;
  };
  for (let at = 0; at < text.length; ) {
    const block = style.block.find(([open]) => text.startsWith(open, at));
    if (block) {
      const close = text.indexOf(block[1], at + block[0].length);
      const end = close < 0 ? text.length : close + block[1].length;
      hide(at, end);
      at = end;
      continue;
    }
    if (style.line) {
      style.line.lastIndex = at;
      if (style.line.test(text)) {
        const close = text.indexOf('\n', at);
        const end = close < 0 ? text.length : close;
        hide(at, end);
        at = end;
        continue;
      }
    }
    if (style.quotes.includes(text[at] as string)) {
      const end = endOfString(text, at);
      if (end > 0) {
        if (!HOLDS_CODE.test(text.slice(at, end))) hide(at + 1, end - 1);
        at = end;
        continue;
      }
    }
    at++;
  }
  out.push(text.slice(kept));
  return out.join('');
}
