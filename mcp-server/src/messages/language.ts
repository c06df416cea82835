/**
 * In which language people are spoken to: what `.readygate/config.yml` says, else their locale. The same rules in bash:
 * hooks/lib/say.sh.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Language } from './messages.ts';

/** `language` of the configuration. */
export type LanguageChoice = Language | 'auto';

const CONFIG = '.readygate/config.yml';

/** A longer file is not a configuration. */
const MAX_BYTES = 256 * 1024;

/** The line as people write it. A program that has the whole configuration goes by that instead. */
const LINE = /^language:[ \t]*["']?(en|ja|auto)["']?[ \t]*(?:#.*)?\r?$/m;

/** The language for a choice; `auto` goes by the user's locale, as POSIX orders its variables. */
export function languageOf(choice: LanguageChoice, env: NodeJS.ProcessEnv): Language {
  if (choice !== 'auto') return choice;
  return /^ja(?:[_.@-]|$)/i.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'ja' : 'en';
}

function chosenIn(folder: string): LanguageChoice {
  try {
    const file = path.join(folder, CONFIG);
    if (fs.statSync(file).size > MAX_BYTES) return 'auto';
    return (LINE.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? 'auto') as LanguageChoice;
  } catch {
    return 'auto';
  }
}

/**
 * The language where no session has its own pinned: by the configuration in `folder` or the nearest folder above it, up to
 * the first `.git`. Quick, since hooks ask it, and never throws.
 */
export const languageIn = (folder: string, env: NodeJS.ProcessEnv): Language => languageOf(choiceIn(folder), env);

/** What the configuration that counts for a folder says. Never throws. */
export function choiceIn(folder: string): LanguageChoice {
  for (let dir = path.resolve(folder); ; dir = path.dirname(dir)) {
    const last = fs.existsSync(path.join(dir, '.git')) || dir === path.dirname(dir);
    if (last || fs.existsSync(path.join(dir, CONFIG))) return chosenIn(dir);
  }
}
