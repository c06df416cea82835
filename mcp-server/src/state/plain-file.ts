/** Reading files whose names come from outside: neither links nor anything that makes a reader wait. */
import fs from 'node:fs';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/** Opens a plain file for reading. @returns null when it is a link, a FIFO, a device or a folder, or cannot be opened */
export function openPlain(file: string): number | null {
  let handle: number;
  try {
    handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
  if (fs.fstatSync(handle).isFile()) return handle;
  fs.closeSync(handle);
  return null;
}

export interface PlainFile {
  bytes: Buffer;
  /** The file is longer than what was read. */
  cut: boolean;
}

/** Reads a plain file, at most so many bytes of it. @returns null where `openPlain` does */
export function readPlain(file: string, most = Number.MAX_SAFE_INTEGER): PlainFile | null {
  const handle = openPlain(file);
  if (handle === null) return null;
  try {
    const { size } = fs.fstatSync(handle);
    if (size <= most) return { bytes: fs.readFileSync(handle), cut: false };
    const bytes = Buffer.alloc(most);
    return { bytes: bytes.subarray(0, fs.readSync(handle, bytes, 0, most, 0)), cut: true };
  } finally {
    fs.closeSync(handle);
  }
}

/** Whether there is a plain file of this name, no link to one. Never throws. */
export function isPlainFile(file: string): boolean {
  try {
    return fs.lstatSync(file).isFile();
  } catch {
    return false;
  }
}
