/** Which session a call is about: by id, else the active one of the host's work tree. */
import fs from 'node:fs';
import path from 'node:path';
import type { FlowError } from '../flow/types.ts';
import { git, records } from '../git/run.ts';
import { archivedSession, newestArchived } from '../state/archive.ts';
import { type ReadResult, readState, type SessionFile } from '../state/session-file.ts';

/** Roots of sessions that this process started or answered for, so that a linked work tree is found again. */
const knownRoots = new Map<string, string>();

export const rememberRoot = (session: string, root: string): void => {
  knownRoots.set(session, root);
};

/**
 * The root that a folder's session lies at: the innermost ancestor that holds `.git`, else the folder itself. Every call
 * asks this, so it only looks at names; whether git can serve there is found out at the start of a session.
 */
export function rootOf(folder: string): string {
  const here = fs.existsSync(folder) ? fs.realpathSync(folder) : path.resolve(folder);
  for (let dir = here; ; dir = path.dirname(dir)) {
    if (fs.existsSync(path.join(dir, '.git'))) return dir;
    if (dir === path.dirname(dir)) return here;
  }
}

async function linkedRoots(root: string): Promise<string[]> {
  const { stdout } = await git(root, ['worktree', 'list', '--porcelain', '-z'], { okCodes: [0, 128, 129] });
  const found = records(stdout).filter((line) => line.startsWith('worktree '));
  return found.map((line) => path.resolve(line.slice('worktree '.length))).filter((other) => other !== root);
}

export type Located =
  | { kind: 'active'; root: string; state: SessionFile }
  | { kind: 'over'; root: string; state: SessionFile }
  | { kind: 'error'; error: FlowError };

const failed = (error: FlowError['error'], key: string, params: Record<string, string | number>): Located => ({
  kind: 'error',
  error: { error, message: { key, params }, problems: [] },
});

function unreadable(found: ReadResult): Located | null {
  if (found.kind === 'corrupt') return failed('state_corrupt', 'error.state_corrupt', { file: found.file, detail: found.detail });
  if (found.kind === 'newer') return failed('state_corrupt', 'error.state_newer', { file: found.file, schema: found.schema });
  return null;
}

/**
 * Finds the session of a call. Cheap where it can be: the known or the host's work tree first, other work trees of the
 * repository only when neither has the session.
 */
export async function locate(projectRoot: string, session: string | null, owner: string | null): Promise<Located> {
  const root = (session && knownRoots.get(session)) || projectRoot;
  const found = readState(root);
  if (found.kind === 'present' && (session === null || found.state.session === session))
    return { kind: 'active', root, state: found.state };
  const damaged = unreadable(found);
  if (damaged) return damaged;
  const over = session === null ? null : archivedSession(root, session);
  if (over) return { kind: 'over', root, state: over };
  const elsewhere = await locateElsewhere(root, session, owner);
  if (elsewhere) return elsewhere;
  if (session !== null) {
    const active = found.kind === 'present' ? found.state.session : '-';
    return failed('no_session', 'error.no_such_session', { session: session.slice(0, 80), active });
  }
  const newest = newestArchived(root);
  return newest ? { kind: 'over', root, state: newest } : failed('no_session', 'error.no_session', { root });
}

/** A session of another work tree counts without its id only when it is ours and the only one. */
async function locateElsewhere(root: string, session: string | null, owner: string | null): Promise<Located | null> {
  const active: { root: string; state: SessionFile }[] = [];
  for (const other of await linkedRoots(root).catch(() => [])) {
    const found = readState(other);
    if (found.kind === 'present') active.push({ root: other, state: found.state });
    const over = session === null ? null : archivedSession(other, session);
    if (over) return { kind: 'over', root: other, state: over };
  }
  const ours = ({ state }: { state: SessionFile }) => knownRoots.has(state.session) || (owner !== null && state.owner === owner);
  const matching = active.filter((candidate) => (session === null ? ours(candidate) : candidate.state.session === session));
  const [only] = matching;
  if (!only || matching.length > 1) return null;
  return { kind: 'active', ...only };
}
