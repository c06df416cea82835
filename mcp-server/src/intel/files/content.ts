/** Reading a file as text, whatever it is written in, and saying why not when it is none. */
import fs from 'node:fs';
import type { SkipReason } from '../parse/parsed.ts';

/** Larger files are data, or made by a program. */
export const LARGEST = 1024 * 1024;

/** Minified: long lines on the average, or one that no person wrote. */
const AVERAGE_LINE = 300;
const LONGEST_LINE = 20_000;
const PROBE = 8192;

export type Content = { text: string; bytes: Buffer } | { skipped: SkipReason };

/** UTF-16 shows itself by its mark, or by a zero in every other byte. */
function utf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  if (bytes.length >= 2) {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  }
  const probe = bytes.subarray(0, 64);
  if (probe.length < 8 || probe.length % 2 !== 0) return null;
  const zero = (from: number) => {
    for (let at = from; at < probe.length; at += 2) if (probe[at] !== 0) return false;
    return true;
  };
  const even = zero(0);
  const odd = zero(1);
  return even === odd ? null : odd ? 'utf-16le' : 'utf-16be';
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** Text in UTF-8, UTF-16 or, where it is neither, Latin-1; null for what is no text. */
export function decode(bytes: Buffer): string | null {
  const wide = utf16(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  if (bytes.subarray(0, PROBE).includes(0)) return null;
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

function isMinified(text: string): boolean {
  if (text.length < PROBE) return false;
  let longest = 0;
  let lines = 1;
  for (let from = 0; from < text.length; lines++) {
    const end = text.indexOf('\n', from);
    longest = Math.max(longest, (end < 0 ? text.length : end) - from);
    if (end < 0) break;
    from = end + 1;
  }
  return longest > LONGEST_LINE || text.length / lines > AVERAGE_LINE;
}

/** @param code whether long lines tell that nobody wrote this; prose has long lines, too */
export function readContent(file: string, code: boolean): Content {
  let bytes: Buffer;
  try {
    // A name that now stands for a pipe or a device would wait forever, or never end.
    const stats = fs.lstatSync(file);
    if (!stats.isFile()) return { skipped: 'link' };
    if (stats.size > LARGEST) return { skipped: 'large' };
    bytes = fs.readFileSync(file);
  } catch {
    return { skipped: 'unreadable' };
  }
  const text = decode(bytes);
  if (text === null) return { skipped: 'binary' };
  return code && isMinified(text) ? { skipped: 'minified' } : { text, bytes };
}
