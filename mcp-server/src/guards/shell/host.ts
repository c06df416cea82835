import type { Call, Handler } from './call.ts';

/** The host's own program: a prompt that it gets is taken for the user's words. */
export const HOST: [string, Handler][] = [
  ['claude', prompted],
  ['claude-code', prompted],
];

/** Judges what is piped in; the arguments are left to the table. */
function prompted(call: Call): null {
  if (call.stdin?.includes('/readygate:')) call.evaluator.judge.repository(call.name, 'guard', call.scope.folder);
  return null;
}
