import { keyedName } from './arrays.ts';
import { parseQuoted } from './parser.ts';
import type { Scope } from './scope.ts';
import type { Node, Part, Word } from './syntax.ts';
import { active, activeGlobs, CUT, expandBraces, isKnown, plain, UNKNOWN, unknownLike } from './values.ts';
import type { ShellContext } from './verdict.ts';

/** What expansion needs of the evaluator: substitutions run commands. */
export interface Runner {
  readonly context: ShellContext;
  /** Runs commands in a subshell and returns what they print. */
  capture(node: Node, scope: Scope, stdin: string | null): string;
  /** Keeps a process substitution's output under a path of its own. */
  processPath(node: Node, direction: '<' | '>', scope: Scope): string;
  /** Is told of an unknown value that something is done with. */
  meetsUnknown(value: string): void;
}

/** Longer values are no paths and no commands anyone wrote. */
const MAX_VALUE = 65_536;

const NUMBERS = new Set(['?', '#', '$', '!', 'RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'BASHPID', 'EPOCHSECONDS', 'SHLVL']);

/** The text of a word that is nothing but that; null for one in which something acts. */
function standing(word: Word): string | null {
  const [only] = word.parts;
  return word.parts.length === 1 && only?.kind === 'text' && (only.quoted || !/[*?[{~]/.test(only.text)) ? only.text : null;
}

/** Expands a word to the fields the shell would make of it. */
export function expandWord(word: Word, scope: Scope, runner: Runner): string[] {
  const text = standing(word);
  if (text !== null) return [text];
  const fields: string[] = [];
  let current: string | null = null;
  const add = (text: string): void => {
    current = (current ?? '') + text;
  };
  word.parts.forEach((part, index) => {
    if (part.kind === 'text') {
      if (part.quoted) add(part.text);
      else add(index === 0 ? tilde(active(part.text), scope, runner) : active(part.text));
      return;
    }
    const values = partFields(part, scope, runner);
    if (values === null) return;
    if ('quoted' in part && !part.quoted && part.kind !== 'arithmetic') {
      const pieces = values.flatMap((value) => splitFields(value, scope));
      const open = values.length > 0 && /^[ \t\n]/.test(values[0] ?? '');
      if (open && current !== null) {
        fields.push(current);
        current = null;
      }
      pieces.forEach((piece, at) => {
        if (at > 0 && current !== null) {
          fields.push(current);
          current = null;
        }
        add(piece);
      });
      if (current !== null && /[ \t\n]$/.test(values.at(-1) ?? '')) {
        fields.push(current);
        current = null;
      }
      return;
    }
    values.forEach((value, at) => {
      if (at > 0 && current !== null) {
        fields.push(current);
        current = null;
      }
      add(value);
    });
  });
  if (current !== null) fields.push(current);
  return fields.flatMap((field) => expandBraces(field));
}

/** The fields of several words. In a loop, since commands are mostly words that stand for themselves. */
export function expandWords(words: readonly Word[], scope: Scope, runner: Runner): string[] {
  const fields: string[] = [];
  for (const word of words) {
    const text = standing(word);
    if (text === null) fields.push(...expandWord(word, scope, runner));
    else fields.push(text);
  }
  return fields;
}

/** Expands without splitting, as in an assignment or a here-document. */
export function expandText(word: Word, scope: Scope, runner: Runner): string {
  let text = '';
  word.parts.forEach((part, index) => {
    if (part.kind === 'text') {
      if (part.quoted) text += part.text;
      else text += index === 0 ? tilde(active(part.text), scope, runner) : active(part.text);
    } else text += partFields(part, scope, runner)?.join(' ') ?? '';
  });
  return plainBraces(text.length > MAX_VALUE ? CUT : text);
}

function plainBraces(text: string): string {
  return text.replace(/[\uE005-\uE007]/g, (char) => plain(char));
}

function tilde(text: string, scope: Scope, runner: Runner): string {
  if (!text.startsWith('~')) return text;
  if (text === '~' || text.startsWith('~/')) return runner.context.home + text.slice(1);
  if (/^~\+(\/|$)/.test(text)) return scope.folder + text.slice(2);
  if (/^~-(\/|$)/.test(text)) return scope.choose(scope.previous) + text.slice(2);
  return /^~[a-z]/.test(text) ? `/home/${text.slice(1)}` : text;
}

function splitFields(value: string, scope: Scope): string[] {
  const separator = scope.variables.get('IFS')?.alternatives[0];
  const globbed = activeGlobs(value);
  const pieces =
    separator === undefined || /^\s/.test(separator)
      ? globbed.split(/[ \t\n]+/)
      : globbed.split(new RegExp(`[${separator.replace(/[\\\]^-]/g, '\\$&')}\n]+`));
  return pieces.filter((piece) => piece !== '');
}

/** The values of an expansion: one, or several for an array; null when it is nothing at all. */
function partFields(part: Part, scope: Scope, runner: Runner): string[] | null {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'substitution':
      return [runner.capture(part.body, scope, null).replace(/\n+$/, '')];
    case 'process':
      return [runner.processPath(part.body, part.direction, scope)];
    case 'arithmetic':
      evaluateArithmetic(expandText({ parts: part.parts, start: 0, end: 0 }, scope, runner), scope, runner);
      return ['0'];
    case 'variable':
      return variableFields(part, scope, runner);
  }
}

const MAX_LOOK_UPS = 64;

/**
 * Runs what an arithmetic expression runs: bash expands a subscript once more, and takes a variable's value for an expression.
 * @param text the expression after the shell's own expansions
 */
export function evaluateArithmetic(text: string, scope: Scope, runner: Runner): void {
  const seen = new Set<string>();
  const waiting = [text];
  for (let expression = waiting.pop(); expression !== undefined; expression = waiting.pop()) {
    if (/\[[\s\S]*(`|\$\()/.test(expression)) expandAgain(expression, scope, runner);
    for (const [name] of expression.matchAll(/[A-Za-z_]\w*/g)) {
      if (seen.size >= MAX_LOOK_UPS) {
        runner.meetsUnknown(CUT);
        return;
      }
      if (!seen.has(name)) waiting.push(...(scope.variables.get(name)?.alternatives ?? []));
      seen.add(name);
    }
  }
}

/** Expands a value as if it stood in double quotes. */
export function expandAgain(value: string, scope: Scope, runner: Runner): void {
  const code = plain(value);
  if (!/`|\$\(/.test(code)) return;
  const word = parseQuoted(code);
  if (word !== null) expandText(word, scope, runner);
}

type VariablePart = Extract<Part, { kind: 'variable' }>;

function variableFields(part: VariablePart, scope: Scope, runner: Runner): string[] | null {
  const argument = (): string => (part.argument === null ? '' : expandText(part.argument, scope, runner));
  const { operator, subscript } = part;
  if (subscript !== null) evaluateArithmetic(`[${expandText({ parts: subscript, start: 0, end: 0 }, scope, runner)}]`, scope, runner);
  if (operator === 'length') return ['0'];
  const items = listItems(part.name, scope);
  if (items !== null && operator === '') return items;
  const value = scalar(part.name, scope, runner);
  if (operator === 'indirect' && value !== null) evaluateArithmetic(value, scope, runner);
  if (operator === '@' && value !== null) expandAgain(value, scope, runner);
  if (/^:?[-=]$/.test(operator)) {
    const fallback = argument();
    const given = scope.variables.has(part.name) || part.name !== 'TMPDIR';
    if (value !== null && isKnown(value) && value !== '') return [given ? value : scope.choose([value, fallback])];
    if (operator.endsWith('=')) scope.set(part.name, fallback);
    return [fallback];
  }
  if (/^:?\+$/.test(operator)) return [argument()];
  if (/^:?\?$/.test(operator)) {
    argument();
    return [value ?? UNKNOWN];
  }
  // In quotes, a variable that is not set is an empty piece of the word.
  if (value === null && operator === '') return [part.quoted ? scope.choose([UNKNOWN, '']) : UNKNOWN];
  if (value !== null && operator === '') return value === '' && !part.quoted ? null : [value];
  const extra = argument();
  if (value === null || !isKnown(value)) return [unknownLike(value ?? '')];
  return [transform(value, operator, extra)];
}

const MOST_TRIES = 20_000_000;

/** Pattern removal, replacement and substrings, for the plain cases. */
function transform(value: string, operator: string, argument: string): string {
  if (operator === ':') {
    const match = /^\s*(\d+)(?::\s*(\d+))?$/.exec(argument);
    if (match === null) return UNKNOWN;
    const start = Number(match[1]);
    return value.slice(start, match[2] === undefined ? undefined : start + Number(match[2]));
  }
  if (operator === '^^' || operator === '^')
    return operator === '^^' ? value.toUpperCase() : value.charAt(0).toUpperCase() + value.slice(1);
  if (operator === ',,' || operator === ',')
    return operator === ',,' ? value.toLowerCase() : value.charAt(0).toLowerCase() + value.slice(1);
  if (operator === '/' || operator === '//') {
    const slash = argument.indexOf('/');
    const from = slash < 0 ? argument : argument.slice(0, slash);
    const to = slash < 0 ? '' : argument.slice(slash + 1);
    if (/[*?[#%]/.test(from) || from === '') return UNKNOWN;
    return operator === '//' ? value.replaceAll(from, to) : value.replace(from, to);
  }
  // A regular expression shares the value among the stars in every way there is; honest values are paths and names.
  const stars = argument.split('*').length - 1;
  if (stars > 0 && value.length ** (stars + 1) > MOST_TRIES) return CUT;
  const source = argument
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.');
  try {
    if (operator === '%') return value.replace(new RegExp(`^([\\s\\S]*)${source}$`), '$1');
    if (operator === '%%') return value.replace(new RegExp(`^([\\s\\S]*?)${source}$`), '$1');
    if (operator === '#') return value.replace(new RegExp(`^${source.replaceAll('.*', '.*?')}`), '');
    if (operator === '##') return value.replace(new RegExp(`^${source}`), '');
  } catch {
    return UNKNOWN;
  }
  return UNKNOWN;
}

function listItems(name: string, scope: Scope): string[] | null {
  if (name === '@' || name === '*') return scope.positional ?? [UNKNOWN];
  const match = /^(\w+)\[[@*]\]$/.exec(name);
  if (match === null) return null;
  const variable = scope.variables.get(match[1] ?? '');
  return variable === undefined ? [UNKNOWN] : (variable.items ?? [scope.choose(variable.alternatives)]);
}

/** A variable's value; null when nothing is known of it. */
function scalar(name: string, scope: Scope, runner: Runner): string | null {
  if (NUMBERS.has(name)) return '0';
  if (name === '0') return 'bash';
  if (/^[1-9]\d*$/.test(name)) return scope.positional === null ? null : (scope.positional[Number(name) - 1] ?? '');
  if (name === 'PWD') return scope.folder;
  if (name === 'OLDPWD') return scope.choose(scope.previous);
  const subscript = /^(\w+)\[(.*)\]$/.exec(name);
  const variable = scope.variables.get(subscript?.[1] ?? name);
  if (variable !== undefined) {
    const keyed = subscript === null ? undefined : scope.variables.get(keyedName(subscript[1] ?? '', subscript[2] ?? ''));
    if (keyed !== undefined) return scope.choose(keyed.alternatives);
    if (subscript !== null && variable.items !== null) return variable.items[Number(subscript[2])] ?? UNKNOWN;
    return scope.choose(variable.alternatives);
  }
  if (name === 'HOME') return runner.context.home;
  if (name === 'TMPDIR') return runner.context.tmpdir;
  if (name === 'IFS') return ' \t\n';
  if (name === 'CLAUDE_PROJECT_DIR') return runner.context.root;
  return runner.context.env?.[name] ?? null;
}
