/** Prompt files that instructions hand out: the user's if there are any, else the built-in ones (FLOW.md, Prompts). */
import fs from 'node:fs';
import path from 'node:path';
import { hasMessage, type Language, template } from '../messages/messages.ts';

export type PromptKind = 'doc_research' | 'verifiers' | 'interventions';

/** Where the user's files may lie; the first folder that has a file of the name wins. */
const FOLDERS = ['.readygate', '.code-intel'];

/** Longer prompts are cut in instructions, with a pointer to the file. */
export const PROMPT_CHARS = 1200;

const INTERVENTIONS = ['hypothesis_review', 'structure_review', 'step_back'];

export interface Prompt {
  name: string;
  text: string;
  /** Path relative to the work tree; null for a built-in prompt. */
  file: string | null;
}

function readText(root: string, file: string): string | null {
  try {
    return fs.readFileSync(path.join(root, file), 'utf8').trim();
  } catch {
    return null;
  }
}

/** Names of the user's prompt files of a kind. */
export function userPrompts(root: string, kind: PromptKind): string[] {
  const names = FOLDERS.flatMap((folder) => {
    try {
      return fs.readdirSync(path.join(root, folder, kind)).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
    } catch {
      return [];
    }
  });
  return [...new Set(names.map((name) => name.slice(0, -'.md'.length)))].sort();
}

/** One prompt by name: the user's file, else the built-in text, else null. */
export function findPrompt(root: string, kind: PromptKind, name: string, language: Language): Prompt | null {
  for (const folder of FOLDERS) {
    const file = path.posix.join(folder, kind, `${name}.md`);
    const text = path.basename(name) === name ? readText(root, file) : null;
    if (text) return { name, text, file };
  }
  const key = `prompt.${kind}.${name}`;
  return hasMessage(key) ? { name, text: template(key, language), file: null } : null;
}

/** Interventions that step 16 offers: the built-in names and the user's own. */
export function interventionNames(root: string): string[] {
  return [...new Set([...INTERVENTIONS, ...userPrompts(root, 'interventions')])];
}

/** The planning guidance: the user's task_planning.md, else the built-in one. */
export function planningPrompt(root: string, language: Language): Prompt {
  for (const folder of FOLDERS) {
    const file = path.posix.join(folder, 'task_planning.md');
    const text = readText(root, file);
    if (text) return { name: 'task_planning', text, file };
  }
  return { name: 'task_planning', text: template('prompt.task_planning.default', language), file: null };
}

/** Prompts of step 3: those the flag names, else every file of the user's, else the built-in one. */
export function researchPrompts(root: string, names: readonly string[], language: Language): Prompt[] {
  const wanted = names.length > 0 ? names : userPrompts(root, 'doc_research');
  const found = wanted.flatMap((name) => findPrompt(root, 'doc_research', name, language) ?? []);
  if (found.length > 0) return found;
  return [{ name: 'default', text: template('prompt.doc_research.default', language), file: null }];
}

const WEB = /\.(?:[jt]sx|vue|svelte|astro|html?|css|s[ac]ss|less)$/i;
const CODE = /\.(?:[cm]?[jt]s|py|go|rs|java|kt|rb|php|cs?|cc|cpp|hh?|hpp|swift|scala|ex|exs|sql|sh|bash|pl|lua|clj|hs|ml|zig|dart)$/i;

/** Verifiers for what the change touched: web, backend, both, or generic where neither code was touched. */
export function verifierNames(changed: readonly string[]): string[] {
  const names = [
    ...(changed.some((file) => CODE.test(file)) ? ['backend'] : []),
    ...(changed.some((file) => WEB.test(file)) ? ['web'] : []),
  ];
  return names.length > 0 ? names : ['generic'];
}
