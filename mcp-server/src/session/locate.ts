/** Which session a call is about: by id, else the active one of the host's work tree. */
import path from 'node:path';
import { COMPLETE } from '../flow/table.ts';
import type { FlowError } from '../flow/types.ts';
import { type Inspection, inspect } from '../git/repository.ts';
import { git, records } from '../git/run.ts';
import { archivedSession, newestArchived } from '../state/archive.ts';
import type { ReadResult, SessionFile } from '../state/session-file.ts';
import { ownState } from './own-state.ts';
import { rootOf } from './root-of.ts';

/** Roots of sessions that this process started or answered for, so that a linked work tree is found again. */
const knownRoots = new Map<string, string>();

export const rememberRoot = (session: string, root: string): void => {
  knownRoots.set(session, root);
};

/** A folder's repository; where git cannot serve, its root is still the one that later calls will look at. */
export async function inspectRoot(folder: string): Promise<Inspection> {
  const found = await inspect(folder);
  return found.kind === 'none' ? { ...found, root: rootOf(folder) } : found;
}

async function linkedRoots(root: string): Promise<string[]> {
  const { stdout } = await git(root, ['worktree', 'list', '--porcelain', '-z'], { okCodes: [0, 128, 129] });
  const found = records(stdout).filter((line) => line.startsWith('worktree '));
  return found.map((line) => path.resolve(line.slice('worktree '.length)));
}

export type Located =
  | { kind: 'active'; root: string; state: SessionFile }
  | { kind: 'over'; root: string; state: SessionFile }
  /** `damaged` is the root whose state is to be mended. */
  | { kind: 'error'; error: FlowError; damaged?: string };

const failed = (error: FlowError['error'], key: string, params: Record<string, string | number>): FlowError => ({
  error,
  message: { key, params },
  problems: [],
});

/** A state that git tracks, or would track once it is written. */
export const trackedState = (file: string): FlowError => failed('state_corrupt', 'error.state_tracked', { file });

/** Why a state file that is there cannot be worked with; null when it can, or is not there. */
export function unreadable(found: ReadResult): FlowError | null {
  if (found.kind === 'corrupt') return failed('state_corrupt', 'error.state_corrupt', { file: found.file, detail: found.detail });
  if (found.kind === 'newer') return failed('state_corrupt', 'error.state_newer', { file: found.file, schema: found.schema });
  if (found.kind === 'foreign' && found.why === 'tracked') return trackedState(found.file);
  if (found.kind === 'foreign') {
    const [root, work_tree] = [path.dirname(path.dirname(found.file)), found.state.work_tree];
    return failed('state_corrupt', 'error.state_elsewhere', { file: found.file, root, work_tree });
  }
  return null;
}

const broken = (error: FlowError, found: ReadResult, root: string): Located =>
  found.kind === 'corrupt' ? { kind: 'error', error, damaged: root } : { kind: 'error', error };

/**
 * Finds the session of a call. Cheap where it can be: the known or the host's work tree first, other work trees only
 * when that one has not the session.
 */
export async function locate(projectRoot: string, session: string | null, owner: string | null): Promise<Located> {
  const root = (session && knownRoots.get(session)) || projectRoot;
  const found = await ownState(root);
  if (found.kind === 'present' && (session === null || found.state.session === session))
    return { kind: found.state.phase === COMPLETE ? 'over' : 'active', root, state: found.state };
  const damaged = unreadable(found);
  // Without an id the call is about this very file; with one, another work tree may still have the session.
  if (damaged && session === null) return broken(damaged, found, root);
  const over = session === null ? null : archivedSession(root, session);
  if (over) return { kind: 'over', root, state: over };
  const elsewhere = await locateElsewhere(root, session, owner);
  if (elsewhere) return elsewhere;
  if (damaged) return broken(damaged, found, root);
  if (session !== null) {
    const active = found.kind === 'present' ? found.state.session : '-';
    return { kind: 'error', error: failed('no_session', 'error.no_such_session', { session: session.slice(0, 80), active }) };
  }
  const newest = newestArchived(root);
  return newest ? { kind: 'over', root, state: newest } : { kind: 'error', error: failed('no_session', 'error.no_session', { root }) };
}

/** A session of another work tree counts without its id only when it is ours and the only one. */
async function locateElsewhere(root: string, session: string | null, owner: string | null): Promise<Located | null> {
  const active: { root: string; state: SessionFile }[] = [];
  const others = new Set([...(await linkedRoots(root).catch(() => [])), ...knownRoots.values()]);
  others.delete(root);
  for (const other of others) {
    const found = await ownState(other);
    if (found.kind === 'present' && found.state.phase !== COMPLETE) active.push({ root: other, state: found.state });
    const over = session === null ? null : archivedSession(other, session);
    if (over) return { kind: 'over', root: other, state: over };
  }
  const ours = ({ state }: { state: SessionFile }) => knownRoots.has(state.session) || (owner !== null && state.owner === owner);
  const matching = active.filter((candidate) => (session === null ? ours(candidate) : candidate.state.session === session));
  const [only] = matching;
  if (!only || matching.length > 1) return null;
  return { kind: 'active', ...only };
}
