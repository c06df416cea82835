/**
 * Whether a shell command that ended with 0 shows that something was checked.
 *
 * The host tells one exit code for a whole command. It is a check's own only where the shell hands it on: in
 * `npm test | tail`, `npm test || true` and `npm test; echo done` the last part decides, and a failed test looks the same
 * as a passed one. Such runs do not count, and the answer says how to run it so that it does. Pure.
 */
import { parseShell } from '../guards/shell/parser.ts';
import type { ListOperator, Node } from '../guards/shell/syntax.ts';
import { ABOUT_ITSELF, INLINE, REACHES_OUT, RUNS_NOTHING, TRIVIAL, TRIVIAL_SUBCOMMANDS, WRAPPERS } from './known-commands.ts';
import { innerShell, type Simple, simpleOf, simplesIn } from './shell-text.ts';

/** `shown`: its exit code is that of a check. `hidden`: there is a check, its exit code got lost. `none`: there is no check. */
export type Check = 'shown' | 'hidden' | 'none';

/** Whether a simple command's success says something about the work. */
function checksSomething(simple: Simple): boolean {
  const { name, args } = simple;
  // A wrapper that is still there had nothing to run.
  if (name === '' || TRIVIAL.has(name) || WRAPPERS.has(name)) return false;
  if (args.some((arg) => RUNS_NOTHING.has(arg)) || (args.length === 1 && ABOUT_ITSELF.has(args[0] ?? ''))) return false;
  const sub = args.find((arg) => !arg.startsWith('-'));
  if (TRIVIAL_SUBCOMMANDS.get(name)?.has(sub ?? '')) return false;
  const code = inlineCode(simple);
  return code === null || REACHES_OUT.test(code);
}

/** The program that stands in the command itself; null when it runs a file or anything else. */
function inlineCode({ name, args, documents }: Simple): string | null {
  const options = INLINE.get(name);
  if (!options) return null;
  const at = args.findIndex((arg) => options.has(arg));
  if (at >= 0) return args[at + 1] ?? '';
  const [first] = documents;
  return first !== undefined && args.every((arg) => arg.startsWith('-')) ? first : null;
}

interface Mode {
  pipefail: boolean;
  /** `set -e` is only believed where a shell of its own runs the text: the host runs commands where it has no effect (seen). */
  ownShell: boolean;
  errexit: boolean;
  functions: Map<string, Node>;
  depth: number;
}

type Item = { node: Node; operator: ListOperator };
interface Chain {
  items: Item[];
  /** Runs in the background. */
  async: boolean;
}

function chainsOf(items: readonly Item[]): Chain[] {
  const chains: Chain[] = [];
  let open: Item[] = [];
  for (const item of items) {
    open.push(item);
    if (item.operator === '&&' || item.operator === '||') continue;
    chains.push({ items: open, async: item.operator === '&' });
    open = [];
  }
  if (open.length > 0) chains.push({ items: open, async: false });
  return chains;
}

function lastOf(node: Node): Node {
  return node.kind === 'list' ? (node.items.at(-1)?.node ?? node) : node;
}

/** `exit 1`, `false`, `{ echo no; exit 1; }`: never ends with 0. Behind `||` a bare `exit` hands the failure on. */
function alwaysFails(node: Node, leaves: boolean): boolean {
  if (node.kind === 'group') return !(leaves && node.subshell) && alwaysFails(lastOf(node.body), leaves) && !isBareExit(lastOf(node.body));
  if (node.kind === 'list') return alwaysFails(lastOf(node), leaves);
  if (node.kind !== 'simple') return false;
  const { name, args } = simpleOf(node);
  if (name === 'false') return !leaves;
  return (name === 'exit' || name === 'return') && (args[0] === undefined || /^0*[1-9]\d*$/.test(args[0]) || isStatus(node));
}

function isBareExit(node: Node): boolean {
  return (
    node.kind === 'simple' && ['exit', 'return'].includes(simpleOf(node).name) && (simpleOf(node).args[0] === undefined || isStatus(node))
  );
}

/** The variable that an `exit $x` hands on; undefined for anything else. */
function exitVariable(node: Node): string | undefined {
  if (node.kind !== 'simple' || !['exit', 'return'].includes(simpleOf(node).name)) return undefined;
  const word = node.words[1];
  if (!word) return '?';
  const [part] = word.parts;
  return word.parts.length === 1 && part?.kind === 'variable' ? part.name : undefined;
}

const isStatus = (node: Node): boolean => exitVariable(node) === '?';

/** `code=$?` and `code=${PIPESTATUS[0]}`: the name, and what it holds. */
function savedStatus(node: Node): { name: string; holds: string } | null {
  if (node.kind !== 'simple' || node.words.length > 0) return null;
  const [assignment] = node.assignments;
  if (!assignment || Array.isArray(assignment.value)) return null;
  const [part] = assignment.value.parts;
  const isVariable = assignment.value.parts.length === 1 && part?.kind === 'variable';
  return isVariable && (part.name === '?' || part.name === 'PIPESTATUS[0]') ? { name: assignment.name, holds: part.name } : null;
}

/** What must have succeeded when a chain of && and || ended with 0. */
function provenByChain({ items }: Chain, mode: Mode): Simple[] {
  let proven: Simple[] = [];
  let joint: ListOperator = '&&';
  for (const { node, operator } of items) {
    if (joint === '&&') proven = [...proven, ...provenBy(node, mode)];
    else if (!alwaysFails(node, false)) proven = [];
    joint = operator;
  }
  return proven;
}

/** A chain that leaves the shell when it fails: behind it everything before has succeeded. */
function leavesOnFailure({ items, async }: Chain, mode: Mode): boolean {
  const beforeLast = items.at(-2);
  const last = items.at(-1);
  if (async || !last) return false;
  return (
    (beforeLast?.operator === '||' && alwaysFails(last.node, true)) || (mode.errexit && items.length === 1 && last.node.kind !== 'not')
  );
}

/** `set -o pipefail`, `set -euo pipefail`: how the rest of the text runs. */
function setOptions(node: Node, mode: Mode): void {
  if (node.kind !== 'simple') return;
  const { name, args } = simpleOf(node);
  if (name !== 'set') return;
  for (const [index, arg] of args.entries()) {
    const on = arg.startsWith('-');
    if (/^[-+][A-Za-z]*o$/.test(arg) && args[index + 1] === 'pipefail') mode.pipefail = on;
    if (/^[-+][A-Za-z]*e/.test(arg)) mode.errexit = on && mode.ownShell;
  }
}

function provenByList(items: readonly Item[], mode: Mode): Simple[] {
  const proven: Simple[] = [];
  const saved = new Map<string, Simple[]>();
  let before: Chain | undefined;
  const firstOfPipe = (chain: Chain | undefined): Simple[] => {
    const node = chain?.items.at(-1)?.node;
    return node?.kind === 'pipeline' && node.commands[0] ? provenBy(node.commands[0], mode) : [];
  };
  const held = (name: string): Simple[] =>
    name === '?' ? (before ? provenByChain(before, mode) : []) : name === 'PIPESTATUS[0]' ? firstOfPipe(before) : (saved.get(name) ?? []);
  const chains = chainsOf(items);
  for (const [index, chain] of chains.entries()) {
    const only = chain.items.length === 1 ? chain.items[0]?.node : undefined;
    if (only?.kind === 'function') mode.functions.set(only.name, only.body);
    if (only) setOptions(only, mode);
    const status = only ? savedStatus(only) : null;
    if (status) saved.set(status.name, held(status.holds));
    const variable = only ? exitVariable(only) : undefined;
    if (variable !== undefined && !chain.async) return [...proven, ...held(variable)];
    const last = index === chains.length - 1;
    if (!chain.async && (last || leavesOnFailure(chain, mode))) proven.push(...provenByChain(chain, mode));
    before = chain.async ? undefined : chain;
  }
  return proven;
}

const MAX_DEPTH = 12;

/** The simple commands that must have run and succeeded when the whole ended with 0. */
function provenBy(node: Node, mode: Mode): Simple[] {
  if (mode.depth > MAX_DEPTH) return [];
  const deeper = { ...mode, depth: mode.depth + 1 };
  switch (node.kind) {
    case 'list':
      return provenByList(node.items, deeper);
    case 'group':
      return provenBy(node.body, node.subshell ? { ...deeper } : deeper);
    case 'pipeline':
      return (mode.pipefail ? node.commands : node.commands.slice(-1)).flatMap((command) => provenBy(command, deeper));
    case 'if': {
      const [branch, more] = node.branches;
      if (!branch || more || !node.otherwise || !alwaysFails(node.otherwise, false)) return [];
      return [...provenBy(branch.condition, deeper), ...provenBy(branch.body, deeper)];
    }
    case 'simple':
      return provenBySimple(simpleOf(node), deeper);
    // What `!` turns around has failed.
    default:
      return [];
  }
}

function provenBySimple(simple: Simple, mode: Mode): Simple[] {
  const body = mode.functions.get(simple.name);
  if (body) return provenBy(body, mode);
  const shell = innerShell(simple);
  if (!shell) return [simple];
  const own = simple.name !== 'eval';
  const inner: Mode = {
    pipefail: shell.pipefail || (!own && mode.pipefail),
    ownShell: own,
    errexit: own ? shell.errexit : mode.errexit,
    functions: own ? new Map() : mode.functions,
    depth: mode.depth,
  };
  return provenBy(parseShell(shell.text).node, inner);
}

/** A longer command is a script that was pasted; reading it costs more than it is worth. */
const MAX_CHARS = 100_000;

/**
 * What the exit code 0 of a shell command would show.
 * @param command the whole text as the shell got it
 */
export function checkIn(command: string): Check {
  if (command.length > MAX_CHARS) return 'hidden';
  return readOr('none', () => {
    const { node, error } = parseShell(command);
    const mode: Mode = { pipefail: false, ownShell: false, errexit: false, functions: new Map(), depth: 0 };
    if (!error && provenBy(node, mode).some(checksSomething)) return 'shown';
    return simplesIn(node).some(checksSomething) ? 'hidden' : 'none';
  });
}

/** The simple commands of a text, each as one line of words, for finding a command that is spoken of. */
export function linesIn(command: string): string[] {
  return readOr([], () =>
    simplesIn(parseShell(command.slice(0, MAX_CHARS)).node)
      .filter(({ name }) => name !== '')
      .map(({ name, args }) => [name, ...args].join(' ')),
  );
}

/** A text that nests deeper than can be followed must not cost the ledger its line about the call. */
function readOr<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return fallback;
    throw error;
  }
}
