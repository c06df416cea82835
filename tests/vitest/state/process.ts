/** Does one thing with the state of a work tree, over and over, in a process of its own: `node process.mjs <what> <root> [count or point]`. */
import fs from 'node:fs';
import { LockTimeout, withLock } from '../../../mcp-server/src/state/lock.ts';
import { readState, type SessionFile } from '../../../mcp-server/src/state/session-file.ts';
import { withState } from '../../../mcp-server/src/state/with-state.ts';

const [what, root = '', count = '0'] = process.argv.slice(2);

function present(): SessionFile {
  const found = readState(root);
  if (found.kind !== 'present') throw new Error(JSON.stringify(found));
  return found.state;
}

/** Prints a mark and waits for a line on standard input: whoever started this process does something meanwhile. */
async function stop(mark: string): Promise<void> {
  process.stdout.write(`${mark}\n`);
  await new Promise((resolve) => process.stdin.once('data', resolve));
}

/** Among many writers, one may be unlucky for five seconds. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LockTimeout)) throw error;
    }
  }
}

async function increment(): Promise<void> {
  for (let time = 0; time < Number(count); time++) {
    await patiently(() =>
      withState(root, async (fence) => {
        const state = present();
        // Lets every other process try meanwhile.
        await new Promise((resolve) => setImmediate(resolve));
        fence.commit({ ...state, rev: state.rev + 1 });
      }),
    );
  }
}

async function writeForever(): Promise<void> {
  for (let rev = present().rev + 1; ; rev++) {
    await withState(root, async (fence) => {
      fence.commit({ ...present(), rev, instruction: `${rev} `.repeat(rev % 5000) });
    });
    process.stdout.write('.');
  }
}

/** Prints the mark and blocks, without giving the event loop a turn. */
function stopHere(): void {
  fs.writeSync(1, 'stopped\n');
  fs.readSync(0, Buffer.alloc(1));
}

/** One increment that stops once, at a point of the commit: `open`, `read`, `rename` or `renamed`. */
async function stopping(): Promise<void> {
  let stopped = false;
  const stop = (point: string): void => {
    if (stopped || point !== count) return;
    stopped = true;
    stopHere();
  };
  const { mkdirSync, renameSync } = fs;
  // The calls that the lock and the commit are made of, with stops around them.
  fs.mkdirSync = ((folder: string, ...rest: []) => {
    if (folder.includes('.own.')) stop('open');
    try {
      return mkdirSync(folder, ...rest);
    } catch (error) {
      if (stopped && folder.endsWith('.lock')) fs.writeSync(1, 'knock\n');
      throw error;
    }
  }) as typeof fs.mkdirSync;
  fs.renameSync = (from, to) => {
    const commits = String(to).endsWith('/state.json');
    if (commits) stop('rename');
    renameSync(from, to);
    if (commits) stop('renamed');
  };
  await withState(root, async (fence) => {
    const state = present();
    stop('read');
    fence.commit({ ...state, rev: state.rev + 1 });
  });
  process.exit(0);
}

/** Holds the lock until standard input says otherwise. */
async function hold(): Promise<void> {
  await withLock(root, () => stop('held'));
  process.exit(0);
}

/** Takes the lock once and asserts that nobody else is inside: a file that only the holder makes. */
async function enter(): Promise<void> {
  for (let time = 0; time < Number(count); time++) {
    await stop('ready');
    await withLock(root, async () => {
      fs.mkdirSync(`${root}/inside`);
      await new Promise((resolve) => setImmediate(resolve));
      fs.rmdirSync(`${root}/inside`);
    });
    process.stdout.write('left\n');
  }
  process.exit(0);
}

const works: Record<string, () => Promise<void>> = { increment, write: writeForever, stopping, hold, enter };
const doIt = works[what ?? ''];
if (!doIt) throw new Error(`no such work: ${what}`);
await doIt();
