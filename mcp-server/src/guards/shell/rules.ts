import type { Call } from './call.ts';
import { effectTable, type Rule } from './effects.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import type { Scope } from './scope.ts';
import { absolute, type TargetOptions } from './targets.ts';
import { plain, UNKNOWN } from './values.ts';

export interface Subcommand {
  sub: string;
  rest: readonly string[];
  /** The scope it runs in: `-C folder` and the like move it. */
  scope: Scope;
}

/** The first operand of a tool with subcommands, its global options skipped. */
export function subcommandOf(call: Call): Subcommand | null {
  const table = effectTable();
  const values = table.globals.get(call.name);
  const folders = table.chdir.get(call.name);
  let { scope } = call;
  for (let at = 0; at < call.args.length; at++) {
    const arg = plain(call.args[at] ?? '');
    // `cargo +nightly fmt`: the toolchain.
    if (at === 0 && call.name === 'cargo' && arg.startsWith('+')) continue;
    if (!arg.startsWith('-')) return { sub: arg, rest: call.args.slice(at + 1), scope };
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const option = equals < 0 ? arg : arg.slice(0, equals);
    const value = equals >= 0 ? arg.slice(equals + 1) : values?.has(option) ? (call.args[++at] ?? '') : null;
    if (value !== null && folders?.has(option)) {
      scope = scope.fork();
      scope.enter([absolute(value, scope.folder, scope) ?? UNKNOWN]);
    }
  }
  return null;
}

/** Judges a command by the rules of the table. */
export function applyRules(call: Call): void {
  const rules = effectTable().rules.get(call.name);
  if (rules === undefined) return;
  let found: Subcommand | null | undefined;
  for (const rule of rules) {
    if (rule.sub.size === 0) {
      applyRule(rule, call, call.args, call.scope);
      continue;
    }
    found ??= subcommandOf(call);
    if (found === null || !rule.sub.has(found.sub)) continue;
    const rest = matchSecond(rule, found.rest);
    if (rest !== null) applyRule(rule, call, rest, found.scope);
  }
}

/** The arguments after the rule's second word; null when that word is another one. */
export function matchSecond(rule: Rule, args: readonly string[]): readonly string[] | null {
  if (rule.sub2.size === 0) return args;
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  if (at < 0) return rule.sub2.has('-') ? args : null;
  return rule.sub2.has(args[at] ?? '') ? [...args.slice(0, at), ...args.slice(at + 1)] : null;
}

const HARMLESS = ['--help', '--version', '--dry-run'];

/** Whether all of a rule's conditions hold. */
export function holds(rule: Rule, parsed: ParsedOptions): boolean {
  const { options, operands } = parsed;
  if (HARMLESS.some((option) => options.has(option))) return false;
  for (const option of rule.unless) if (options.has(option)) return false;
  if (rule.when.size > 0 && ![...rule.when].some((option) => options.has(option))) return false;
  // A folder named by an option takes the place of the last operand.
  const named = [...rule.dir].some((option) => options.has(option));
  if (operands.length < rule.min - (named ? 1 : 0) || operands.length > rule.max) return false;
  if (rule.notWord.has(operands[0] ?? '')) return false;
  if (rule.match === null) return true;
  const { match, notMatch } = rule;
  const texts = [...operands, ...[...options.values()].flat()].map(plain);
  return texts.some((text) => (match.test(text) || match.test(text.toLowerCase())) && !(notMatch?.test(text) ?? false));
}

function applyRule(rule: Rule, call: Call, args: readonly string[], scope: Scope): void {
  const parsed = parseOptions(args, rule.options);
  if (!holds(rule, parsed)) return;
  const { judge } = call.evaluator;
  const how: TargetOptions = { kind: rule.kind, deep: rule.deep };
  for (const target of targetsOf(rule, parsed)) {
    if (target === '-' || target === '' || isNoFile(target, rule)) continue;
    judge.target(target, call.name, scope, how);
    if (call.name === 'mkdir') call.evaluator.makes(target, scope);
  }
  if (rule.targets === 'repo') judge.repository(call.name, rule.kind, scope.folder);
}

/** ImageMagick's reports, and `host:path` where a command copies to other places. Containers have names of one letter, too. */
function isNoFile(target: string, { name, remote }: Rule): boolean {
  if (/^(convert|magick)$/.test(name) && /^(histogram:)?(info|null):$/.test(target)) return true;
  return remote && /^[\w.@-]*:/.test(target) && (/^(docker|podman|kubectl|oc)$/.test(name) || !/^[A-Za-z]:[\\/]/.test(target));
}

function targetsOf(rule: Rule, parsed: ParsedOptions): string[] {
  const { options } = parsed;
  const operands = parsed.operands.slice(rule.skip).filter((operand) => rule.match === null || !operand.startsWith('+'));
  const found: string[] = [];
  for (const option of rule.files) found.push(...(options.get(option) ?? []));
  if (rule.outs) for (const [option, values] of options) if (option.endsWith('_out')) found.push(...values);
  if (rule.assign !== '')
    for (const operand of operands) if (operand.startsWith(`${rule.assign}=`)) found.push(operand.slice(rule.assign.length + 1));
  const folders = [...rule.dir].flatMap((option) => options.get(option) ?? []);
  found.push(...folders);
  if (rule.dashFree && (operands.includes('-') || folders.includes('-'))) return [];
  if (folders.length > 0 && rule.targets !== 'all') return found;
  const [first, second] = operands;
  switch (rule.targets) {
    case 'all':
      found.push(...operands);
      break;
    case 'last':
      found.push(operands.at(-1) ?? '');
      break;
    case 'first':
      found.push(first ?? '');
      break;
    case 'second':
      found.push(second ?? '.');
      break;
    case 'cwd':
      found.push('.');
      break;
    case 'paths':
      found.push(...(operands.length > 0 ? operands : ['.']));
      break;
    case 'base':
      if (first !== undefined) found.push(first.slice(first.lastIndexOf('/') + 1));
      break;
    case 'clone':
      if (first !== undefined) found.push(second ?? '.');
      break;
    default:
      break;
  }
  return found;
}
