/** What the server and the index's own thread say to each other. */
import type { Language } from '../messages/messages.ts';
import type { SessionChanges } from './tools/review-changes.ts';

/** The tools, by name. */
export const INTEL_TOOLS = [
  'search_text',
  'search_files',
  'find_definitions',
  'find_references',
  'get_symbols',
  'semantic_search',
  'analyze_impact',
  'review_changes',
  'sync_index',
] as const;

export type IntelTool = (typeof INTEL_TOOLS)[number];

export const isIntelTool = (name: string): name is IntelTool => (INTEL_TOOLS as readonly string[]).includes(name);

export interface IntelCall {
  id: number;
  root: string;
  language: Language;
  /** A tool; `index` brings the index in step, with nothing to say. */
  tool: IntelTool | 'index' | 'close';
  /** Valid for the tool's schema. */
  args: Record<string, unknown>;
  /** For review_changes: what the session knows; null without one. */
  session?: SessionChanges | null;
}

export interface IntelAnswer {
  id: number;
  text: string;
  /** The same as structure, short. */
  wire: Record<string, unknown>;
  /** The same in its parts. */
  data: Record<string, unknown>;
  /** Files that the answer showed, relative to the root. */
  paths: string[];
  /** What the model did wrong, in words; the answer holds nothing else then. */
  problem?: string;
}

export interface IntelProgress {
  id: number;
  done: number;
  total: number;
}

export type IntelMessage = IntelAnswer | IntelProgress;
