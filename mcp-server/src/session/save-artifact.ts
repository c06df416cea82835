/** save_artifact: an agent hands in its artifact. Checked while the agent is there to mend it, written whole, its hash journaled. */
import path from 'node:path';
import { readContent } from '../artifacts/content.ts';
import { artifactFacts, artifactLines, artifactText } from '../artifacts/records.ts';
import { artifactRules, MAX_ARTIFACT_BYTES, type Named, roleOf, ruleOf, troubleOf } from '../flow/artifacts.ts';
import { expectedNames } from '../flow/batch.ts';
import { problem } from '../flow/problem.ts';
import type { FlowError, MessageRef, Problem } from '../flow/types.ts';
import { say } from '../messages/messages.ts';
import { appendJournal, sha256 } from '../state/journal.ts';
import { sessionFolder } from '../state/layout.ts';
import { readState, type SessionFile, writeAtomic } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import type { Caller } from './callers.ts';
import type { Edge } from './edge.ts';
import { failureOf } from './failure.ts';
import { locate, rememberRoot } from './locate.ts';
import { noteBlock } from './note.ts';
import { errorResponse } from './response.ts';
import { rootOf } from './root-of.ts';
import { answerWithout } from './submit.ts';

export interface SaveArguments {
  name: string;
  content: string;
  session_id?: string | undefined;
}

/** An error in the flow's shape, or what was handed in. */
export type Saved = Record<string, unknown>;

const blocked = (key: string, params: MessageRef['params'] = {}): FlowError => ({
  error: 'guard_blocked',
  guard: 'RG11',
  message: { key, params },
  problems: [],
});

const mismatch = (name: string, problems: Problem[]): FlowError => ({
  error: 'payload_mismatch',
  message: { key: 'error.artifact_content', params: { name } },
  problems,
});

/** The artifacts that may be handed in at a step. */
const namesAt = (step: number): string =>
  artifactRules
    .filter(({ steps }) => steps.includes(step))
    .map(({ name }) => name)
    .join(', ') || '-';

function phaseTrouble({ rule, task }: Named, name: string, state: SessionFile): FlowError | null {
  const { step, phase, tasks } = state;
  if (!rule.steps.includes(step))
    return blocked('error.artifact_phase', { name, steps: rule.steps.join(', '), step, phase, names: namesAt(step) });
  if (task === null) return null;
  const found = tasks.find(({ id }) => id === task);
  const open = tasks.filter(({ status }) => status === 'pending').map(({ id }) => id);
  if (found?.status !== 'pending') return blocked('error.artifact_task', { name, task, open: open.join(', ') || '-' });
  const waits = (found.depends_on ?? []).filter((id) => open.includes(id));
  return waits.length > 0 ? blocked('error.artifact_depends', { name, task, waits: waits.join(', ') }) : null;
}

/** A review is of something that counts, and a verdict once given is answered by a new text, not by another verdict. */
function orderTrouble({ rule, task }: Named, name: string, state: SessionFile): FlowError | null {
  const facts = { artifacts: artifactFacts(state.work_tree, state.session, state.since ?? 0) };
  const before = [...(rule.after ?? []), ...(rule.reviews ? [rule.reviews] : [])].map((other) => other.replace('{task}', task ?? ''));
  // Only what belongs to this plan: a list sent again at 13 has its design from step 12.
  const missing = before.find((other) => {
    const found = troubleOf(other, facts);
    return found !== null && (rule.reviews !== undefined || found.what !== 'sent_back');
  });
  const author = missing === undefined ? '' : (ruleOf(missing)?.rule.agent ?? '');
  return missing === undefined ? null : blocked('error.artifact_before', { name, before: missing, agent: author });
}

/** Whoever did the work does not judge it; and an agent keeps to its role, as far as the host tells which one it is. */
function callerTrouble({ rule, task }: Named, name: string, caller: Caller | null, state: SessionFile): FlowError | null {
  if (!caller) return null;
  const role = roleOf(caller.type);
  if (role !== null && role !== rule.agent) return blocked('error.artifact_agent', { name, agent: rule.agent, role });
  if (caller.id === '' && rule.verdicts) return blocked('error.artifact_own_verdict', { name, agent: rule.agent });
  const about = rule.reviews?.replace('{task}', task ?? '');
  const author = about === undefined ? undefined : artifactLines(state.work_tree, state.session).findLast((line) => line.name === about);
  if (author && author.agent_id === caller.id) return blocked('error.artifact_own_verdict', { name, agent: rule.agent });
  return null;
}

/** No hook told who calls: then only what the flow waits for is taken, since nobody can be held to a role. */
function strangerTrouble(name: string, state: SessionFile): FlowError | null {
  const names = expectedNames(state);
  return names.includes(name) ? null : blocked('error.artifact_stranger', { name, names: names.join(', ') || '-' });
}

function saveLocked(edge: Edge, state: SessionFile, { name, content }: SaveArguments, caller: Caller | null): Saved | FlowError {
  if (!state.pipeline) return blocked('error.artifact_solo', { name: name.slice(0, 80) });
  const found = ruleOf(name);
  if (!found) return mismatch(name.slice(0, 80), [problem('/name', 'problem.artifact_name', { names: namesAt(state.step) })]);
  const trouble =
    phaseTrouble(found, name, state) ??
    callerTrouble(found, name, caller, state) ??
    orderTrouble(found, name, state) ??
    (caller ? null : strangerTrouble(name, state));
  if (trouble) return trouble;
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_ARTIFACT_BYTES)
    return mismatch(name, [problem('/content', 'problem.artifact_size', { bytes, limit: MAX_ARTIFACT_BYTES })]);
  const { work_tree: root, session, rev, phase, step } = state;
  const { problems, verdict } = readContent(found.rule, content, artifactText(root, session, 'tasks.md'));
  if (problems.length > 0) return mismatch(name, problems);
  const hash = sha256(content);
  writeAtomic(path.join(sessionFolder(root, session), name), content);
  const by = { agent: caller?.type || null, agent_id: caller?.id || null };
  appendJournal(root, session, [{ event: 'artifact', rev, phase, step, name, hash, bytes, verdict, ...by }], edge.now());
  const message = say({ key: 'artifact.saved', params: { name, bytes } }, state.language);
  return { session_id: session, artifact: name, bytes, hash, verdict, message };
}

function isRefusal(saved: Saved | FlowError): saved is FlowError {
  return 'problems' in saved && 'error' in saved;
}

/**
 * Takes an artifact in (the tool save_artifact).
 * @param caller who called, where a hook told
 * @returns name, size, hash and verdict of what was handed in, or an error in the flow's shape; never throws for bad input, lock or disk failures
 */
export async function saveArtifact(edge: Edge, args: SaveArguments, caller: Caller | null): Promise<Saved> {
  try {
    const located = await locate(rootOf(edge.projectDir), args.session_id ?? null, edge.owner);
    if (located.kind !== 'active') return answerWithout(located, edge);
    const { root, state } = located;
    rememberRoot(state.session, root);
    return await withState(root, async () => {
      const now = readState(root);
      if (now.kind !== 'present' || now.state.session !== state.session) return answerWithout({ kind: 'over', root, state }, edge);
      const saved = saveLocked(edge, now.state, args, caller);
      if (!isRefusal(saved)) return saved;
      // Which agent lacked what is worth knowing afterwards; the guard is named whatever it was that was wrong.
      noteBlock(now.state, edge, { ...saved, guard: 'RG11' }, { name: args.name.slice(0, 80) });
      return errorResponse(saved, null, now.state.language);
    });
  } catch (error) {
    return errorResponse(failureOf(error), null, edge.language);
  }
}
