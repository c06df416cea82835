/** Tool calls that a guard refused, noted in the session's journal: `readygate log` and summary.md tell what was blocked. */
import { catalog } from '../guards/catalog.ts';
import type { ToolCall } from '../guards/judge.ts';
import type { Denial } from '../guards/verdict.ts';
import { maskText } from '../pre-planning/mask.ts';
import { readState } from '../state/session-file.ts';
import { withState } from '../state/with-state.ts';
import type { Edge } from './edge.ts';
import { note } from './note.ts';

/** Lines for a visit of a phase; an agent that tries again and again must not fill the journal. */
const MOST = 20;
const WHAT_CHARS = 120;
/** How much of a command is looked at. */
const READ_CHARS = 2000;

/** How many were noted where the session stands now. */
let noted = { place: '', count: 0 };

/** What the call was about: its file, or the beginning of its command. */
function whatOf({ tool_name, tool_input }: ToolCall): string {
  const input = (typeof tool_input === 'string' ? JSON.parse(tool_input) : tool_input) as Record<string, unknown>;
  const value = input[catalog.file_tools[tool_name as 'Edit'] ?? catalog.shell_tools[tool_name as 'Bash'] ?? ''];
  return typeof value === 'string' ? maskText(value.slice(0, READ_CHARS)).replace(/\s+/g, ' ').trim().slice(0, WHAT_CHARS) : '';
}

/**
 * Notes a refused call. At most so many for each visit of a phase, the last of them with `more`.
 * Never throws, and nobody waits for it: the refusal stands whatever becomes of the note.
 */
export async function noteRefusal(edge: Edge, call: ToolCall, { guard, root }: Denial): Promise<void> {
  if (root === undefined) return;
  try {
    const what = whatOf(call);
    await withState(root, async () => {
      const found = readState(root);
      if (found.kind !== 'present') return;
      const { state } = found;
      const { session, phase, step, round } = state;
      const place = JSON.stringify([session, step, phase, round]);
      const count = noted.place === place ? noted.count + 1 : 1;
      noted = { place, count };
      if (count > MOST) return;
      note(state, edge, {
        event: 'refused',
        phase,
        step,
        guard,
        tool: call.tool_name.slice(0, WHAT_CHARS),
        what,
        ...(count === MOST ? { more: true } : {}),
      });
    });
  } catch {
    // Busy, read-only, or a call that is not understood: the refusal itself was answered.
  }
}
