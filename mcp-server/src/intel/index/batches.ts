/** What goes to the readers, and what stands for a file that none could read. */
import type { ParsedFile } from '../parse/parsed.ts';

/** Takes up to `count` paths out of a queue. */
export function* take(queue: Set<string>, count: number): Generator<string> {
  let left = count;
  for (const path of queue) {
    if (left-- === 0) return;
    queue.delete(path);
    yield path;
  }
}

/** What the index keeps of a file that brought its reader down. */
export function unreadable(path: string, { size, mtime }: { size: number; mtime: number }): ParsedFile {
  return {
    path,
    language: 'text',
    hash: '',
    size,
    mtime,
    lines: 0,
    skipped: 'unreadable',
    broken: true,
    definitions: [],
    imports: [],
    chunks: [],
  };
}
