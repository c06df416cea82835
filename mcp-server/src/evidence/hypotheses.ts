/**
 * The evidence of a checked hypothesis: it must point at something that can be looked up - a line of a file that was
 * opened, or a command that ran - and every pointer in it must hold. What the prose around it says is not judged. Pure
 * but for the TreeView.
 */
import { linesIn } from './command-check.ts';
import type { LedgerEntry } from './entry.ts';
import { type ClaimProblem, claimProblem, type Looked } from './looked.ts';
import { placeOf } from './named-place.ts';

interface Evidence {
  text: string;
  /** Where the object form names it. */
  command: string | null;
  exit: number | null;
}

function evidenceOf(value: unknown): Evidence {
  if (typeof value === 'string') return { text: value, command: null, exit: claimedExit(value) };
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const pick = (...keys: string[]): unknown => keys.map((key) => fields[key]).find((found) => found !== undefined && found !== null);
  const file = pick('path', 'file', 'file_path', 'location');
  const line = pick('line', 'lines', 'line_number');
  const command = pick('command', 'cmd', 'ran');
  const exit = pick('exit', 'exit_code', 'exitCode', 'code');
  const pointer = typeof file === 'string' ? `${file}${line === undefined ? '' : `:${String(line)}`}` : '';
  const rest = Object.values(fields).filter((field) => typeof field === 'string' && field !== file && field !== command);
  return {
    text: [pointer, ...rest].filter(Boolean).join('\n'),
    command: typeof command === 'string' ? command : null,
    exit: exit === undefined ? claimedExit(rest.join('\n')) : Number(exit),
  };
}

/** `exit 0`, `exit code: 1`, `exited with 2` */
function claimedExit(text: string): number | null {
  const found = /\bexit(?:ed|s)?(?:\s+(?:code|status|with))*\s*[:=]?\s*(\d{1,3})\b/i.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

interface Pointer {
  file: string;
  from: number;
  to: number;
}

/** `src/a.ts:12`, `src/a.ts:12-20`, `src/a.ts#L12`. Hosts with ports, times and the like name no file. */
function pointersIn(text: string): Pointer[] {
  const found = text.slice(0, 20_000).matchAll(/([^\s`'"()<>[\]{},;:，、（）「」]+)(?::|#L)(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?(?![\w/])/g);
  return [...found].flatMap(([whole, file = '', from = '', to]) => {
    const isFile =
      (/\//.test(file) || /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(file)) && !/^\d+(?:\.\d+){3}$/.test(file) && !whole.startsWith('//');
    return isFile ? [{ file, from: Number(from), to: Number(to ?? from) }] : [];
  });
}

function pointerProblem(pointer: string, { file, from, to }: Pointer, { seen, view, bases }: Looked): ClaimProblem[] {
  const place = placeOf(file, bases, view);
  if (place.kind !== 'file') return [claimProblem(pointer, 'problem.evidence_missing_file', { path: file }, false)];
  const lines = view.lines(place.path);
  if (lines !== null && (from < 1 || to > lines)) {
    return [claimProblem(pointer, 'problem.evidence_no_line', { path: file, line: from < 1 ? from : to, lines }, false)];
  }
  return seen.file(place.path) ? [] : [claimProblem(pointer, 'problem.evidence_unread', { path: place.path }, true)];
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whether a text speaks of a command line. A line of one word is only meant where it is set apart, or stands first. */
function speaksOf(text: string, line: string): boolean {
  if (line.includes(' ')) return new RegExp(`(?<![\\w/-])${escaped(line)}(?![\\w-])`).test(text);
  return new RegExp(`[\`'"]${escaped(line)}[\`'"]|^(?:ran |\\$ )?${escaped(line)}\\s*(?:[:,;(=]|→|->|exit|$)`).test(text);
}

/** The runs that an evidence speaks of: foreground shell calls whose command, or a part of it, is named. */
function runsOf({ text, command }: Evidence, entries: readonly LedgerEntry[]): LedgerEntry[] {
  const told = flat(text);
  const wanted = command === null ? null : flat(command);
  return entries.filter((entry) => {
    if (entry.command === undefined || entry.background) return false;
    const lines = [flat(entry.command), ...linesIn(entry.command).map(flat)].filter((line) => line !== '');
    return wanted === null ? lines.some((line) => speaksOf(told, line)) : lines.some((line) => line === wanted || speaksOf(line, wanted));
  });
}

function oneProblem(value: unknown, result: unknown, pointer: string, looked: Looked): ClaimProblem[] {
  const evidence = evidenceOf(value);
  const pointers = pointersIn(evidence.text);
  const problems = pointers.flatMap((found) => pointerProblem(pointer, found, looked));
  const runs = runsOf(evidence, looked.entries);
  if (evidence.command !== null && runs.length === 0) {
    return [...problems, claimProblem(pointer, 'problem.evidence_not_run', { command: evidence.command.slice(0, 200) }, true)];
  }
  const last = runs.at(-1);
  if (last && evidence.exit !== null && last.exit !== null && !runs.some(({ exit }) => exit === evidence.exit)) {
    const params = { command: (last.command ?? '').slice(0, 200), exit: last.exit, claimed: evidence.exit };
    return [...problems, claimProblem(pointer, 'problem.evidence_exit_differs', params, true)];
  }
  if (pointers.length > 0 || runs.length > 0 || namesSeenFile(evidence.text, looked)) return problems;
  // What could not be settled may have nothing to point at.
  return result === 'inconclusive' ? problems : [...problems, claimProblem(pointer, 'problem.evidence_no_pointer', {}, true)];
}

/** A whole file can be evidence: that it is there, or what it holds altogether. */
function namesSeenFile(text: string, { seen, view, bases }: Looked): boolean {
  const names = text.slice(0, 20_000).match(/[^\s`'"()<>[\]{},;:，、（）「」]*[./][^\s`'"()<>[\]{},;:，、（）「」]+/g) ?? [];
  return names.slice(0, 100).some((name) => {
    const place = placeOf(name.replace(/[.]+$/, ''), bases, view);
    return place.kind === 'file'
      ? seen.file(place.path)
      : place.kind === 'folder'
        ? seen.folder(place.path)
        : place.kind === 'url' && seen.url(place.url);
  });
}

/** What a collected fact points at. @param list `collection_results` of a payload that its schema has accepted */
export function pointerProblemsOf(list: unknown, looked: Looked): ClaimProblem[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: { status?: unknown; collected_data?: { pointer?: unknown } }, index) =>
    item.status === 'collected'
      ? oneProblem(item.collected_data?.pointer, null, `/collection_results/${index}/collected_data/pointer`, looked)
      : [],
  );
}

/** @param list `hypotheses_verified` of a payload that its schema has accepted */
export function evidenceProblems(list: unknown, looked: Looked): ClaimProblem[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: { evidence?: unknown; result?: unknown }, index) =>
    oneProblem(item.evidence, item.result, `/hypotheses_verified/${index}/evidence`, looked),
  );
}
