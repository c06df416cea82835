import { denyingGuard, fileField, formatMessage } from './catalog.ts';
import type { SessionView } from './session-view.ts';
import { pass, type Verdict } from './verdict.ts';

/** Longer names cannot be made; judging them would take seconds. */
const MAX_PATH_BYTES = 8192;

/** A call as the guards of one session see it. */
export interface FileCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly dormant: boolean;
}

/**
 * RG01–RG03: no edits of the work tree before READY, before the plan, or during review. The same rules in bash: hooks/lib/file-tool.jq.
 * @param session the state that judges
 * @param call the tool call
 * @param isInside whether a target lies in the session's work tree
 */
export function judgeFileTool(session: SessionView, call: FileCall, isInside: (target: string) => boolean): Verdict {
  const field = fileField(call.tool);
  const guard = denyingGuard(session.gate, session.step, call.tool);
  if (field === undefined || guard === undefined || call.dormant) return pass();
  const target = call.input[field];
  if (typeof target !== 'string' || target === '') return pass('the call names no file; it is not gated');
  if (target.includes('\0')) return pass('the file name holds a NUL; it is not gated, and no such file can be made');
  if (Buffer.byteLength(target) > MAX_PATH_BYTES) {
    return pass(`the file name is longer than ${MAX_PATH_BYTES} bytes; it is not gated, and no such file can be made`);
  }
  if (!isInside(target)) return pass();
  const message = formatMessage(guard, session.language, {
    session: session.session,
    phase: session.phase,
    step: String(session.step),
    tool: call.tool,
    path: target,
  });
  return { decision: 'deny', guard: guard.id, message };
}
