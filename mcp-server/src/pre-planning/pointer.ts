/** Rule P5: what a collected fact points at. Pure. */
import { problem } from '../flow/problem.ts';
import type { Facts, Problem } from '../flow/types.ts';
import type { Note } from './types.ts';

export type Pointer =
  | { kind: 'url'; url: string }
  | { kind: 'command'; command: string; exit: number }
  | { kind: 'file'; path: string; from: number | null; to: number | null }
  | { kind: 'none' };

/** `exit 0`, `exit code: 1`, `exited with 2`, `(終了コード 0)` */
const EXIT = /(?:\bexit(?:ed|s)?(?:[\s_]+(?:code|status|with))*|終了コード)\s*[:=は]?\s*(\d{1,3})\b/i;

const FILE = /^(.+?)(?:(?::|#L)(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?)?$/s;

/** A longer text points at nothing, and is not worth the time to read. */
const MAX_CHARS = 4096;

function fromText(text: string): Pointer {
  if (text.length > MAX_CHARS) return { kind: 'none' };
  const bare = text.trim().replace(/^[`'"<]+|[`'">]+$/g, '');
  const url = /^https?:\/\/[^\s/]\S*$/i.exec(bare)?.[0];
  if (url) return { kind: 'url', url };
  const exit = EXIT.exec(bare);
  if (exit) {
    const command = bare
      .slice(0, exit.index)
      .replace(/[\s:,;([→>-]+$/, '')
      .replace(/^[`'"]+|[`'"]+$/g, '');
    return command === '' ? { kind: 'none' } : { kind: 'command', command, exit: Number(exit[1]) };
  }
  const [, path = '', from, to] = FILE.exec(bare) ?? [];
  if (path === '' || /[\n\0]/.test(path)) return { kind: 'none' };
  return { kind: 'file', path, from: from === undefined ? null : Number(from), to: to === undefined ? null : Number(to) };
}

/** A pointer in any of its forms: `path[:line[-line]]`, a command with its exit code, a URL; as text or as an object. */
export function pointerOf(pointer: Note): Pointer {
  if (typeof pointer === 'string') return fromText(pointer);
  const text = (...keys: string[]): string | undefined =>
    keys.map((key) => pointer[key]).find((value): value is string => typeof value === 'string');
  const number = (...keys: string[]): number | null => {
    const found = keys.map((key) => pointer[key]).find((value) => value !== undefined && value !== null);
    return found === undefined || found === '' || !Number.isInteger(Number(found)) ? null : Number(found);
  };
  const command = text('command', 'cmd');
  if (command !== undefined) {
    const exit = number('exit_code', 'exit', 'exitCode');
    return exit === null ? fromText(command) : { kind: 'command', command, exit };
  }
  const url = text('url');
  if (url !== undefined) return fromText(url);
  const path = text('path', 'file', 'file_path');
  if (path === undefined) return { kind: 'none' };
  const line = pointer.line ?? pointer.lines;
  const named = fromText(typeof line === 'string' || typeof line === 'number' ? `${path}:${line}` : path);
  const end = number('end_line', 'to');
  return named.kind === 'file' && end !== null ? { ...named, to: end } : named;
}

/** What is wrong with a pointer, given what the edge found out about local files. */
export function pointerProblems(at: string, note: Note, files: NonNullable<Facts['files']>): Problem[] {
  const pointer = pointerOf(note);
  if (pointer.kind === 'none') return [problem(at, 'problem.pointer_form')];
  if (pointer.kind !== 'file') return [];
  const { path, from, to } = pointer;
  const lines = Object.hasOwn(files, path) ? files[path] : null;
  if (lines === null || lines === undefined) return [problem(at, 'problem.pointer_no_file', { path: path.slice(0, 200) })];
  if (from === null) return [];
  const last = to ?? from;
  if (lines === 'folder' || from < 1 || last < from || last > lines) {
    return [problem(at, 'problem.pointer_no_line', { path: path.slice(0, 200), from, to: last, lines: lines === 'folder' ? 0 : lines })];
  }
  return [];
}
