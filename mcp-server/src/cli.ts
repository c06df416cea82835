/** What plugin/cli.cjs starts: the readygate command. */
import { runCli } from './cli/run.ts';

void runCli(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
