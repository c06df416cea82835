/** Writing copies so that they outlive a power failure. */
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a file and waits until it is on the disk. Not atomic. @throws the system's error */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The path of the next numbered folder below `dir`, which is made where it is missing. @throws the system's error */
export async function nextFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  const names = await readdir(dir);
  const next = Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0)) + 1;
  return join(dir, String(next).padStart(3, '0'));
}
