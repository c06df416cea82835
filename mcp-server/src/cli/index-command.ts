/** readygate index: brings the code index in step. */
import { askIntel, endIntel } from '../intel/client.ts';
import type { IndexReport } from '../intel/tools/sync-index.ts';
import { fill, type Language, template } from '../messages/messages.ts';
import { rootOf } from '../session/root-of.ts';
import { type CliCommand, type CliContext, type CliResult, EXIT } from './command.ts';
import { readOptions } from './options.ts';
import { misfit } from './usage.ts';

const OPTIONS = { rebuild: 'boolean' } as const;

function textOf({ files, indexed, symbols, languages, skipped }: IndexReport, language: Language): string {
  const list = Object.entries(languages).sort(([, a], [, b]) => b - a);
  const left = Object.entries(skipped).map(([reason, { count, examples }]) =>
    fill(template('cli.index.skipped', language), { reason, count, examples: examples.join(', ') }),
  );
  return fill(template('cli.index', language), {
    files,
    indexed,
    symbols,
    languages: list.map(([name, count]) => `${name} ${count}`).join(', '),
    skipped: left.length > 0 ? left.join('\n') : template('cli.index.none_skipped', language),
  });
}

async function run(args: string[], context: CliContext): Promise<CliResult> {
  const { language } = context;
  const read = readOptions(args, OPTIONS);
  if (!read) return misfit(indexCommand, args, language);
  const { rebuild = false } = read.values;
  const call = { root: rootOf(context.cwd), language, tool: 'index' as const, args: { wait: true, rebuild } };
  const bar = context.progress('readygate index', 0);
  // Its thread does not keep a process alive, and here nothing else does.
  const alive = setInterval(() => {}, 60_000);
  try {
    const { data, problem } = await askIntel(call, (done, total) => bar.update(done, total));
    if (problem !== undefined) return { code: EXIT.wrong, text: problem, data: { error: 'internal', message: problem } };
    const report = data as unknown as IndexReport;
    await endIntel();
    return { code: EXIT.ok, text: textOf(report, language), data: { root: call.root, ...report } };
  } catch (error) {
    const text = fill(template('intel.error.gone', language), { detail: (error as Error).message });
    return { code: EXIT.wrong, text, data: { error: 'internal', message: text } };
  } finally {
    bar.end();
    clearInterval(alive);
  }
}

export const indexCommand: CliCommand = { name: 'index', usage: '[--rebuild]', options: ['--rebuild'], summary: 'cli.index.summary', run };
