/** What a tool call would do, told by the adapters of the tools (file-tools.ts, shell-tools.ts, mcp-tools.ts) to the judge. */
import type { WriteKind } from './shell/analyze.ts';

export interface Effect {
  /** `unread`: a command whose end was not read, so that it may do anything. */
  readonly kind: WriteKind | 'out-of-plan' | 'unread';
  /** What does it: the tool, or a command within it. */
  readonly by: string;
  /** What it is done to, for the message. */
  readonly target: string;
}

/** A call's effects; `note` says why a call was not looked at. */
export interface Effects {
  readonly effects: readonly Effect[];
  readonly note?: string;
}

export const NO_EFFECTS: Effects = { effects: [] };

export const unjudged = (note: string): Effects => ({ effects: [], note });

/** What an adapter is told about the call and the world around it. */
export interface Surveyed {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
}

/** Whether a text names the setting that moves git's hooks elsewhere. Git folds its case. */
export const namesHooksPath = (text: string): boolean => /hookspath/i.test(text);
