/** Does one thing with the state of a work tree, over and over, in a process of its own: `node process.cjs <what> <root> [count]`. */
import { withLock } from '../../../mcp-server/src/state/lock.ts';
import { readState, type SessionFile, writeState } from '../../../mcp-server/src/state/session-file.ts';

const [what, root = '', count = '0'] = process.argv.slice(2);

function present(): SessionFile {
  const found = readState(root);
  if (found.kind !== 'present') throw new Error(JSON.stringify(found));
  return found.state;
}

async function increment(): Promise<void> {
  for (let time = 0; time < Number(count); time++) {
    await withLock(root, async () => {
      const state = present();
      // Lets every other process try meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      writeState(root, { ...state, rev: state.rev + 1 });
    });
  }
}

function writeForever(): void {
  const state = present();
  for (let rev = state.rev + 1; ; rev++) {
    writeState(root, { ...state, rev, instruction: `${rev} `.repeat(rev % 5000) });
    process.stdout.write('.');
  }
}

/** Holds the lock until standard input says otherwise. */
async function hold(): Promise<void> {
  await withLock(root, async () => {
    process.stdout.write('held\n');
    await new Promise((resolve) => process.stdin.once('data', resolve));
  });
  process.exit(0);
}

if (what === 'increment') await increment();
else if (what === 'write') writeForever();
else if (what === 'hold') await hold();
else throw new Error(`no such work: ${what}`);
