import type { Call } from './call.ts';
import { entered, folderArgument } from './inline-folders.ts';
import { literalString, quoted, splitTop, statementEnd } from './inline-text.ts';
import { type ProgramFacts, pathValues } from './inline-values.ts';
import { isKnown, UNKNOWN } from './values.ts';

const MAX_ALTERNATIVES = 16;
const MAX_DEPTH = 4;

/** Runs a command that a program starts: one text, or a list of words; each of those that a variable may hold. */
export function runFromProgram(given: readonly string[], call: Call, facts: ProgramFacts): void {
  const args = given.map((arg) => optionsOf(arg.trim().replace(/^(args|cmd)\s*=\s*/, ''), facts));
  const { evaluator } = call;
  const folder = folderArgument(args, facts.language);
  const scope = folder === null ? facts.scope : entered(folder, facts);
  for (const first of alternatives(args[0] ?? '', facts)) {
    const list = listOf(first, facts);
    if (list !== null) {
      evaluator.command(wordsOf(list, facts), scope.fork(), null);
      continue;
    }
    const command = pathValues(unsplit(first), facts)[0] ?? UNKNOWN;
    if (!isKnown(command) && command.length < 3) continue;
    const rest = facts.language === 'python' ? null : listOf(args[1] ?? '', facts);
    if (rest !== null) evaluator.command([command, ...wordsOf(rest, facts)], scope.fork(), null);
    else if (/perl|ruby/.test(facts.language) && (literalString(args[1] ?? '') !== null || /^[@*]\w+$/.test(args[1] ?? '')))
      evaluator.command([command, ...wordsOf(args.slice(1), facts)], scope.fork(), null);
    else evaluator.text(command, scope.fork(), null);
  }
}

/** An object of options that stands in a variable. */
function optionsOf(arg: string, facts: ProgramFacts): string {
  if (facts.language !== 'node' || !/^[a-zA-Z_$]\w*$/.test(arg)) return arg;
  return settings(arg, facts).find((value) => value.startsWith('{')) ?? arg;
}

/** `shlex.split("a b")`, `"a b".split()`: the words of a text are that text. */
function unsplit(expression: string): string {
  const [, inner, text] = /^(?:(?:shlex\.)?split\(([\s\S]*)\)|([\s\S]+)\.split\(\s*(?:'\s'|"\s")?\s*\))$/.exec(expression) ?? [];
  return inner ?? text ?? expression;
}

/** What a variable may hold: all that it is set to, and all that it runs over; other expressions as they are. */
function alternatives(expression: string, facts: ProgramFacts, depth = 0): string[] {
  const [, name] = /^[$@]?(\w+)$/.exec(expression.trim()) ?? [];
  if (name === undefined || depth > MAX_DEPTH) return [expression];
  const values = [...settings(name, facts), ...elements(name, facts)].slice(0, MAX_ALTERNATIVES);
  return values.length === 0 ? [expression] : values.flatMap((value) => alternatives(value, facts, depth + 1)).slice(0, MAX_ALTERNATIVES);
}

/** As many matches as are worth following. */
function first(matches: Iterable<RegExpExecArray>): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (const match of matches) if (found.push(match) >= MAX_ALTERNATIVES) break;
  return found;
}

/** The expressions that a variable is set to. */
function settings(name: string, { code, masked }: ProgramFacts): string[] {
  const set = new RegExp(`(?:^|[;\\n({\\s,])[$@]?${name}\\s*(?::[\\w\\s.[\\]]+)?=(?![=>~])\\s*`, 'g');
  return first(masked.matchAll(set)).map((match) => {
    const from = match.index + match[0].length;
    return code.slice(from, statementEnd(masked, from)).trim();
  });
}

/** The items of the lists that a variable runs over: `for c in list`, `list.forEach((c) => …)`. */
function elements(name: string, facts: ProgramFacts): string[] {
  const { code, masked } = facts;
  const lists: string[] = [];
  for (const match of first(
    masked.matchAll(new RegExp(`\\bfor\\s*\\(?\\s*(?:const\\s+|let\\s+|var\\s+|my\\s+)?[$]?${name}\\s+(?:in|of)\\s+`, 'g')),
  )) {
    const from = match.index + match[0].length;
    lists.push(code.slice(from, statementEnd(masked, from)).trim());
  }
  for (const match of first(
    masked.matchAll(new RegExp(`(\\w+|\\])\\s*\\.\\s*(?:forEach|map)\\(\\s*(?:async\\s*)?\\(?\\s*${name}\\b`, 'g')),
  )) {
    const end = match.index + (match[1]?.length ?? 0);
    lists.push(match[1] === ']' ? code.slice(masked.lastIndexOf('[', end), end) : (match[1] ?? ''));
  }
  return lists.flatMap((list) => listOf(list, facts) ?? linesOf(list, facts));
}

/** The lines of a text, where a program goes over them. */
function linesOf(expression: string, facts: ProgramFacts): string[] {
  const [, text = ''] = /^([\s\S]+)\.(?:splitlines\(\)|split\(\s*(?:'\\n'|"\\n")\s*\))$/.exec(expression) ?? [];
  const values =
    text === '' ? [] : alternatives(text.replace(/\.(strip|trim)\(\)$/, ''), facts).flatMap((value) => pathValues(value, facts));
  return values.filter(isKnown).flatMap((value) => value.split('\n').map((line) => quoted(line.trim())));
}

/** The items of a list that is written out, or that a variable holds; null when it is none. */
function listOf(expression: string, facts: ProgramFacts, depth = 0): string[] | null {
  const text = expression.trim();
  if (depth > MAX_DEPTH || text === '') return null;
  const [, inner] = /^(?:list|tuple)\(([\s\S]*)\)$/.exec(text) ?? [];
  if (inner !== undefined) return listOf(inner, facts, depth + 1);
  const sum = splitTop(text, '+', facts.language);
  if (sum.length > 1) {
    const lists = sum.map((piece) => listOf(piece, facts, depth + 1));
    return lists[0] === null ? null : lists.flatMap((list, index) => list ?? [sum[index] ?? '']);
  }
  const open = text[0] === '[' || (text[0] === '(' && splitTop(text.slice(1, -1), ',', facts.language).length > 1);
  if (open && /[\])]$/.test(text)) {
    const items = splitTop(text.slice(1, -1), ',', facts.language).map((item) => item.trim());
    return items.filter((item) => item !== '').flatMap((item) => spread(item, facts, depth) ?? [item]);
  }
  const [, name] = /^[$@]?(\w+)$/.exec(text) ?? [];
  if (name === undefined) return null;
  for (const value of settings(name, facts)) {
    const list = listOf(value, facts, depth + 1);
    if (list !== null) return list;
  }
  return null;
}

/** `*a`, `...a`, `@a` among the items of a list. */
function spread(item: string, facts: ProgramFacts, depth: number): string[] | null {
  const [, list] = /^(?:\*|\.\.\.|(?=@))([\s\S]+)$/.exec(item) ?? [];
  return list === undefined ? null : listOf(list, facts, depth + 1);
}

function wordsOf(items: readonly string[], facts: ProgramFacts): string[] {
  return items.flatMap((item) => spread(item, facts, 0) ?? [item]).map((item) => pathValues(item, facts)[0] ?? UNKNOWN);
}
