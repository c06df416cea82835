import type { Call, Handler } from './call.ts';
import { spec } from './effects.ts';
import { evaluateArithmetic, expandAgain } from './expansion.ts';
import { parseOptions } from './options.ts';
import { absolute, normalize } from './targets.ts';
import { CUT, isKnown, plain, quote, UNKNOWN, unknownLike } from './values.ts';
import { decodeEscapes } from './words.ts';

/** The shell's own commands, as far as they change what later commands mean. */
export const BUILTINS: [string, Handler][] = [
  ['cd', changeFolder],
  ['pushd', pushFolder],
  ['popd', popFolder],
  ['export', declare],
  ['declare', declare],
  ['typeset', declare],
  ['local', declare],
  ['readonly', declare],
  ['unset', unset],
  ['set', setPositional],
  ['shift', shift],
  ['read', read],
  ['mapfile', readLines],
  ['readarray', readLines],
  ['compgen', complete],
  ['printf', printf],
  ['echo', echo],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
  ['alias', alias],
  ['hash', hash],
  ['command', lookUp],
  ['pwd', (call) => `${call.scope.folder}\n`],
  ['true', () => ''],
  ['false', () => ''],
  [':', () => ''],
  ['test', test],
  ['[', test],
  ['let', evaluateLet],
];

function operandsOf(args: readonly string[]): string[] {
  const at = args.indexOf('--');
  return args.filter((arg, index) => index > at && (at >= 0 || !/^-[A-Za-z]/.test(arg)));
}

function resolveFolder(call: Call, target: string): string {
  const path = absolute(target, call.scope.folder, call.scope);
  return path ?? unknownLike(target + call.scope.folder);
}

function changeFolder(call: Call): string {
  const { scope } = call;
  const [target] = operandsOf(call.args);
  if (target === undefined) scope.enter([call.evaluator.context.home]);
  else if (target === '-') scope.enter(scope.previous);
  else scope.enter(target === '' ? scope.folders : [resolveFolder(call, target)]);
  return target === '-' ? `${scope.folder}\n` : '';
}

function pushFolder(call: Call): string {
  call.scope.stack = [...call.scope.stack, call.scope.folders];
  return changeFolder(call);
}

function popFolder(call: Call): string {
  const { scope } = call;
  const last = scope.stack.at(-1);
  if (last !== undefined) scope.enter(last);
  scope.stack = scope.stack.slice(0, -1);
  return '';
}

/** Names as arguments may carry a subscript, which is evaluated. */
function subscripts(call: Call, args: readonly string[]): void {
  for (const arg of args) if (/^[A-Za-z_]\w*\[/.test(arg)) evaluateArithmetic(arg, call.scope, call.evaluator);
}

/** `test -v name`; its other operators do not evaluate. */
function test(call: Call): string {
  call.args.forEach((arg, at) => {
    if (arg === '-v' || arg === '-R') subscripts(call, call.args.slice(at + 1, at + 2));
  });
  return '';
}

/** `let a=1`: arithmetic. */
function evaluateLet(call: Call): string {
  for (const arg of call.args) evaluateArithmetic(arg, call.scope, call.evaluator);
  return '';
}

function declare(call: Call): string {
  subscripts(call, call.args);
  const evaluates = call.args.some((arg) => /^-[A-Za-z]*[in]/.test(arg));
  const options = call.args.filter((arg) => /^-[A-Za-z]/.test(arg)).join('');
  const local = call.name === 'local' || (/^(declare|typeset)$/.test(call.name) && !options.includes('g'));
  const fixed = call.name === 'readonly' || (call.name !== 'export' && options.includes('r'));
  for (const arg of call.args) {
    const declared = /^[A-Za-z_]\w*/.exec(arg)?.[0];
    const old = /^\w+\+=/.test(arg) ? (call.scope.variables.get(declared ?? '')?.alternatives[0] ?? '') : '';
    if (local && declared !== undefined) call.scope.localize(declared);
    if (evaluates) evaluateArithmetic(arg, call.scope, call.evaluator);
    const match = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(arg);
    if (match !== null) call.scope.set(match[1] ?? '', old + (match[2] ?? ''));
    if (fixed && declared !== undefined) call.scope.fix(declared);
  }
  return '';
}

function unset(call: Call): string {
  subscripts(call, call.args);
  for (const name of operandsOf(call.args)) {
    call.scope.forget(name);
    call.scope.set(name, '');
  }
  return '';
}

function setPositional(call: Call): string {
  const at = call.args.indexOf('--');
  if (at >= 0) call.scope.positional = call.args.slice(at + 1);
  else if (call.args.length > 0 && !/^[-+]/.test(call.args[0] ?? '')) call.scope.positional = [...call.args];
  return '';
}

function shift(call: Call): string {
  const { scope } = call;
  if (scope.positional !== null) scope.positional = scope.positional.slice(Number(call.args[0] ?? 1) || 1);
  return '';
}

/** `read a b`: each variable may hold the field of any line. */
function read(call: Call): string {
  const { scope, args } = call;
  const names: string[] = [];
  let array = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^-[A-Za-z]*[dinNptu]$/.test(arg)) at++;
    else if (/^-[A-Za-z]*a$/.test(arg)) array = true;
    else if (!arg.startsWith('-')) names.push(arg);
  }
  const separator = scope.variables.get('IFS')?.alternatives[0] ?? ' \t';
  const lines = (call.stdin ?? UNKNOWN).split('\n').filter((line) => line !== '');
  const split = lines.map((line) => splitLine(line, separator));
  if (array) {
    scope.setItems(names[0] ?? 'REPLY', split[0] ?? []);
    return '';
  }
  subscripts(call, names);
  if (names.length === 0) names.push('REPLY');
  names.forEach((name, index) => {
    const last = index === names.length - 1;
    const values = split.map((fields) => (last ? fields.slice(index).join(' ') : (fields[index] ?? '')));
    scope.setAlternatives(name, values.length === 0 ? [''] : values.map((value) => (value === '' && !last ? UNKNOWN : value)));
  });
  return '';
}

function splitLine(line: string, separator: string): string[] {
  const chars = separator.replace(/\n/g, '');
  if (chars === '') return [line];
  return line
    .trim()
    .split(new RegExp(`[${chars.replace(/[\\\]^-]/g, '\\$&')}]+`))
    .filter((field) => field !== '');
}

function readLines(call: Call): string {
  const { options, operands } = parseOptions(call.args, spec('-d -n -O -s -u -C -c'));
  const lines = (call.stdin ?? UNKNOWN).split('\n').filter((line) => line !== '');
  // It gets the index and the line.
  for (const code of options.get('-C') ?? []) call.evaluator.text(`${plain(code)} 0 ${quote(lines[0] ?? UNKNOWN)}`, call.scope, null);
  call.scope.setItems(operands[0] ?? 'MAPFILE', lines);
  return '';
}

/** `compgen -C command`, `-F function`; the words of `-W` are expanded once more. */
function complete(call: Call): string {
  const { options } = parseOptions(call.args, spec('-A -C -F -G -o -P -S -V -W -X'));
  for (const code of [...(options.get('-C') ?? []), ...(options.get('-F') ?? [])])
    call.evaluator.text(plain(code), call.scope.fork(), null);
  for (const list of options.get('-W') ?? []) expandAgain(list, call.scope.fork(), call.evaluator);
  return UNKNOWN;
}

/** printf's text: `%s` and friends are filled in order, the format repeats while arguments remain. */
function formatted(format: string, args: readonly string[]): string {
  const rest = [...args];
  let text = '';
  do {
    text += decodeEscapes(format).replace(
      /%(?:%|\(([^)]*)\)T|[-+ #0]*[\d*]*(?:\.[\d*]+)?([a-zA-Z]))/g,
      (all: string, _time, letter: string | undefined) => {
        if (all === '%%') return '%';
        const value = rest.shift() ?? '';
        return letter === 'b' ? decodeEscapes(value) : value;
      },
    );
  } while (rest.length > 0 && /%[^%]/.test(format) && text.length < 65_536);
  return rest.length > 0 && /%[^%]/.test(format) ? text + CUT : text;
}

function printf(call: Call): string {
  const args = [...call.args];
  const variable = args[0] === '-v' ? args.splice(0, 2)[1] : undefined;
  if (args[0] === '--') args.shift();
  const text = formatted(plain(args[0] ?? ''), args.slice(1));
  if (variable === undefined) return text;
  subscripts(call, [variable]);
  call.scope.set(variable, text);
  return '';
}

function echo(call: Call): string {
  let at = 0;
  let escapes = false;
  while (/^-[neE]+$/.test(call.args[at] ?? '')) {
    if (call.args[at]?.includes('e')) escapes = true;
    at++;
  }
  const text = call.args.slice(at).join(' ');
  return `${escapes ? decodeEscapes(text) : text}\n`;
}

function evaluate(call: Call): string {
  return call.evaluator.text(plain(call.args.join(' ')), call.scope, call.stdin);
}

/** `source file`: a file the command itself wrote, or a process substitution. */
function source(call: Call): string {
  const path = absolute(call.args[0] ?? '', call.scope.folder, call.scope);
  const text = path === null ? undefined : call.evaluator.files.get(normalize(path));
  const code = call.args[0] === '/dev/stdin' ? call.stdin : text;
  return code == null ? UNKNOWN : call.evaluator.text(plain(code), call.scope, call.stdin);
}

function trap(call: Call): string {
  const [code] = operandsOf(call.args);
  if (code !== undefined && call.args.length > 1 && isKnown(code)) call.evaluator.text(plain(code), call.scope.fork(), null);
  return '';
}

function alias(call: Call): string {
  for (const arg of call.args) {
    const equals = arg.indexOf('=');
    if (equals > 0) call.scope.alias(arg.slice(0, equals), plain(arg.slice(equals + 1)));
  }
  return '';
}

/** `hash -p path name` binds a name to another program. */
function hash(call: Call): string {
  const at = call.args.indexOf('-p');
  const [path, name] = [call.args[at + 1], call.args[at + 2]];
  if (at >= 0 && path !== undefined && name !== undefined) call.scope.alias(name, plain(path));
  return '';
}

/** `command -v name` looks up; any other `command …` runs. */
function lookUp(call: Call): string | null {
  return /^-[vV]+$/.test(call.args[0] ?? '') ? `/usr/bin/${call.args[1] ?? ''}\n` : null;
}
