import type { Evaluator } from './evaluator.ts';
import { expandText } from './expansion.ts';
import type { Place, Scope } from './scope.ts';
import type { Node, Redirect, Word } from './syntax.ts';
import { absolute, normalize } from './targets.ts';
import { CUT, isKnown, UNKNOWN } from './values.ts';

const MAX_OUTPUT = 65_536;

/** What a command leaves behind; null for what cannot be, as after `exit`. */
export interface Outcome {
  printed: string;
  ok: Scope | null;
  failed: Scope | null;
  /** Whether it does not fail in practice: `failed` is only there to judge what stands behind `||`. */
  sure: boolean;
}

/** Where what stands behind `||` runs: also where it would if the folder had been left, as layer 1 takes it. */
export function afterFailure({ ok, failed }: Outcome): Scope | null {
  return failed === null || ok?.folders !== failed.folders ? merged(failed, ok) : failed;
}

/** After `left && right`. */
export function both(left: Outcome, right: Outcome): Outcome {
  return { ...right, failed: left.sure ? right.failed : merged(left.failed, right.failed), sure: left.sure && right.sure };
}

/**
 * After `left || right`.
 * @param start where `right` began: if it need not have run, only what it changes can count, as layer 1 takes it
 */
export function either(left: Outcome, right: Outcome, start: Scope): Outcome {
  if (left.sure && right.ok?.sameAs(start)) return { ...left, printed: right.printed };
  return { ...right, ok: merged(left.ok, right.ok), sure: left.sure || right.sure };
}

/** The states in which the commands behind may run. */
export function endsOf({ ok, failed, sure }: Outcome): Scope[] {
  return (sure ? [ok] : [ok, failed]).filter((scope) => scope !== null);
}

/** Lets `scope` be any of `ends`; behind an `exit` it stays as it is, since what stands there is judged all the same. */
export function settle(scope: Scope, ends: readonly Scope[]): void {
  const end = ends.reduce<Scope | null>(merged, null);
  if (end !== null && end !== scope) scope.become(end);
}

function merged(left: Scope | null, right: Scope | null): Scope | null {
  if (left === null || right === null || left === right || left.sameAs(right)) return left ?? right;
  const scope = left.fork();
  scope.join([left, right]);
  return scope;
}

/** Whether the shell ends here. */
function leaves(node: Node, scope: Scope): boolean {
  return node.kind === 'simple' && isText(node.words[0], 'exit') && !redefined('exit', scope);
}

function isText(word: Word | undefined, text: string): boolean {
  const [part] = word?.parts ?? [];
  return word?.parts.length === 1 && part?.kind === 'text' && part.text === text;
}

function redefined(name: string, scope: Scope): boolean {
  return scope.functions.has(name) || scope.aliases.has(name);
}

/** The words without a `command` or `builtin` before them. */
function bare(words: readonly string[]): readonly string[] {
  return /^(command|builtin)$/.test(words[0] ?? '') ? bare(words.slice(1)) : words;
}

const FOLDERS = /^(cd|pushd|popd)$/;

/** Whether a command that has run, with the words `ran`, goes to another folder. */
function changesFolder(node: Node, ran: readonly string[]): boolean {
  return node.kind === 'simple' && FOLDERS.test(bare(ran)[0] ?? '');
}

/** Commands that fail only where something is wrong with the machine. */
const SURE = new Set(
  'true : echo printf export declare typeset local readonly set shopt unset alias trap umask mktemp pwd date sleep'.split(' '),
);

function isSureCommand(name: string, args: readonly string[]): boolean {
  if (name === 'rm') return hasFlag(args, 'f', '--force');
  if (name === 'mkdir') return hasFlag(args, 'p', '--parents');
  return name === 'git' ? args[0] === 'init' : SURE.has(name);
}

function hasFlag(args: readonly string[], letter: string, long: string): boolean {
  return args.some((arg) => arg === long || (/^-[A-Za-z]+$/.test(arg) && arg.includes(letter)));
}

/** What a command met. */
export interface Met {
  place: Place;
  /** How many folders were made before it. */
  made: number;
}

/** What a command leaves behind that has just run in `scope`. */
export function outcomeOf(node: Node, printed: string, scope: Scope, evaluator: Evaluator, { place, made }: Met): Outcome {
  const { ran } = evaluator;
  if (leaves(node, scope)) return { printed, ok: null, failed: null, sure: false };
  const failed = scope.folders !== place.folders && changesFolder(node, ran) ? scope.stayedIn(place) : scope;
  return { printed, ok: scope, failed, sure: surelySucceeds(node, ran, scope, evaluator, made) };
}

/** Whether it does not fail in practice. */
function surelySucceeds(node: Node, ran: readonly string[], scope: Scope, evaluator: Evaluator, made: number): boolean {
  if (node.kind !== 'simple') return false;
  if (node.words.length === 0) return assignsSurely(node);
  const [name = '', ...args] = bare(ran);
  if (redefined(name, scope) || !node.redirects.every((redirect) => opens(redirect, scope, evaluator))) return false;
  if (FOLDERS.test(name)) return !scope.folders.some((folder) => evaluator.mayFail(folder));
  return isSureCommand(name, args) || (name === 'mkdir' && makesNew(args, scope, evaluator, made));
}

/** An assignment fails with the last substitution in it. */
function assignsSurely({ assignments }: Extract<Node, { kind: 'simple' }>): boolean {
  const parts = assignments.flatMap(({ value }) => (Array.isArray(value) ? [] : value.parts));
  return parts.every((part) => part.kind !== 'substitution' || isSureText(part.body));
}

/** Whether a command that is not followed here shows by its text that it does not fail. */
function isSureText(node: Node): boolean {
  if (node.kind === 'list') return node.items.every(({ node }) => isSureText(node));
  if (node.kind !== 'simple' || node.redirects.some(({ operator }) => operator === '<')) return false;
  const [name = '', ...args] = node.words.map(textOf);
  return node.words.length === 0 ? assignsSurely(node) : isSureCommand(name, args);
}

function textOf({ parts }: Word): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : UNKNOWN)).join('');
}

/** Whether commands run in a word. */
export function runsCommands({ parts }: Word): boolean {
  return parts.some(({ kind }) => kind === 'substitution' || kind === 'process');
}

/** Whether a redirection finds its file, or its folder. */
function opens({ operator, target }: Redirect, scope: Scope, evaluator: Evaluator): boolean {
  if (/^(<<-?|<<<|[<>]&)$/.test(operator)) return true;
  if (runsCommands(target)) return true;
  const path = absolute(expandText(target, scope, evaluator), scope.folder, scope);
  if (path === '/dev/null') return true;
  return operator !== '<' && (path === null || !evaluator.mayFail(`${path}/..`));
}

/** `mkdir` without `-p` fails where the folder is there already. */
function makesNew(args: readonly string[], scope: Scope, evaluator: Evaluator, made: number): boolean {
  const { isDirectory } = evaluator.context;
  const folders = args.filter((arg) => !arg.startsWith('-')).map((arg) => absolute(arg, scope.folder, scope));
  if (isDirectory === undefined || evaluator.made.size < made + folders.length) return false;
  return folders.every((folder) => {
    if (folder === null || !isKnown(folder)) return true;
    const path = normalize(folder);
    return !isDirectory(path) && !evaluator.mayFail(`${path}/..`);
  });
}

/** What was printed before and after; where it grows too long, its end stands for anything. */
export function joined(before: string, after: string): string {
  if (after === '') return before;
  if (before.length < MAX_OUTPUT) return before + after;
  return before.endsWith(CUT) ? before : before + CUT;
}
