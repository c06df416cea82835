import type { Call } from './call.ts';
import { changesDatabase } from './databases.ts';
import { type Alias, aliasesOf, straightened } from './inline-aliases.ts';
import { entered, happens } from './inline-folders.ts';
import { Helpers } from './inline-helpers.ts';
import { runFromProgram } from './inline-runs.ts';
import { closing, fold, literalString, type MaskedProgram, maskProgram, quoted, splitTop, stringEnd } from './inline-text.ts';
import { type ProgramFacts, pathValues } from './inline-values.ts';
import type { CallRule, Language } from './languages.ts';
import { UNKNOWN, UNKNOWN_NAME } from './values.ts';

const MAX_PROGRAM = 65_536;
/** Characters of a program that count as one step of the work to read them. */
const CHARS_A_STEP = 25;
const MAX_CALLS = 400;
const MAX_NESTING = 3;
const MAX_UNCLOSED = 1024;

/** Judges a program in another language: the calls in it that visibly write or run commands. */
export function judgeProgram(program: string, language: Language, call: Call, args: readonly string[], depth = 0): void {
  if (program === UNKNOWN) return;
  if (depth > MAX_NESTING) {
    call.evaluator.endsUnread();
    return;
  }
  const { budget, context } = call.evaluator;
  if (program.length > MAX_PROGRAM) call.evaluator.endsUnread();
  budget.spend(program.length / CHARS_A_STEP);
  const code = straightened(fold(program.slice(0, MAX_PROGRAM)), language.name);
  const text = maskProgram(code, language.name);
  const facts: ProgramFacts = {
    code,
    masked: text.masked,
    language: language.name,
    scope: call.scope,
    home: context.home,
    tmpdir: context.tmpdir,
    args,
    modules: moduleNames(code),
    variables: new Map(),
  };
  const helpers = new Helpers(text, language.name);
  const judge = (rule: CallRule, receiver: string, list: string[]): void => judgeCall(rule, receiver, list, language, call, facts, depth);
  const calls = callsIn(text, language, aliasesOf(code, language));
  if (calls.length >= MAX_CALLS) call.evaluator.endsUnread();
  for (const found of calls) {
    budget.spend();
    if (call.evaluator.expired()) return;
    const rules = (language.calls.get(found.name) ?? []).filter((rule) => ownerMatches(rule, found.receiver, facts));
    // `os.unlink(x)` is the module's: no method of a value named os.
    const own = rules.filter((rule) => rule.owner !== '.');
    for (const rule of own.length > 0 ? own : rules) {
      if (rule.target !== '>')
        for (const { receiver, args } of helpers.bound(found, found.at)) {
          budget.spend();
          if (call.evaluator.expired()) return;
          judge(rule, receiver, args);
        }
      else if (happens(text, found.at, language.name)) facts.scope = entered(found.args[0] ?? '', facts);
    }
  }
  const backquote = language.calls.get('`')?.[0];
  if (backquote !== undefined) {
    for (let at = text.masked.indexOf('`'); at >= 0; at = text.masked.indexOf('`', at + 1)) {
      const end = stringEnd(code, at, language.name);
      budget.spend();
      if (call.evaluator.expired()) return;
      judge(backquote, '', [quoted(code.slice(at + 1, end - 1))]);
      at = end;
    }
  }
}

interface FoundCall {
  at: number;
  name: string;
  receiver: string;
  args: string[];
}

/** All calls of a program: `a.b(c)`, and in perl and ruby also `b c`. */
function callsIn(text: MaskedProgram, { name: language, calls }: Language, aliases: ReadonlyMap<string, Alias>): FoundCall[] {
  const { code, masked } = text;
  const found: FoundCall[] = [];
  const bare = language === 'perl' || language === 'ruby' || language === 'php';
  // biome-ignore lint/suspicious/noAssignInExpressions: the usual loop over a sticky pattern
  for (let match: RegExpExecArray | null, pattern = /[A-Za-z_]\w*(?:\.[a-z]\w*(?=\())?/g; (match = pattern.exec(masked)) !== null; ) {
    const dotted = language === 'r' ? match[0] : (match[0].split('.')[0] ?? '');
    pattern.lastIndex = match.index + dotted.length;
    const alias = aliases.get(dotted);
    if (!calls.has(dotted) && alias === undefined) continue;
    if (found.length >= MAX_CALLS) break;
    const after = pattern.lastIndex + (/^\s*/.exec(masked.slice(pattern.lastIndex))?.[0].length ?? 0);
    const receiver = receiverBefore(text, match.index);
    const mapped = /\bmap\(\s*(?:\w+\.)*$/.test(masked.slice(Math.max(0, match.index - 64), match.index)) && masked[after] === ',';
    if (mapped && calls.has(dotted)) {
      const list = splitTop(code.slice(after + 1, closing(masked, masked.lastIndexOf('map(', match.index) + 3)), ',', language);
      found.push({ at: match.index, name: dotted, receiver, args: list });
    } else if (masked[after] === '(') {
      const close = closing(masked, after);
      // What is never closed is no honest call: its beginning will do.
      const end = close < masked.length ? close : Math.min(close, after + MAX_UNCLOSED);
      const args = splitTop(code.slice(after + 1, end), ',', language);
      if (calls.has(dotted)) found.push({ at: match.index, name: dotted, receiver, args });
      if (alias !== undefined && receiver === '') found.push({ at: match.index, ...alias, args });
    } else if (bare && calls.has(dotted) && after > pattern.lastIndex) {
      const end = masked.slice(after).search(/[;\n}]|\bor\b|\|\||\bif\b|\bdo\b|\{/);
      found.push({
        at: match.index,
        name: dotted,
        receiver,
        args: splitTop(code.slice(after, end < 0 ? undefined : after + end), ',', language),
      });
    }
  }
  return found;
}

/** The expression before the dot at `start`. */
function receiverBefore({ code, masked }: MaskedProgram, start: number): string {
  let at = start - 1;
  if (masked.startsWith('::', at - 1) || masked.startsWith('->', at - 1)) at--;
  else if (masked[at] !== '.') return '';
  const end = masked[at - 1] === '?' ? at - 1 : at;
  at = end - 1;
  while (at >= 0) {
    const char = masked[at] ?? '';
    if (char === ')' || char === ']') {
      let depth = 0;
      for (; at >= 0; at--) {
        if (')]'.includes(masked[at] ?? '')) depth++;
        else if ('(['.includes(masked[at] ?? '') && --depth === 0) break;
      }
      at--;
    } else if (char === '"' || char === "'") {
      const open = masked.lastIndexOf(char, at - 1);
      at = open < 0 ? -1 : open - 1;
    } else if (/[\w.$:@]/.test(char)) at--;
    else break;
  }
  return code.slice(at + 1, end).trim();
}

function moduleNames(code: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, module = '', name = ''] of code.matchAll(/\bimport\s+([\w.]+)\s+as\s+(\w+)/g)) names.set(name, module);
  for (const [, name = '', module = ''] of code.matchAll(
    /\b(\w+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['"](?:node:)?([\w/-]+)['"]\s*\)/g,
  ))
    names.set(name, module);
  for (const [, name = '', module = ''] of code.matchAll(/\bimport\s+(?:\*\s+as\s+)?(\w+)\s+from\s+['"](?:node:)?([\w/-]+)['"]/g))
    names.set(name, module);
  for (const [, module = '', name = ''] of code.matchAll(/\bimport\(\s*['"](?:node:)?([\w/-]+)['"]\s*\)\.then\(\s*\(?(\w+)/g))
    names.set(name, module);
  for (const [, module = '', list = ''] of code.matchAll(/\bfrom\s+([\w.]+)\s+import\s+([\w, ]+)/g))
    for (const name of list.split(',')) names.set(` ${name.trim()}`, module);
  for (const [, list = '', module = ''] of code.matchAll(
    /\{([\w,\s:]+)\}\s*(?:=\s*(?:await\s+)?(?:require|import)\(\s*|from\s+)['"](?:node:)?([\w/-]+)['"]/g,
  )) {
    for (const name of list.split(',')) names.set(` ${name.trim()}`, module);
  }
  if (/\binclude\s+FileUtils\b/.test(code))
    for (const name of ['rm', 'rm_f', 'rm_rf', 'rm_r', 'cp', 'cp_r', 'mv', 'mkdir', 'mkdir_p', 'touch', 'ln_s'])
      names.set(` ${name}`, 'FileUtils');
  return names;
}

/** Whether a call's receiver is the module its rule speaks of. */
function ownerMatches(rule: CallRule, receiver: string, facts: ProgramFacts): boolean {
  if (rule.owner === '.') return receiver !== '';
  if (rule.owner === '')
    return rule.target === '$' || rule.name === 'open' || rule.target === '!'
      ? !/\w/.test(receiver) || /child_process|\bcp\b|Kernel|require/.test(receiver)
      : true;
  if (rule.owner === 'Path') return /\bPath\(|\bPathname\b/.test(receiver) || pathVariable(receiver, facts.code);
  if (rule.owner === 'ElementTree') return TREE.test(receiver) || setTo(receiver, TREE, facts.code);
  const module = facts.modules.get(receiver) ?? receiver;
  if (receiver === '') {
    const imported = facts.modules.get(` ${rule.name}`);
    return imported !== undefined && last(imported).replace(/^(promises|fs-extra)$/, 'fs') === last(rule.owner);
  }
  const required = /(?:require|import)\(\s*['"](?:node:)?([\w/-]+)['"]\s*\)(\.promises)?$/.exec(module)?.[1] ?? module;
  const owner = last(required).replace(/^(promises|fs-extra|fsp|fse|fsPromises)$/, 'fs');
  return owner === last(rule.owner) || (rule.owner === 'child_process' && owner === 'cp');
}

function last(path: string): string {
  return path.split(/[./:]+/).at(-1) ?? '';
}

const TREE = /\b(ElementTree|ET)\.parse\(|\bElementTree\(/;

/** Whether a variable is set to what `form` describes. */
function setTo(name: string, form: RegExp, code: string): boolean {
  if (!/^\w+$/.test(name)) return false;
  return [...code.matchAll(new RegExp(`\\b${name}\\s*=(?!=)([^;\\n]*)`, 'g'))].some(([, value = '']) => form.test(value));
}

function pathVariable(name: string, code: string): boolean {
  return (
    /^\w+$/.test(name) &&
    new RegExp(`\\b${name}\\s*=\\s*(pathlib\\.)?Path\\(|\\bfor\\s+${name}\\s+in\\s+[^\\n]*(glob|iterdir)\\(`).test(code)
  );
}

function judgeCall(
  rule: CallRule,
  receiver: string,
  args: string[],
  language: Language,
  call: Call,
  facts: ProgramFacts,
  depth: number,
): void {
  const by = `${language.name} ${rule.name}`;
  const { judge } = call.evaluator;
  if (rule.target === '$') {
    runFromProgram(args, call, facts);
    return;
  }
  if (rule.target === '!') {
    const code = literalString((args[0] ?? '').trim());
    if (code !== null) judgeProgram(code, language, { ...call, scope: facts.scope }, facts.args, depth + 1);
    return;
  }
  if (rule.condition === 'one' && args.length !== 1) return;
  if (rule.condition === 'shelf' && args.some((arg) => /^\s*(flag\s*=\s*)?(['"])r\2\s*$/.test(arg))) return;
  if (rule.condition === 'sql' && !changesByStatement(args[0] ?? '', facts.code)) return;
  if (rule.condition === 'inplace' && !args.some((arg) => /inplace\s*=\s*(True|1)/.test(arg))) return;
  if (language.name === 'perl' && ((rule.name === 'open' && args.length === 2) || (rule.name === 'new' && args.length === 1))) {
    const both = /^\s*(["'])\s*(\+?>>?|\+<)\s*([\s\S]*)\1\s*$/.exec(args.at(-1) ?? '');
    if (both !== null) judge.target(both[3] ?? '', by, facts.scope);
    const [, , piped, pipes] = /^\s*(["'])\s*(?:\|(?!-)([\s\S]*)|([\s\S]*)\|\s*)\1\s*$/.exec(args.at(-1) ?? '') ?? [];
    if (piped !== undefined || pipes !== undefined) runFromProgram([quoted(piped ?? pipes ?? '')], call, facts);
    return;
  }
  if (language.name === 'perl' && rule.name === 'open' && /^\s*(["'])(\|-|-\|)\1\s*$/.test(args[1] ?? ''))
    return void runFromProgram(args.slice(2), call, facts);
  if (rule.mode >= 0 && !opensForWriting(args, rule, facts)) return;
  const expressions: string[] = [];
  if (rule.target === '@') expressions.push(receiver);
  else if (rule.target === '.') expressions.push(args[0]?.trim() ? args[0] : "'.'");
  else if (rule.target === 'file') expressions.push(...args.filter((arg) => /^\s*file\s*=/.test(arg)));
  else if (rule.condition === 'path') expressions.push(...pathArgument(args));
  else for (const index of rule.target) if (args[Number(index)] !== undefined) expressions.push(args[Number(index)] ?? '');
  // A list of names, as in `unlink "a", "b"`.
  if (rule.target === '0' && /^(unlink|rm|rm_f|rm_rf|delete)$/.test(rule.name) && (language.name === 'perl' || language.name === 'ruby'))
    expressions.push(...args.slice(1));
  for (const expression of expressions) for (const path of pathValues(expression, facts)) judge.target(path, by, facts.scope);
}

/** Whether a program changes the database it connects to: by the statements in it, or by saying that it has. */
function changesByStatement(file: string, code: string): boolean {
  if (/:memory:|^\s*\w?['"]file:.*mode=(ro|memory)/.test(file)) return false;
  if (/\.commit\(/.test(code)) return true;
  return [...code.matchAll(/\.execute\w*\(\s*\w?("{3}|'{3}|["'])([\s\S]*?)\1/g)].some(([, , text = '']) => changesDatabase(text));
}

/** The path of a method that prints where none is given: the first argument, if it has no name of its own, or the one so named. */
function pathArgument(args: readonly string[]): string[] {
  const named = args.filter((arg) => /^\s*path(_or_buf)?\s*=/.test(arg));
  const [first = ''] = args;
  return first.trim() === '' || /^\s*\w+\s*=[^=]/.test(first) ? named : [first];
}

function opensForWriting(args: readonly string[], { mode: index, name }: CallRule, facts: ProgramFacts): boolean {
  const named = args.find((arg) => /^\s*(mode|flags?)\s*[=:]/.test(arg))?.replace(/^\s*\w+\s*[=:]\s*/, '');
  if (/\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/.test(args[index] ?? '')) return true;
  const modes = pathValues((named ?? args[index] ?? '').trim(), facts);
  const known = modes.map((mode) => mode.replaceAll(UNKNOWN_NAME, ''));
  return known.some((mode) => (facts.language === 'perl' && name === 'open' ? />|\+</.test(mode) : /[>wax+]/.test(mode)));
}
