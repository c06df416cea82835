/** The tools of code intelligence, as the server sees them: which work tree, what the session knows, what counts as seen. */
import { rememberShown } from '../evidence/shown.ts';
import { askIntel } from '../intel/client.ts';
import type { IntelTool } from '../intel/protocol.ts';
import type { SessionChanges } from '../intel/tools/review-changes.ts';
import { fill, template } from '../messages/messages.ts';
import { changedSinceBaseline } from '../session/baseline-file.ts';
import type { Edge } from '../session/edge.ts';
import { repositoryOf } from '../session/facts.ts';
import { type Located, locate } from '../session/locate.ts';
import { rootOf } from '../session/root-of.ts';
import type { ToolResult } from './tools.ts';

type Active = Extract<Located, { kind: 'active' }>;

/** The work tree of the active session, else that of the host. */
async function placeOf(edge: Edge): Promise<{ root: string; active: Active | null }> {
  const root = rootOf(edge.projectDir);
  const located = await locate(root, null, edge.owner);
  return located.kind === 'active' ? { root: located.root, active: located } : { root, active: null };
}

async function changesOf({ root, state }: Active): Promise<SessionChanges> {
  const changed = await changedSinceBaseline(root, state.session, await repositoryOf(state));
  return {
    session: state.session,
    changed: changed.map(({ path, status, users }) => ({ path, status, users: users === true })),
    tasks: state.tasks.map(({ id, description, files }) => ({ id, description, files: [...(files ?? [])] })),
  };
}

const failure = (message: string): ToolResult => ({
  content: [{ type: 'text', text: message }],
  structuredContent: { error: 'bad_arguments', message },
  isError: true,
});

/**
 * Answers one call.
 * @param args valid for the tool's schema
 * @param call the host's id of it, by which its hooks name it, too
 */
export async function callIntel(tool: IntelTool, args: Record<string, unknown>, edge: Edge, call: string): Promise<ToolResult> {
  const { root, active } = await placeOf(edge);
  const session = tool === 'review_changes' && active ? await changesOf(active) : null;
  try {
    const answer = await askIntel({ root, language: edge.language, tool, args, session }, edge.tell);
    if (answer.problem !== undefined) return failure(answer.problem);
    rememberShown(call, { tool, root, paths: answer.paths });
    return { content: [{ type: 'text', text: answer.text }], structuredContent: answer.wire };
  } catch (error) {
    return failure(fill(template('intel.error.gone', edge.language), { detail: (error as Error).message.slice(0, 300) }));
  }
}

/** Brings the index of a session's work tree in step, in the background. Never throws: the tools say what went wrong. */
export async function beginIndexing(edge: Edge, session: string): Promise<void> {
  try {
    const located = await locate(rootOf(edge.projectDir), session, edge.owner);
    if (located.kind === 'active') await askIntel({ root: located.root, language: edge.language, tool: 'index', args: {} });
  } catch (error) {
    process.stderr.write(`readygate: the code index was not begun: ${(error as Error).message}\n`);
  }
}
