/** What plugin/cli.cjs starts: the readygate command. */
import { runCli } from './cli/run.ts';

// Whoever reads may leave early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

void runCli(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
