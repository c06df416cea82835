/** What local pointers of a payload lead to, for rule P5. */
import fs from 'node:fs';
import path from 'node:path';
import type { Facts, Payload } from '../flow/types.ts';
import { pointerOf } from '../pre-planning/pointer.ts';
import type { Note } from '../pre-planning/types.ts';

/** Lines of a larger file are not counted: every range is taken. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Number of lines as an editor counts them, `folder`, or null where there is nothing to read. */
function look(file: string): number | 'folder' | null {
  try {
    const stats = fs.statSync(file);
    if (stats.isDirectory()) return 'folder';
    if (!stats.isFile()) return null;
    if (stats.size > MAX_BYTES) return Number.MAX_SAFE_INTEGER;
    const text = fs.readFileSync(file, 'utf8');
    return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  } catch {
    return null;
  }
}

/** Pointers anywhere in the sent results, whatever their shape: nothing has been validated yet. */
function pointersIn(sent: Payload): Note[] {
  const results = typeof sent.collection_results === 'string' ? parsed(sent.collection_results) : sent.collection_results;
  if (!Array.isArray(results)) return [];
  return results.slice(0, 200).flatMap((result: unknown) => {
    const pointer = (result as { collected_data?: { pointer?: unknown } } | null)?.collected_data?.pointer;
    return typeof pointer === 'string' || (typeof pointer === 'object' && pointer !== null) ? [pointer as Note] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The fact `files`: keyed by path as the payload writes it. Never throws. */
export function pointedFiles(root: string, sent: Payload): NonNullable<Facts['files']> {
  const found: [string, number | 'folder' | null][] = [];
  for (const note of pointersIn(sent)) {
    const pointer = pointerOf(note);
    if (pointer.kind === 'file') found.push([pointer.path, look(path.resolve(root, pointer.path))]);
  }
  return Object.fromEntries(found);
}
