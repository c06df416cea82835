/** readygate clean: ends the session and removes stale task branches, on a damaged state, too. */
import { inspect } from '../git/repository.ts';
import { fill, template } from '../messages/messages.ts';
import { cleanWorkTree } from '../session/clean.ts';
import type { Edge } from '../session/edge.ts';
import { failureOf } from '../session/failure.ts';
import { addWarnings, errorResponse, isErrorResponse, type Response } from '../session/response.ts';
import { sendEnded } from '../telemetry/ended.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { cliEdge } from './edge.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

/** The one word that is taken for a yes. */
const YES = 'clean';

/** An edge that remembers whether the person was asked and gave another word. */
function listening(context: CliContext): { edge: Edge; declined: () => boolean } {
  const edge = cliEdge(context);
  let declined = false;
  const ask: Edge['ask'] = async (...question) => {
    const answer = await edge.ask(...question);
    declined = answer === 'declined' || (typeof answer === 'object' && answer.choice !== YES);
    return answer;
  };
  return { edge: { ...edge, ask }, declined: () => declined };
}

async function clean(context: CliContext, edge: Edge): Promise<Response> {
  try {
    const done = await cleanWorkTree(edge, await inspect(context.cwd));
    return addWarnings(done, await sendEnded(), context.language);
  } catch (error) {
    return errorResponse(failureOf(error), null, context.language);
  }
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  if (!readOptions(args, {})) return misfit(cleanCommand, args, context.language);
  const { edge, declined } = listening(context);
  const response = await clean(context, edge);
  if (!isErrorResponse(response)) {
    const warnings = response.warnings.map((warning) => `! ${warning}`);
    return { code: EXIT.ok, text: [response.instruction, ...warnings].join('\n'), data: response };
  }
  if (declined()) {
    const text = fill(template('cli.clean.declined', context.language), { word: YES });
    return { code: EXIT.wrong, text, data: response };
  }
  // Whoever could not be asked must be told where to ask.
  const hint = response.error === 'guard_blocked' && !context.interactive ? `\n${template('cli.clean.terminal', context.language)}` : '';
  return { code: EXIT.wrong, text: `${response.message}${hint}`, data: response };
}

export const cleanCommand: CliCommand = { name: 'clean', usage: '', summary: 'cli.clean.summary', run };
