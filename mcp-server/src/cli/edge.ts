/** The session edge of a command: a terminal instead of an MCP client. */
import type { Edge } from '../session/edge.ts';
import type { CliContext } from './command.ts';

/** An edge for `folder`; questions go to the terminal, where there is a person. */
export function cliEdge(context: CliContext, folder: string = context.cwd): Edge {
  return {
    now: context.now,
    projectDir: folder,
    owner: context.env.CLAUDE_CODE_SESSION_ID || null,
    language: context.language,
    ask: async (question, choices) => {
      if (!context.interactive) return 'unavailable';
      const answer = await context.ask(`${question} [${choices.join('/')}] `);
      return choices.includes(answer) ? { choice: answer } : 'declined';
    },
  };
}
