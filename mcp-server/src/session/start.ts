/** start_session, with --clean and --rebuild, which start none. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { REQUEST } from '../artifacts/records.ts';
import { readConfig } from '../config/config.ts';
import { asksApproval } from '../flow/approval.ts';
import { isInvestigation } from '../flow/conditions.ts';
import { start } from '../flow/engine.ts';
import { isFlowError, type ParsedRequest, parseRequest } from '../flow/flags.ts';
import type { ChangedFileFact, FlowError, Intent, MessageRef, SessionGit } from '../flow/types.ts';
import { assertServed, excludeReadygate, type Inspection } from '../git/repository.ts';
import { isTracked } from '../git/tracked.ts';
import { parseIssue } from '../issue/reference.ts';
import { languageOf } from '../messages/language.ts';
import { removeGhosts } from '../state/archive.ts';
import type { Fence } from '../state/fence.ts';
import { sessionFolder, stateFile } from '../state/layout.ts';
import { readState, type SessionFile, writeAtomic } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import { askBranches } from './ask-branches.ts';
import { changedSinceBaseline, recordBaseline } from './baseline-file.ts';
import { cleanWorkTree } from './clean.ts';
import { writeDown } from './commit-state.ts';
import type { Edge } from './edge.ts';
import { syncEnforceMarker } from './enforce-marker.ts';
import { staleFacts } from './facts.ts';
import { failureOf } from './failure.ts';
import { foreignConfig } from './foreign-config.ts';
import { baselineAtCommand } from './heard-baseline.ts';
import { keepIssue, knowIssue, readForStart, type StartIssue, unnamedWarning, unreadWarning } from './issue.ts';
import { inspectRoot, rememberRoot, trackedState, unreadable } from './locate.ts';
import { ownState } from './own-state.ts';
import { userPrompts } from './prompts.ts';
import { recoverBehind } from './recovery.ts';
import { errorResponse, isErrorResponse, type Response } from './response.ts';
import { hearsUser, lastPrompt, usePrompt } from './spoken.ts';
import { present } from './submit.ts';

export interface StartArguments {
  request: string;
  intent: Intent;
  flags?: Record<string, unknown> | undefined;
  pipeline?: boolean | undefined;
  work_tree?: string | undefined;
  /** A URL, or owner/repo#number. */
  issue?: string | undefined;
}

const failed = (error: FlowError['error'], key: string, params: Record<string, string | number> = {}): FlowError => ({
  error,
  message: { key, params },
  problems: [],
});

/** Sortable by time, unique across processes, safe as a branch and a folder name. */
function newSessionId(now: Date): string {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(3).toString('hex')}`;
}

/** How many files a warning names before it only counts them. */
const LISTED = 20;

function age(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

function alreadyActive(state: SessionFile, now: number): FlowError {
  return failed('session_active', 'error.session_active', {
    root: state.work_tree,
    session: state.session,
    phase: state.phase,
    step: state.step,
    branch: state.git?.branch ?? state.git?.base ?? '-',
    age: age(now - state.created),
    idle: age(now - state.last_activity),
  });
}

/** Why this work tree cannot carry a session with a branch and a merge; null when it can. */
function gitTrouble(found: Inspection): FlowError | null {
  const root = found.root;
  if (found.kind === 'bare') return failed('git_failed', 'error.bare_repository', { root });
  if (found.kind === 'none') return failed('git_failed', 'error.not_a_repository', { root });
  if (found.kind === 'unborn') return failed('git_failed', 'error.unborn_branch', { root });
  if (found.kind === 'detached') return failed('git_failed', 'error.detached_head', { root });
  if (found.in_progress) return failed('git_failed', 'error.git_in_progress', { root, what: found.in_progress });
  return null;
}

const needsGit = (parsed: ParsedRequest, intent: Intent): boolean =>
  !parsed.flags.quick && !parsed.flags['only-verify'] && !isInvestigation({ intent, flags: parsed.flags });

function researchTrouble(root: string, { flags }: ParsedRequest): FlowError | null {
  const known = userPrompts(root, 'doc_research');
  const unknown = flags['doc-research'].find((name) => !known.includes(name));
  return unknown === undefined
    ? null
    : failed('bad_arguments', 'error.doc_research_unknown', { name: unknown.slice(0, 80), known: known.join(', ') || '-' });
}

/** Git as far as this session uses it. A session that needs none takes what is there, and does without where git is in no state to serve. */
function sessionGit(found: Inspection): SessionGit | null {
  if (found.kind === 'none' || found.kind === 'bare') return null;
  return { base: found.branch, branch: null, commits: [], merging: false };
}

/** Longer prompts are cut in the state; the request holds the task. */
const spokenPrompt = (): string | null => (hearsUser() ? (lastPrompt() ?? '').slice(0, 4000) : null);

/** What was edited before there was a gate is said, since it comes up at the review. */
function earlyWarning(changed: readonly ChangedFileFact[]): MessageRef[] {
  if (changed.length === 0) return [];
  const files = changed.slice(0, LISTED).map(({ path: file }) => file);
  return [{ key: 'warning.changed_before_start', params: { count: changed.length, files: files.join(', ').slice(0, 600) } }];
}

interface Beginning {
  found: Inspection;
  args: StartArguments;
  parsed: ParsedRequest;
  issue: StartIssue | null;
}

async function begin(edge: Edge, fence: Fence, { found, args, parsed, issue }: Beginning): Promise<Response> {
  const root = found.root;
  const now = edge.now();
  const mended = await recoverBehind(fence, edge);
  if (mended) return mended;
  const there = await ownState(root);
  if (there.kind === 'present')
    return errorResponse(alreadyActive(there.state, now.getTime()), await present(there.state, []), there.state.language);
  const damaged = unreadable(there);
  if (damaged) return errorResponse(damaged, null, edge.language);
  // It would not be believed by the next call.
  if (await isTracked(stateFile(root))) return errorResponse(trackedState(stateFile(root)), null, edge.language);
  removeGhosts(root);
  const git = sessionGit(found);
  const repo = git ? found : null;
  if (repo) await excludeReadygate(repo);
  await syncEnforceMarker(root);
  const { config, warnings: misfits } = readConfig(root);
  const spoken = { ...edge, language: languageOf(config.language, process.env) };
  const session = newSessionId(now);
  try {
    const typed = repo ? await baselineAtCommand(root, found.head, now) : null;
    await recordBaseline(root, session, repo, typed);
    const early = typed ? earlyWarning(await changedSinceBaseline(root, session, repo)) : [];
    const stale = repo && found.kind === 'branch' ? await staleFacts(repo, null) : [];
    const { intent, request, pipeline = false } = args;
    // Agents are told files, not contents: the request is one of them.
    if (pipeline) writeAtomic(path.join(sessionFolder(root, session), REQUEST), `${request}\n`);
    const foreign = await foreignConfig(root, repo, config);
    const asked = {
      ...parsed,
      warnings: [...parsed.warnings, ...early, ...foreign.warnings, ...misfits, ...(issue ? unreadWarning(issue) : [])],
    };
    const input = {
      session,
      intent,
      request,
      parsed: asked,
      pipeline,
      work_tree: root,
      git,
      user_prompt: spokenPrompt(),
      config,
      issue: issue && { key: issue.reference.key, url: issue.reference.url },
    };
    if (issue && 'issue' in issue.read) keepIssue(root, session, issue.reference, issue.read.issue, now);
    const { state, warnings: said } = start(input, { stale });
    const warnings = [...said, ...unnamedWarning(state)];
    const event = { event: 'start', phase: state.phase, step: state.step, intent, flags: parsed.flags, ...(pipeline ? { pipeline } : {}) };
    const response = await writeDown({ edge: spoken, fence, state, before: null, warnings, notes: [], journal: [event] });
    await foreign.remember();
    rememberRoot(session, root);
    knowIssue(session);
    usePrompt();
    return response;
  } catch (error) {
    forget(root, session);
    throw error;
  }
}

/** A session that could not begin leaves nothing behind, as far as the disk lets it. */
function forget(root: string, session: string): void {
  try {
    fs.rmSync(sessionFolder(root, session), { recursive: true, force: true });
  } catch {
    // Why it could not begin is worth more than why its folder stays.
  }
}

async function startIn(edge: Edge, folder: string, args: StartArguments): Promise<Response> {
  const heard = hearsUser() ? { prompt: lastPrompt() } : undefined;
  const parsed = parseRequest(args.request, args.intent, args.flags ?? {}, heard);
  if (isFlowError(parsed)) return errorResponse(parsed as FlowError, null, edge.language);
  // What the user asked for is not the model's to leave out.
  if (heard?.prompt && asksApproval(heard.prompt)) parsed.flags.approve = true;
  const found = await inspectRoot(folder);
  const { root } = found;
  if (parsed.flags.clean) return cleanWorkTree(edge, found);
  assertServed(found);
  if (parsed.flags.rebuild) {
    const { rebuildIndex } = await import('./rebuild.ts');
    return rebuildIndex(edge, root, edge.tell);
  }
  if (parsed.task === '' && !parsed.flags['only-verify'])
    return errorResponse(failed('bad_arguments', 'error.empty_request'), null, edge.language);
  const trouble =
    (needsGit(parsed, args.intent) ? gitTrouble(found) : found.kind === 'bare' ? gitTrouble(found) : null) ?? researchTrouble(root, parsed);
  if (trouble) return errorResponse(trouble, null, edge.language);
  const reference = args.issue?.trim() ? parseIssue(args.issue) : null;
  if (args.issue?.trim() && !reference)
    return errorResponse(failed('bad_arguments', 'error.bad_issue', { issue: args.issue.slice(0, 120) }), null, edge.language);
  // Not under the lock: the network takes its time. A work tree that is busy is asked for nothing.
  const busy = readState(root).kind === 'present';
  const issue = reference && !busy ? await readForStart(reference, root) : null;
  const begun = await withState(root, (fence) => begin(edge, fence, { found, args, parsed, issue }));
  if (isErrorResponse(begun) || begun.phase !== 'BRANCH_INTERVENTION') return begun;
  return (await askBranches(edge, root).catch(() => null)) ?? begun;
}

function isFolder(file: string): boolean {
  try {
    return fs.statSync(file).isDirectory();
  } catch {
    return false; // also a name that is too long, or a folder that may not be entered
  }
}

/**
 * Starts a session, or carries out --clean or --rebuild (the tool start_session).
 * @returns the first response, a report, or an error; never throws for bad input, git, lock or disk failures
 */
export async function startSession(edge: Edge, args: StartArguments): Promise<Response> {
  const folder = args.work_tree ?? edge.projectDir;
  if (!path.isAbsolute(folder) || !isFolder(folder)) {
    return errorResponse(failed('bad_arguments', 'error.bad_work_tree', { path: folder.slice(0, 300) }), null, edge.language);
  }
  try {
    return await startIn(edge, folder, args);
  } catch (error) {
    return errorResponse(failureOf(error), null, edge.language);
  }
}
