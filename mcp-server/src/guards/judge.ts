import { type FileCall, judgeFileTool } from './file-tools.ts';
import { absolutePath, isInside } from './path.ts';
import { findSessionRoot, isDormant, readSession } from './session-view.ts';
import { pass, type Verdict } from './verdict.ts';

/** A tool call as the host's hook reports it. */
export interface ToolCall {
  readonly tool_name: string;
  /** An object, or its JSON text: `mcp_tool` hooks send text. */
  readonly tool_input: unknown;
  readonly cwd?: string | undefined;
  readonly session_id?: string | undefined;
  /** Empty outside a subagent. */
  readonly agent_id?: string | undefined;
  /** CLAUDE_PROJECT_DIR: the folder that the host was started in. */
  readonly project_dir?: string | undefined;
  /** CLAUDE_CODE_SESSION_ID of the server, where it differs from the payload's. */
  readonly own_session_id?: string | undefined;
  /** What `~` stands for. */
  readonly home?: string | undefined;
  /** Epoch milliseconds. */
  readonly now?: number | undefined;
}

/**
 * Layer 2 of the guards: decides one tool call by every active session it concerns; one refusal is enough.
 * Fails open like layer 1: a state that is not understood gates nothing, and the note says so.
 * @param call what the host is about to do
 */
export function judgeToolCall(call: ToolCall): Verdict {
  const {
    cwd = '',
    project_dir: projectDir = '',
    session_id = '',
    own_session_id = '',
    home = process.env.HOME ?? '',
    now = Date.now(),
  } = call;
  const input = readInput(call.tool_input);
  if (input === undefined) return pass('tool_input is not an object; this call is not gated');
  const toAbsolute = (target: string) => absolutePath(target, cwd || projectDir, home);
  let verdict = pass();
  for (const root of sessionRoots([projectDir, cwd])) {
    const session = readSession(root);
    if ('problem' in session) {
      verdict = pass(session.problem);
      continue;
    }
    const fileCall: FileCall = { tool: call.tool_name, input, dormant: isDormant(session, [session_id, own_session_id], now) };
    const own = judgeFileTool(session, fileCall, (target) => isInside(toAbsolute(target), root));
    if (own.decision === 'deny') return own;
    if (own.note !== undefined) verdict = own;
  }
  return verdict;
}

function sessionRoots(dirs: readonly string[]): Set<string> {
  return new Set(dirs.map(findSessionRoot).filter((root) => root !== undefined));
}

function readInput(value: unknown): Readonly<Record<string, unknown>> | undefined {
  let input = value;
  if (typeof value === 'string') {
    try {
      input = JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : undefined;
}
