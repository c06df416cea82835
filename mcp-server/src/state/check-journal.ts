/** Whether a journal is what its session wrote: every line there, in order, each sealed by the hash in the next (STATE.md, Journal). */
import { createHash } from 'node:crypto';
import { type JournalLine, parseLine } from './journal.ts';
import { readPlain } from './plain-file.ts';

interface Flaw {
  /** Number of the line in the file, from 1. */
  line: number;
  /** `cut`: the line is not whole. `order`: a line is missing before it, or is there twice. `chain`: the line before it was changed. */
  what: 'cut' | 'order' | 'chain';
}

export interface CheckedJournal {
  lines: JournalLine[];
  /** The first line that shows tampering. What stands behind it proves nothing. */
  broken: Flaw | null;
  /** Lines that a crash cut off: the next one begins behind them and seals what is left of them. */
  cut: Flaw[];
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Lines as they are on the disk, bytes and all; empty ones do not count. */
function* rawLines(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    if (to > from) yield bytes.subarray(from, to);
    from = to + 1;
  }
}

/** Checks a journal from its first line to its last. @throws Error when it is no plain file that can be read */
export function checkJournal(file: string): CheckedJournal {
  const found = readPlain(file);
  if (!found) throw new Error(`${file} is no plain file that can be read`);
  return checkJournalBytes(found.bytes);
}

/** The same for a journal that lies elsewhere than in a file. */
export function checkJournalBytes(bytes: Buffer): CheckedJournal {
  const checked: CheckedJournal = { lines: [], broken: null, cut: [] };
  let prev = '';
  let seq = 0;
  let number = 0;
  for (const raw of rawLines(bytes)) {
    number += 1;
    const line = parseLine(raw.toString('utf8'));
    if (!line) checked.cut.push({ line: number, what: 'cut' });
    else if (line.prev !== prev) checked.broken ??= { line: number, what: 'chain' };
    else if (line.seq !== seq + 1) checked.broken ??= { line: number, what: 'order' };
    if (checked.broken) return checked;
    if (line) {
      seq = line.seq;
      checked.lines.push(line);
    }
    prev = hash(raw);
  }
  return checked;
}
