/** Which files a shell command opened, and which folders it searched or listed. Pure: names, not what lies behind them. */
import { parseShell } from '../guards/shell/parser.ts';
import { GIT_READING, INLINE, READS_NOTHING, SEARCHES, type Search, SHELL_PROGRAMS } from './known-commands.ts';
import { type Simple, simplesIn, UNKNOWN } from './shell-text.ts';

/** A folder that was searched or listed; '.' is the working folder. */
export interface Searched {
  folder: string;
  /** How many levels below were reached: 1 is the folder's own entries. */
  depth: number;
  /** Only files with such names (globs); null means all. */
  names: string[] | null;
}

export interface Reads {
  /** Words that may be paths of files, as they stand, globs included. */
  names: string[];
  searched: Searched[];
  /** Folders that `cd` named: later words may be relative to them. */
  entered: string[];
  /** Programs given as text: they name files somewhere inside. */
  code: string[];
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

interface Sorted {
  operands: string[];
  options: Map<string, string[]>;
}

/** Splits arguments into operands and options; an option in `valued` takes the next word. */
function sortArguments(args: readonly string[], valued: ReadonlySet<string>): Sorted {
  const operands: string[] = [];
  const options = new Map<string, string[]>();
  const add = (name: string, value: string): void => void options.set(name, [...(options.get(name) ?? []), value]);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') return { operands: [...operands, ...args.slice(at + 1)], options };
    if (!/^-./.test(arg)) operands.push(arg);
    else if (arg.startsWith('--')) {
      const [name = '', value] = arg.split(/=(.*)/s);
      add(name, value ?? (valued.has(name) ? (args[++at] ?? '') : ''));
    } else if (valued.has(arg)) add(arg, args[++at] ?? '');
    else for (const letter of arg.slice(1)) add(`-${letter}`, '');
  }
  return { operands, options };
}

function searchOf(args: readonly string[], search: Search): Searched[] {
  const { operands, options } = sortArguments(args, search.valued);
  const asked = [...options.keys()];
  if (!search.always && !asked.some((name) => search.deep?.has(name))) return [];
  const patternGiven = asked.some((name) => search.patternOptions?.has(name));
  const folders = search.pattern && !patternGiven ? operands.slice(1) : operands;
  const narrowed = [...options]
    .flatMap(([name, values]) => (search.narrowing?.has(name) ? values : []))
    .filter((glob) => !glob.startsWith('!'));
  const names = narrowed.length > 0 ? narrowed : null;
  return (folders.length > 0 ? folders : ['.']).map((folder) => ({ folder, depth: NO_LIMIT, names }));
}

function findOf(args: readonly string[]): Searched[] {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg) && !/^-[HLPO]/.test(arg));
  const folders = (first < 0 ? args : args.slice(0, first)).filter((arg) => !arg.startsWith('-'));
  const tests = first < 0 ? [] : args.slice(first);
  const valuesOf = (name: string): string[] => tests.flatMap((test, at) => (test === name ? [tests[at + 1] ?? ''] : []));
  const names = [...valuesOf('-name'), ...valuesOf('-iname')];
  const depth = Number(valuesOf('-maxdepth')[0] ?? NO_LIMIT);
  return (folders.length > 0 ? folders : ['.']).map((folder) => ({ folder, depth, names: names.length > 0 ? names : null }));
}

function listOf(args: readonly string[]): Searched[] {
  const { operands, options } = sortArguments(args, new Set(['-I', '-w', '--ignore', '--width']));
  const depth = options.has('-R') || options.has('--recursive') ? NO_LIMIT : 1;
  return (operands.length > 0 ? operands : ['.']).map((folder) => ({ folder, depth, names: null }));
}

function gitOf(args: readonly string[], reads: Reads): void {
  const [sub = '', ...rest] = args.filter((arg, at) => !(arg === '-C' || args[at - 1] === '-C' || arg === '--no-pager' || arg === '-P'));
  if (!GIT_READING.has(sub)) return;
  const from = args.indexOf('-C');
  if (from >= 0) reads.entered.push(args[from + 1] ?? '');
  // `HEAD:src/a.ts` shows the file of that name.
  reads.names.push(...rest.filter((arg) => !arg.startsWith('-')).flatMap((arg) => [arg, ...arg.split(':').slice(1)]));
  const { operands } = sortArguments(rest, new Set(['-e', '-f', '-A', '-B', '-C', '-m']));
  const folders = sub === 'grep' ? operands.slice(1) : operands;
  if (sub === 'grep' || sub === 'ls-files')
    reads.searched.push(...(folders.length > 0 ? folders : ['.']).map((folder) => ({ folder, depth: NO_LIMIT, names: null })));
}

/** Words behind a command that may name files: operands, and values in `--file=x`. */
function namedIn(args: readonly string[]): string[] {
  return args
    .flatMap((arg) => (arg.startsWith('-') ? (/^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? []) : [arg]))
    .filter((name) => name !== '' && !name.includes(UNKNOWN));
}

function codeIn({ name, args, documents }: Simple): string[] {
  const options = INLINE.get(name);
  if (!options && !SHELL_PROGRAMS.has(name)) return [];
  const at = options ? args.findIndex((arg) => options.has(arg)) : -1;
  return [...documents, ...(at >= 0 ? [args[at + 1] ?? ''] : [])];
}

function readBy(simple: Simple, reads: Reads): void {
  const { name, args } = simple;
  reads.names.push(...namedIn(simple.files));
  if (name === 'cd' || name === 'pushd') reads.entered.push(...namedIn(args));
  if (READS_NOTHING.has(name)) return;
  if (name === 'git') {
    gitOf(args, reads);
    return;
  }
  reads.names.push(...namedIn(args));
  reads.code.push(...codeIn(simple));
  const search = SEARCHES.get(name);
  if (search) reads.searched.push(...searchOf(args, search));
  else if (name === 'find') reads.searched.push(...findOf(args));
  else if (name === 'ls' || name === 'll' || name === 'la' || name === 'dir') reads.searched.push(...listOf(args));
}

/** @param command a command of the ledger; one that cannot be parsed to its end gives what comes before */
export function readsIn(command: string): Reads {
  const reads: Reads = { names: [], searched: [], entered: [], code: [] };
  for (const simple of simplesIn(parseShell(command).node)) readBy(simple, reads);
  reads.searched = reads.searched.filter(({ folder }) => !folder.includes(UNKNOWN));
  return reads;
}
