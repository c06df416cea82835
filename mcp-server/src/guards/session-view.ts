import fs from 'node:fs';
import path from 'node:path';
import { sealBroken, sealedCopy } from '../state/seal.ts';
import type { Language } from './catalog.ts';
import { enter, linkTarget, parent } from './path.ts';

/** What the guards need of a session. */
export interface SessionView {
  readonly root: string;
  readonly gate: 'open' | 'closed';
  readonly phase: string;
  readonly step: number | null;
  readonly session: string;
  readonly owner: string | null;
  readonly lastActivity: number;
  readonly language: Language;
  /** Whether the session has a task branch. */
  readonly branch: boolean;
  /** Whether agents do its work, each in a role. */
  readonly pipeline: boolean;
  /** Foreign MCP tools that the configuration adds to those that change files. */
  readonly mutatingTools: readonly string[];
  /** Whether guard RG08 refuses, where it only warns by default. */
  readonly deniesOutOfPlan: boolean;
  /** What the tasks name as their files: paths, folders, globs. */
  readonly taskFiles: readonly string[];
}

/** A session that is there but cannot be read as one; its edits are not gated. */
export interface Unreadable {
  readonly root: string;
  readonly problem: string;
}

const GATE_LINE = /^\{"gate":"(closed|open)","phase":"([A-Z0-9_]+)","step":(null|[0-9]+),"session":"([^"\\]+)","rev":([0-9]+),$/;
const GATE_LINE_BYTES = 512;
const DORMANT_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Reads the state of the session at `root` the way the hook layer does: the gate line counts for gate, phase, step and session.
 * @param root the folder that holds `.readygate`
 */
export function readSession(root: string): SessionView | Unreadable {
  const file = path.join(root, '.readygate', 'state.json');
  const unreadable = (what: string): Unreadable => ({
    root,
    problem: `${file} ${what}; edits are not gated. Repair: /readygate:code --clean`,
  });
  let text: Buffer;
  let view: ReturnType<typeof viewOf>;
  for (;;) {
    try {
      if (!fs.statSync(file).isFile()) return unreadable('is not a file');
      text = fs.readFileSync(file);
      view = viewOf(root, text);
      if (typeof view === 'string') return unreadable(view);
      // An open gate that the server never wrote, or closed since, opens nothing.
      if (view.gate === 'closed' || !sealBroken(root, view.session, view.rev, text)) return view;
      // The journal may tell of a state that was written since.
      if (text.equals(fs.readFileSync(file))) break;
    } catch {
      return unreadable('cannot be read');
    }
  }
  const sealed = viewOf(root, sealedCopy(root, view.session) ?? Buffer.alloc(0));
  // The next call of the server mends it, or ends the session.
  return typeof sealed === 'string' ? { ...view, gate: 'closed' } : sealed;
}

/** The view of a state's text, or what is wrong with it. */
function viewOf(root: string, text: Buffer): (SessionView & { rev: number }) | string {
  const end = text.indexOf('\n');
  const line = GATE_LINE.exec(text.toString('utf8', 0, end === -1 ? GATE_LINE_BYTES : Math.min(end, GATE_LINE_BYTES)));
  if (line === null) return 'has no gate line that this version understands';
  const [, gate = '', phase = '', step = '', session = '', rev = ''] = line;
  const rest = parse(text);
  if (rest === undefined) return 'lacks schema 1, owner or last_activity';
  const place = { gate: gate === 'closed' ? ('closed' as const) : ('open' as const), phase, step: step === 'null' ? null : Number(step) };
  return { root, ...place, session, rev: Number(rev), ...rest };
}

type Tree = Readonly<Record<string, unknown>>;

const treeOf = (value: unknown): Tree => (typeof value === 'object' && value !== null ? (value as Tree) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsOf = (value: unknown): string[] => listOf(value).filter((item) => typeof item === 'string');

type Rest = Omit<SessionView, 'root' | 'gate' | 'phase' | 'step' | 'session'>;

function parse(text: Buffer): Rest | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
  const { schema, owner = null, last_activity: lastActivity, language, git, config, tasks, pipeline } = treeOf(value);
  if (schema !== 1 || typeof lastActivity !== 'number') return undefined;
  if (owner !== null && typeof owner !== 'string') return undefined;
  const { branch } = treeOf(git);
  const { mutating_tools, out_of_plan } = treeOf(treeOf(config).guard);
  return {
    owner,
    lastActivity,
    language: language === 'ja' ? 'ja' : 'en',
    branch: typeof branch === 'string' && branch !== '',
    pipeline: pipeline === true,
    mutatingTools: textsOf(mutating_tools),
    deniesOutOfPlan: out_of_plan === 'deny',
    taskFiles: listOf(tasks).flatMap((task) => textsOf(treeOf(task).files)),
  };
}

/** Whether the session rested for a day (a time that is as far ahead is no activity, either) and belongs to none of these Claude sessions: then it blocks nobody. */
export function isDormant(session: Pick<SessionView, 'owner' | 'lastActivity'>, ownSessions: readonly string[], now: number): boolean {
  const own = ownSessions.some((id) => id === session.owner);
  return !own && Math.abs(now - session.lastActivity) > DORMANT_AFTER_MS;
}

/**
 * The nearest folder with a session, from `dir` upwards to the first `.git`.
 * @param dir where the search begins; a relative path finds nothing
 */
export function findSessionRoot(dir: string): string | undefined {
  if (!path.isAbsolute(dir)) return undefined;
  for (let at = dir.replace(/\/$/, ''); ; at = parent(at)) {
    if (linkTarget(at) !== undefined) at = enter(at) ?? at;
    if (fs.existsSync(`${at}/.readygate/state.json`)) return at || '/';
    if (at === '' || fs.existsSync(`${at}/.git`)) return undefined;
  }
}
