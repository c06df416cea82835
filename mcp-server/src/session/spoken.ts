/**
 * What the user said, as the UserPromptSubmit hook reported it to this process. Kept in memory only: what the model can
 * write - a file, a variable, a tool call - must not pass for the user's words. Only prompts that begin with
 * `/readygate:` are kept.
 */
const PREFIX = '/readygate:';

let active = false;
let prompts = 0;
let waiting: string | null = null;

/** A prompt arrived; hooks are active from now on. */
export function hear(prompt: string): void {
  active = true;
  prompts += 1;
  if (prompt.trimStart().startsWith(PREFIX)) waiting = prompt.trim();
}

/** Whether the user's prompts reach this process at all; where they do not, what the model passes on is taken as given. */
export const hearsUser = (): boolean => active;

/** How many prompts of the user this process has heard of. */
export const promptsHeard = (): number => prompts;

/** The last `/readygate:` prompt that no session was started with yet. */
export const lastPrompt = (): string | null => waiting;

/** The prompt has started a session, or cleaned: it counts once. */
export function usePrompt(): void {
  waiting = null;
}

export interface Command {
  name: string;
  args: string;
}

/** `/readygate:name args` in its parts; null for any other prompt. */
export function commandOf(prompt: string): Command | null {
  const found = /^\s*\/readygate:([a-z-]+)(?:\s+([\s\S]*))?$/.exec(prompt);
  return found ? { name: found[1] ?? '', args: (found[2] ?? '').trim() } : null;
}
