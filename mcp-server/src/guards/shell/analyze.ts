import { Evaluator } from './evaluator.ts';
import { Scope } from './scope.ts';
import { literal } from './values.ts';
import type { ShellContext, ShellVerdict } from './verdict.ts';

export { analyzePowerShell } from './powershell.ts';
export type { ShellContext, ShellVerdict, ShellWrite, WriteKind } from './verdict.ts';

/** No honest command is longer; what lies beyond is not read, and the verdict says so. */
const MAX_COMMAND = 1_048_576;

/** Judges what a shell command would write, without running anything. Never throws. */
export function analyzeShell(command: string, context: ShellContext): ShellVerdict {
  const evaluator = new Evaluator(context);
  const cut = command.length > MAX_COMMAND;
  if (cut) evaluator.endsUnread();
  const scope = new Scope([context.cwd]);
  try {
    evaluator.text(literal(cut ? command.slice(0, MAX_COMMAND) : command), scope, null);
  } catch (error) {
    // What was found so far stands. What lies behind may do anything: a text that breaks this reading must not pass by it.
    evaluator.endsUnread();
    evaluator.notes.add(`not judged to the end: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { writes: evaluator.judge.writes, unparsable: evaluator.unparsable, unread: evaluator.unread, notes: [...evaluator.notes] };
}
