/** One line of the evidence ledger, from what the host's PostToolUse and PostToolUseFailure hooks say. Pure. */
import { fileField } from '../guards/catalog.ts';
import { type Check, checkIn } from './command-check.ts';
import { maskSecrets } from './secrets.ts';

/** A tool call that ended. Paths stand as the tool was given them. */
export interface LedgerEntry {
  /** When it ended, epoch milliseconds. */
  at: number;
  /** How long it ran, milliseconds, where the host says so. */
  ms: number | null;
  tool: string;
  path?: string;
  paths?: string[];
  pattern?: string;
  /** Which files a search was narrowed to. */
  glob?: string;
  url?: string;
  /** Masked, and cut when very long. */
  command?: string;
  /** Whether the command's own exit code shows that something was checked; only with `command`. */
  check?: Check;
  /** null where none is known: other tools, background commands, an interrupted call. */
  exit: number | null;
  ok: boolean;
  background: boolean;
  /** The subagent that called; null for the main conversation. */
  agent: string | null;
  /** The working folder after the call. */
  cwd: string;
  /** The tool changes files itself. What a shell command changes is not known here. */
  edits: boolean;
}

/**
 * The hook's input. The host fills placeholders in as text: an object or a list as JSON, what is not there as ''.
 * Content that is read or written is not asked for, so large outputs are never copied.
 */
export type ToolFields = Readonly<Record<string, unknown>>;

const COMMAND_CHARS = 8000;
const TEXT_CHARS = 4096;
const PATHS = 200;

const SHELLS = new Set(['Bash', 'PowerShell']);
/**
 * Readygate's own tools are no evidence of anything. The start alone is written down: it is the first line of a session
 * whose hooks are active, so that an empty ledger tells that they are not.
 */
const OWN = /^mcp__plugin_readygate_gate__(?:submit_phase|get_session_status|guard|save_artifact)$/;

const PATH_FIELDS = ['file_path', 'notebook_path', 'path', 'filePath', 'relative_path', 'uri'];

function text(fields: ToolFields, key: string, limit = TEXT_CHARS): string {
  const value = fields[key];
  return typeof value === 'string' ? value.slice(0, limit) : typeof value === 'number' ? String(value) : '';
}

const isTrue = (fields: ToolFields, key: string): boolean => String(fields[key] ?? '').toLowerCase() === 'true';

/** `file:///a%20b` as a path; everything else stays. */
function plainPath(given: string): string {
  if (!given.startsWith('file://')) return given;
  try {
    return decodeURIComponent(new URL(given).pathname);
  } catch {
    return given;
  }
}

function listOfPaths(given: string): string[] {
  if (!given.startsWith('[')) return [];
  try {
    const value: unknown = JSON.parse(given);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string').slice(0, PATHS) : [];
  } catch {
    return [];
  }
}

/** The exit code of a shell command: the failure hook's message begins with it; a search that found nothing is reported as a success. */
function exitOf(fields: ToolFields, ok: boolean): number | null {
  const failed = /^Exit code (\d{1,3})\b/.exec(text(fields, 'error'))?.[1];
  if (failed !== undefined) return Number(failed);
  if (!ok) return null;
  return text(fields, 'exit_note') === '' ? 0 : 1;
}

function shellPart(fields: ToolFields, ok: boolean, background: boolean): Pick<LedgerEntry, 'command' | 'check' | 'exit'> {
  const whole = typeof fields.command === 'string' ? fields.command : '';
  const masked = maskSecrets(whole);
  const command = masked.length > COMMAND_CHARS ? `${masked.slice(0, COMMAND_CHARS)}…` : masked;
  // Judged on the whole: what hides an exit code often stands at the very end.
  return { command, check: checkIn(whole), exit: background ? null : exitOf(fields, ok) };
}

function pathPart(fields: ToolFields, tool: string): Pick<LedgerEntry, 'path' | 'paths'> {
  const own = fileField(tool);
  const names = own ? [own, ...PATH_FIELDS] : PATH_FIELDS;
  const path = names.map((name) => text(fields, name)).find((value) => value !== '');
  const paths = listOfPaths(text(fields, 'paths', PATHS * TEXT_CHARS));
  return { ...(path ? { path: plainPath(path) } : {}), ...(paths.length > 0 ? { paths: paths.map(plainPath) } : {}) };
}

function optional(fields: ToolFields): Pick<LedgerEntry, 'pattern' | 'glob' | 'url'> {
  const found = (['pattern', 'glob', 'url'] as const).map((key) => [key, maskSecrets(text(fields, key))] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== ''));
}

/**
 * The ledger's line for one call.
 * @param fields the hook's input; `event` is the hook's name
 * @param at when the hook arrived
 * @returns null for what is no evidence: no tool, or one of the flow's own
 */
export function entryOf(fields: ToolFields, at: number): LedgerEntry | null {
  const tool = text(fields, 'tool_name', 200);
  if (tool === '' || OWN.test(tool)) return null;
  const ok = text(fields, 'event') === 'PostToolUse' && !isTrue(fields, 'interrupted');
  const shell = SHELLS.has(tool);
  // A command that outlives its time limit is moved to the background: then it has a task, though nobody asked for one.
  const background = shell && (isTrue(fields, 'run_in_background') || text(fields, 'task') !== '');
  const ms = Number(text(fields, 'duration_ms') || Number.NaN);
  return {
    at,
    ms: Number.isFinite(ms) && ms >= 0 ? ms : null,
    tool,
    ...(shell ? shellPart(fields, ok, background) : { ...pathPart(fields, tool), ...optional(fields), exit: null }),
    ok,
    background,
    agent: text(fields, 'agent_id', 200) || null,
    cwd: text(fields, 'cwd'),
    edits: fileField(tool) !== undefined,
  };
}
