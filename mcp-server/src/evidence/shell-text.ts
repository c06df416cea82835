/** The simple commands in a shell command, as far as their words can be read without running anything. */
import { parseShell } from '../guards/shell/parser.ts';
import type { Node, Part, Word } from '../guards/shell/syntax.ts';
import { SHELL_PROGRAMS, WRAPPERS } from './known-commands.ts';

/** Stands for what only the shell can fill in. */
export const UNKNOWN = '\uE000';

/** One simple command. */
export interface Simple {
  /** Without its folder; '' where only assignments or redirections stand. */
  name: string;
  args: string[];
  /** Files and here-documents that are read as standard input. */
  files: string[];
  documents: string[];
}

function partText(part: Part): string {
  return part.kind === 'text' ? part.text : UNKNOWN;
}

const wordText = (word: Word): string => word.parts.map(partText).join('');

type SimpleNode = Extract<Node, { kind: 'simple' }>;

/** Takes wrappers off: `timeout 60 env A=1 npm test` is `npm test`. */
function unwrapped(words: string[]): string[] {
  let start = 0;
  for (let at = behindWrapper(words, start); at > start; at = behindWrapper(words, start)) start = at;
  return start === 0 ? words : words.slice(start);
}

/** Where the command begins that the wrapper at `start` runs; `start` itself when none stands there, or it runs nothing. */
function behindWrapper(words: readonly string[], start: number): number {
  const first = words[start] ?? '';
  const valued = WRAPPERS.get(baseName(first));
  if (!valued || (first === 'command' && /^-[vV]/.test(words[start + 1] ?? ''))) return start;
  let at = start + 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      at++;
      break;
    }
    if (word.startsWith('-')) at += valued.has(word) ? 1 : 0;
    else if (!/^[A-Za-z_]\w*=/.test(word) && !/^\d+(\.\d+)?[smhd]?$/.test(word)) break;
  }
  return at >= words.length ? start : at;
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd)$/, '');
}

/** A simple command as it runs, its wrappers taken off. */
export function simpleOf(node: SimpleNode): Simple {
  const [name = '', ...args] = unwrapped(node.words.map(wordText));
  const inputs = node.redirects.filter(({ operator }) => operator === '<');
  const documents = node.redirects.flatMap(({ body, operator, target }) =>
    body ? [wordText(body)] : operator === '<<<' ? [wordText(target)] : [],
  );
  return { name: baseName(name), args, files: inputs.map(({ target }) => wordText(target)), documents };
}

export interface InnerShell {
  text: string;
  errexit: boolean;
  pipefail: boolean;
}

/** The text that `bash -c` or `eval` runs; null for anything else. */
export function innerShell({ name, args }: Simple): InnerShell | null {
  if (name === 'eval') return { text: args.join(' '), errexit: false, pipefail: false };
  if (!SHELL_PROGRAMS.has(name)) return null;
  let [code, errexit, pipefail] = [false, false, false];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!/^[-+][A-Za-z-]/.test(arg)) return code ? { text: arg, errexit, pipefail } : null;
    if (arg.startsWith('--')) continue;
    if (arg.includes('c')) code = true;
    if (arg.startsWith('-') && arg.includes('e')) errexit = true;
    if (/[oO]$/.test(arg)) pipefail ||= args[++at] === 'pipefail';
  }
  return null;
}

function childrenOf(node: Node): Node[] {
  switch (node.kind) {
    case 'list':
      return node.items.map((item) => item.node);
    case 'pipeline':
      return node.commands;
    case 'if':
      return [...node.branches.flatMap(({ condition, body }) => [condition, body]), ...(node.otherwise ? [node.otherwise] : [])];
    case 'while':
      return [node.condition, node.body];
    case 'case':
      return node.arms.map((arm) => arm.body);
    case 'group':
    case 'not':
    case 'for':
    case 'function':
      return [node.body];
    default:
      return [];
  }
}

function substitutions(words: readonly Word[]): Node[] {
  return words.flatMap((word) =>
    word.parts.flatMap((part) => (part.kind === 'substitution' || part.kind === 'process' ? [part.body] : [])),
  );
}

const MAX_SHELLS = 8;

/** Every simple command of a tree, those in substitutions and in inner shells included. */
export function simplesIn(node: Node, shells = 0): Simple[] {
  const words = node.kind === 'simple' || node.kind === 'expression' ? node.words : node.kind === 'for' ? (node.words ?? []) : [];
  const inner = [...childrenOf(node), ...substitutions(words)].flatMap((child) => simplesIn(child, shells));
  if (node.kind !== 'simple') return inner;
  const simple = simpleOf(node);
  const shell = shells < MAX_SHELLS ? innerShell(simple) : null;
  return shell ? [...inner, ...simplesIn(parseShell(shell.text).node, shells + 1)] : [simple, ...inner];
}
