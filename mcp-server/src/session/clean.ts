/** --clean: no session starts, a report comes back (FLOW.md, Flags). */
import fs from 'node:fs';
import path from 'node:path';
import { abort } from '../flow/engine.ts';
import { isSpoken } from '../flow/spoken-flags.ts';
import { COMPLETE } from '../flow/table.ts';
import { cleanStale } from '../git/clean.ts';
import { currentBranch, type Inspection } from '../git/repository.ts';
import type { StaleDone } from '../git/stale.ts';
import { fill, type Language, say, template } from '../messages/messages.ts';
import type { Fence } from '../state/fence.ts';
import { FOLDER, sessionFolder } from '../state/layout.ts';
import { recover } from '../state/recover.ts';
import type { ReadResult, SessionFile } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { settle } from './carry-out.ts';
import { writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { endUnwritten } from './end-unwritten.ts';
import { ownState } from './own-state.ts';
import { put } from './question.ts';
import { errorResponse, type Response } from './response.ts';
import { lastPrompt, usePrompt } from './spoken.ts';

/** An answer that starts no session. */
export function report(text: string, more: Record<string, unknown>): Response {
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

/** A damaged state is kept, and its session, as far as it can be brought back, ended like any other. */
async function endDamaged(edge: Edge, fence: Fence): Promise<Ended> {
  const done = recover(fence, edge.now());
  const kept = done ? done.kept : fence.setAside(edge.now());
  const text = fill(template('report.clean.damaged', edge.language), { file: kept });
  if (done?.kind === 'rebuilt') await end(edge, fence, done.state);
  return { session: null, text };
}

async function endActive(edge: Edge, fence: Fence | null, found: ReadResult): Promise<Ended> {
  const { language } = edge;
  if (found.kind === 'absent' || !fence) return { session: null, text: template('report.clean.no_session', language) };
  // Nothing that it says is carried out, not even to end it.
  if (found.kind === 'foreign')
    return { session: null, text: fill(template('report.clean.foreign', language), { file: fence.setAside(edge.now()) }) };
  if (found.kind !== 'present') return endDamaged(edge, fence);
  const { state } = found;
  await end(edge, fence, state);
  return {
    session: state.session,
    text: fill(template('report.clean.session', language), { session: state.session, folder: sessionFolder(fence.root, state.session) }),
  };
}

async function end(edge: Edge, fence: Fence, state: SessionFile): Promise<void> {
  await settle(edge, state);
  await writeDown({
    edge,
    fence,
    state: abort(state),
    before: state,
    warnings: [],
    notes: [],
    journal: [{ event: 'clean', phase: state.phase, step: state.step, outcome: 'aborted' }],
  });
}

/** An active session is only ended when the person says so: they typed --clean, or say it now. */
async function mayEnd(edge: Edge, { session, work_tree, language }: SessionFile): Promise<boolean> {
  if (isSpoken('clean', lastPrompt() ?? '')) return true;
  const answer = await put(edge, { kind: 'clean', choices: ['clean', 'keep'], language, params: { session, root: work_tree } });
  return typeof answer === 'object' && answer.choice === 'clean';
}

function needsUser({ session, language }: SessionFile): Response {
  const message = { key: 'error.clean_needs_user', params: { session } };
  return errorResponse({ error: 'guard_blocked', guard: 'RG09', message, problems: [] }, null, language);
}

function section(key: string, lines: readonly string[], language: Language): string[] {
  return lines.length > 0 ? [template(key, language), ...lines] : [];
}

async function removeStaleBranches(found: Inspection, language: Language): Promise<{ text: string; removed: StaleDone[] }> {
  if (found.kind === 'none' || found.kind === 'bare') return { text: template('report.clean.no_branches', language), removed: [] };
  const { removed, failed } = await cleanStale(found);
  const gone = removed.map(({ name, restore }) => `- ${name}: ${restore}`);
  const left = failed.map(({ name, message }) => `- ${name}: ${message}`);
  const now = await currentBranch(found.root).catch(() => found.branch);
  const switched =
    now !== null && now !== found.branch
      ? [fill(template('report.clean.switched', language), { branch: now, before: found.branch ?? '-' })]
      : [];
  const lines = [...switched, ...section('report.clean.branches', gone, language), ...section('report.clean.failed', left, language)];
  return { text: lines.join('\n') || template('report.clean.no_branches', language), removed };
}

async function cleanLocked(edge: Edge, fence: Fence | null, found: Inspection, agreed: string | null): Promise<Response> {
  const { root } = found;
  const now = await ownState(root);
  // While the person was asked, the session may have ended and another begun: that one they did not agree to.
  if ((now.kind === 'present' || now.kind === 'foreign') && now.state.session !== agreed) return needsUser(now.state);
  const ended = await endActive(edge, fence, now);
  const branches = await removeStaleBranches(found, edge.language);
  return report(fill(template('report.clean', edge.language), { root, session: ended.text, branches: branches.text }), {
    cleaned: { session: ended.session, branches: branches.removed },
  });
}

/** Ends the session where nothing can be written. Branches wait: git cannot write, either. */
async function cleanUnwritten(error: unknown, root: string, state: SessionFile): Promise<Response> {
  const { language, session } = state;
  const ended = say(await endUnwritten(error, state), language);
  const branches = template('report.clean.later', language);
  return report(fill(template('report.clean', language), { root, session: ended, branches }), { cleaned: { session, branches: [] } });
}

/**
 * Archives the active session and removes stale task branches, with their tips kept. An active session needs the person's
 * word, and so does a foreign one, which is set aside; a damaged state file is set aside without asking, since it gates nothing.
 * @throws GitFailed, LockTimeout, StorageFailed
 */
export async function cleanWorkTree(edge: Edge, found: Inspection): Promise<Response> {
  const active = await ownState(found.root);
  const there = active.kind === 'present' || active.kind === 'foreign' ? active.state : null;
  const state = there && there.phase !== COMPLETE ? there : null;
  if (state && !(await mayEnd(edge, state))) return needsUser(state);
  usePrompt();
  const clean = (fence: Fence | null) => cleanLocked(edge, fence, found, state?.session ?? null);
  // A work tree that never had a session gets no folder from being cleaned.
  if (!fs.existsSync(path.join(found.root, FOLDER))) return clean(null);
  return withState(found.root, clean).catch((error: unknown) => {
    // Only the session that the person agreed to end.
    if (!state || active.kind !== 'present') throw error;
    return cleanUnwritten(error, found.root, state);
  });
}
