/** Rule P8: what may never be assumed. Pure; categories stand in state/forbidden-assumptions.json. */
import forbidden from '../../../state/forbidden-assumptions.json' with { type: 'json' };
import { maskedCategory } from './mask.ts';

interface Category {
  id: string;
  except: string[];
  en: string[];
  ja: string[];
  exact?: string[];
}

const categories = (forbidden.categories as Category[]).map(({ id, except, en, ja, exact = [] }) => ({
  id,
  except: except.map((pattern) => new RegExp(pattern, 'giu')),
  patterns: [...[...en, ...ja].map((pattern) => new RegExp(pattern, 'iu')), ...exact.map((pattern) => new RegExp(pattern, 'u'))],
}));

/** Longer texts are looked at this far. */
const MAX_CHARS = 8000;

/** A text as it stands, and with `snake_case`, `kebab-case` and `camelCase` as words, so that `apiToken` is an "api token". */
function readings(text: string): string[] {
  const plain = text.normalize('NFKC').slice(0, MAX_CHARS);
  const words = plain.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/(?<=[A-Za-z0-9])[_-]+(?=[A-Za-z0-9])/g, ' ');
  return [plain, words];
}

/**
 * The category of an assumption that nobody may make.
 * @param texts id, description, purpose, value and reasoning, with secrets masked already
 * @returns `connection_strings`, `credentials`, `security_settings`, `environment` or `personal_data`; null when it may be made
 */
export function forbiddenCategory(texts: readonly string[]): string | null {
  for (const text of texts) {
    const masked = maskedCategory(text);
    if (masked) return masked;
  }
  const all = texts.flatMap(readings);
  const found = categories.find(({ except, patterns }) =>
    all.some((text) => {
      const rest = except.reduce((left, pattern) => left.replace(pattern, ' · '), text);
      return patterns.some((pattern) => pattern.test(rest));
    }),
  );
  return found?.id ?? null;
}
