/** --clean and --rebuild: no session starts, a report comes back (FLOW.md, Flags). */
import fs from 'node:fs';
import path from 'node:path';
import { abort } from '../flow/engine.ts';
import { cleanStale } from '../git/clean.ts';
import type { Inspection } from '../git/repository.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import { setAside } from '../state/archive.ts';
import { FOLDER, sessionFolder } from '../state/layout.ts';
import { withLock } from '../state/lock.ts';
import { readState, StorageFailed } from '../state/session-file.ts';
import { writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { errorResponse, type Response } from './response.ts';

function report(text: string, more: Record<string, unknown>): Response {
  return {
    session_id: null,
    phase: null,
    step: null,
    substep: null,
    instruction: text,
    expected_payload: {},
    call: null,
    warnings: [],
    agent: null,
    artifact: null,
    ...more,
  };
}

interface Ended {
  session: string | null;
  text: string;
}

async function endActive(edge: Edge, root: string, language: Language): Promise<Ended> {
  const found = readState(root);
  if (found.kind === 'absent') return { session: null, text: template('report.clean.no_session', language) };
  if (found.kind !== 'present') {
    const kept = setAside(root, edge.now());
    return { session: null, text: fill(template('report.clean.damaged', language), { file: kept ?? found.file }) };
  }
  const { state } = found;
  await writeDown({
    edge,
    state: abort(state),
    before: state,
    warnings: [],
    notes: [],
    journal: [{ event: 'clean', phase: state.phase, step: state.step, outcome: 'aborted' }],
  });
  return {
    session: state.session,
    text: fill(template('report.clean.session', language), { session: state.session, folder: sessionFolder(root, state.session) }),
  };
}

/**
 * Archives the active session and removes stale task branches, with their tips kept. An active session is only ended
 * when the person says so; a damaged state file is set aside without asking, since it gates nothing.
 * @throws GitFailed, LockTimeout, StorageFailed
 */
export async function cleanWorkTree(edge: Edge, found: Inspection): Promise<Response> {
  const { root } = found;
  const active = readState(root);
  if (active.kind === 'present') {
    const { language, session } = active.state;
    const answer = await edge.ask(fill(template('question.clean', language), { session, root }), ['clean', 'keep']);
    if (answer !== 'clean')
      return errorResponse(
        { error: 'guard_blocked', guard: 'RG09', message: { key: 'error.clean_needs_user', params: { session } }, problems: [] },
        null,
        language,
      );
  }
  // A work tree that never had a session gets no folder from being cleaned.
  const ended = fs.existsSync(path.join(root, FOLDER))
    ? await withLock(root, () => endActive(edge, root, edge.language))
    : { session: null, text: template('report.clean.no_session', edge.language) };
  const removed = found.kind === 'none' || found.kind === 'bare' ? [] : (await cleanStale(found)).removed;
  const lines = removed.map(({ name, restore }) => `- ${name}: ${restore}`);
  const branches =
    lines.length > 0
      ? [template('report.clean.branches', edge.language), ...lines].join('\n')
      : template('report.clean.no_branches', edge.language);
  return report(fill(template('report.clean', edge.language), { root, session: ended.text, branches }), {
    cleaned: { session: ended.session, branches: removed },
  });
}

/** Removes the code index; it is built anew when next needed. @throws StorageFailed */
export function rebuildIndex(edge: Edge, folder: string): Response {
  const there = fs.existsSync(folder);
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    throw new StorageFailed(folder, error);
  }
  return report(fill(template(there ? 'report.rebuild' : 'report.rebuild.none', edge.language), { folder }), { rebuilt: there });
}
