/**
 * The world of tests/cases/guards-*.jsonl: the first row of guards-file.jsonl builds it, every other row is a call in it.
 * In bash: tests/bats/world.bash.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolCall } from '../../../mcp-server/src/guards/judge.ts';

export const REPO = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '');

/** How a row places a session: fields of the state, the raw text of the file, or something that is no file. */
export interface SessionSpec {
  readonly gate?: string;
  readonly phase?: string;
  readonly step?: number | null;
  readonly session?: string;
  readonly owner?: string | null;
  readonly age_h?: number;
  readonly language?: string;
  /** The task branch. */
  readonly branch?: string;
  readonly mutating_tools?: readonly string[];
  readonly out_of_plan?: string;
  readonly pipeline?: boolean;
  readonly tasks?: readonly { readonly files?: readonly string[] }[];
  readonly raw?: string;
  /** `enforced`: no session, but RG00's marker; `raw` is then the file that lifts it. */
  readonly kind?: 'directory' | 'dangling' | 'enforced';
}

/** A row of the table; what is missing has the default of `toCall`. */
export interface Case {
  readonly name: string;
  readonly tool?: string;
  /** The file of an editing tool; `command` and `input` stand for other inputs. */
  readonly path?: unknown;
  readonly field?: string;
  readonly content?: string;
  readonly command?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Short for one session in `repo`. */
  readonly gate?: string;
  readonly step?: number;
  readonly branch?: string;
  readonly sessions?: Readonly<Record<string, SessionSpec>>;
  readonly project?: string;
  readonly cwd?: string;
  readonly pwd?: string;
  readonly home?: string;
  readonly own?: string;
  readonly agent?: string;
  readonly agent_type?: string;
  readonly deny: string | null;
  /** What layer 1 says, where it says less. */
  readonly bash?: string | null;
}

export type Row = Omit<Case, 'name' | 'deny'>;

type Entry = readonly ['dir', string] | readonly ['file' | 'link', string, string];

const linesOf = (name: string): string[] => fs.readFileSync(`${REPO}/tests/cases/${name}`, 'utf8').trimEnd().split('\n');

const [first = '', ...rest] = linesOf('guards-file.jsonl');
const { world } = JSON.parse(first) as { readonly world: readonly Entry[] };

const parse = (line: string): Case => JSON.parse(line) as Case;

export const fileCases = rest.map(parse);
export const shellCases = linesOf('guards-shell.jsonl').map(parse);
export const toolCases = linesOf('guards-tools.jsonl').map(parse);

/** Builds the world in a new temp folder. */
export function buildWorld(): { readonly base: string; readonly remove: () => void } {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'readygate-guards-')));
  for (const [kind, name, text = ''] of world) {
    const at = `${base}/${name}`;
    fs.mkdirSync(kind === 'dir' ? at : path.dirname(at), { recursive: true });
    if (kind === 'file') fs.writeFileSync(at, text);
    if (kind === 'link') fs.symlinkSync(text, at);
  }
  return { base, remove: () => fs.rmSync(base, { recursive: true, force: true }) };
}

/** The text of a state file, as the server writes it. */
export function stateText(spec: SessionSpec, now: number): string {
  if (spec.raw !== undefined) return spec.raw.replaceAll('NOW', String(now));
  const { gate = 'closed', phase = 'EXPLORATION', step = 5, session = 's-1', owner = null, age_h: age = 0, language = 'en' } = spec;
  const { branch = null, mutating_tools = [], out_of_plan = 'warn', tasks = [], pipeline = false } = spec;
  const config = { guard: { mutating_tools, out_of_plan } };
  const rest = { schema: 1, git: { branch }, pipeline, tasks, config, owner, last_activity: now - age * 3_600_000, language };
  return `{"gate":"${gate}","phase":"${phase}","step":${step},"session":"${session}","rev":1,\n${JSON.stringify(rest, null, 1).slice(2)}\n`;
}

function placeSession(folder: string, spec: SessionSpec, now: number): void {
  fs.mkdirSync(folder, { recursive: true });
  if (spec.kind === 'directory') fs.mkdirSync(`${folder}/state.json`);
  else if (spec.kind === 'dangling') fs.symlinkSync('nowhere', `${folder}/state.json`);
  else if (spec.kind !== 'enforced') fs.writeFileSync(`${folder}/state.json`, stateText(spec, now));
  else {
    fs.writeFileSync(`${folder}/enforce`, '');
    if (spec.raw !== undefined) fs.writeFileSync(`${folder}/enforce.lifted`, `${spec.raw}\n`);
  }
}

/** Places the sessions of a case; the answer takes them away again. */
export function placeSessions(base: string, row: Row, now = Date.now()): () => void {
  const { gate, step = 5, branch } = row;
  const short = gate === undefined ? {} : { gate, step, ...(branch === undefined ? {} : { branch }) };
  const folders = Object.entries(row.sessions ?? { repo: short }).map(([root, spec]) => {
    const folder = `${base}/${root}/.readygate`;
    placeSession(folder, spec, now);
    return folder;
  });
  return () => {
    for (const folder of folders) fs.rmSync(folder, { recursive: true });
  };
}

function inputOf(row: Row): Readonly<Record<string, unknown>> {
  if (row.input !== undefined) return row.input;
  if (row.command !== undefined) return { command: row.command };
  const field = row.field ?? (row.tool === 'NotebookEdit' ? 'notebook_path' : 'file_path');
  const content = row.content === undefined ? {} : { content: row.content };
  return row.path === null ? {} : { [field]: row.path, ...content };
}

/** The call of a case, as layer 2 gets it. */
export function toCall(base: string, row: Row): ToolCall & { readonly tool_input: Record<string, unknown> } {
  const placed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
      typeof each === 'string' ? each.replaceAll('{base}', base).replaceAll('{plugin}', REPO) : each,
    ) as T;
  return {
    tool_name: row.tool ?? 'Bash',
    tool_input: placed(inputOf(row)),
    cwd: placed(row.cwd ?? '{base}/repo'),
    session_id: 'me',
    agent_id: row.agent ?? '',
    agent_type: row.agent_type ?? '',
    project_dir: placed(row.project ?? '{base}/repo'),
    own_session_id: row.own ?? '',
    home: placed(row.home ?? '{base}/home'),
    plugin_root: REPO,
    plugin_data: `${base}/home/.claude/plugins/data/readygate`,
    config_dir: '',
  };
}
