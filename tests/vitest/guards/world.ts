/** The world of tests/cases/guards-file.jsonl: its first row builds it, every other row is a call in it. In bash: tests/bats/world.bash. */
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
  readonly raw?: string;
  readonly kind?: 'directory' | 'dangling';
}

/** A row of the table; what is missing has the default of `toCall`. */
export interface Case {
  readonly name: string;
  readonly tool: string;
  readonly path: unknown;
  readonly field?: string;
  readonly sessions?: Readonly<Record<string, SessionSpec>>;
  readonly project?: string;
  readonly cwd?: string;
  readonly pwd?: string;
  readonly home?: string;
  readonly own?: string;
  readonly agent?: string;
  readonly deny: string | null;
}

type Entry = readonly ['dir', string] | readonly ['file' | 'link', string, string];

const [first = '', ...rest] = fs.readFileSync(`${REPO}/tests/cases/guards-file.jsonl`, 'utf8').trimEnd().split('\n');
const { world } = JSON.parse(first) as { readonly world: readonly Entry[] };

export const cases = rest.map((line) => JSON.parse(line) as Case);

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
  const last = JSON.stringify({ schema: 1, owner, last_activity: now - age * 3_600_000, language });
  return `{"gate":"${gate}","phase":"${phase}","step":${step},"session":"${session}","rev":1,\n${last.slice(1)}\n`;
}

/** Places the sessions of a case; the answer takes them away again. */
export function placeSessions(base: string, { sessions = { repo: {} } }: Pick<Case, 'sessions'>, now = Date.now()): () => void {
  const folders = Object.entries(sessions).map(([root, spec]) => {
    const folder = `${base}/${root}/.readygate`;
    fs.mkdirSync(folder, { recursive: true });
    if (spec.kind === 'directory') fs.mkdirSync(`${folder}/state.json`);
    else if (spec.kind === 'dangling') fs.symlinkSync('nowhere', `${folder}/state.json`);
    else fs.writeFileSync(`${folder}/state.json`, stateText(spec, now));
    return folder;
  });
  return () => {
    for (const folder of folders) fs.rmSync(folder, { recursive: true });
  };
}

/** The call of a case, as layer 2 gets it. */
export function toCall(base: string, row: Omit<Case, 'name' | 'deny'>): ToolCall & { readonly tool_input: Record<string, unknown> } {
  const placed = <T>(value: T) => (typeof value === 'string' ? value.replaceAll('{base}', base) : value);
  const field = row.field ?? (row.tool === 'NotebookEdit' ? 'notebook_path' : 'file_path');
  return {
    tool_name: row.tool,
    tool_input: row.path === null ? {} : { [field]: placed(row.path) },
    cwd: placed(row.cwd ?? '{base}/repo'),
    session_id: 'me',
    agent_id: row.agent ?? '',
    project_dir: placed(row.project ?? '{base}/repo'),
    own_session_id: row.own ?? '',
    home: placed(row.home ?? '{base}/home'),
  };
}
