import type { Call } from './call.ts';
import { Scope } from './scope.ts';
import { TargetJudge } from './targets.ts';
import { literal, plain, UNKNOWN } from './values.ts';
import type { ShellContext, ShellVerdict } from './verdict.ts';

/** Cmdlets that write, by the parameter (or first operands) that names what they write. */
const CMDLETS: Record<string, { parameters: string[]; operands: number[] }> = {
  'set-content': { parameters: ['path', 'literalpath'], operands: [0] },
  'add-content': { parameters: ['path', 'literalpath'], operands: [0] },
  'clear-content': { parameters: ['path', 'literalpath'], operands: [0] },
  'out-file': { parameters: ['filepath', 'literalpath'], operands: [0] },
  'tee-object': { parameters: ['filepath', 'literalpath'], operands: [0] },
  'export-csv': { parameters: ['path', 'literalpath'], operands: [0] },
  'new-item': { parameters: ['path', 'name'], operands: [0] },
  'remove-item': { parameters: ['path', 'literalpath'], operands: [0] },
  'rename-item': { parameters: ['path', 'literalpath'], operands: [0] },
  'move-item': { parameters: ['path', 'literalpath', 'destination'], operands: [0, 1] },
  'copy-item': { parameters: ['destination'], operands: [1] },
};

const ALIASES: Record<string, string> = {
  sc: 'set-content',
  ac: 'add-content',
  clc: 'clear-content',
  tee: 'tee-object',
  epcsv: 'export-csv',
  ni: 'new-item',
  md: 'new-item',
  mkdir: 'new-item',
  ri: 'remove-item',
  rm: 'remove-item',
  del: 'remove-item',
  erase: 'remove-item',
  rd: 'remove-item',
  rmdir: 'remove-item',
  rni: 'rename-item',
  ren: 'rename-item',
  mi: 'move-item',
  mv: 'move-item',
  move: 'move-item',
  cpi: 'copy-item',
  cp: 'copy-item',
  copy: 'copy-item',
};

interface Token {
  text: string;
  quoted: boolean;
}

/** Judges a PowerShell command: the plain writing cmdlets and redirections, the rest is left to the fingerprint. */
export function analyzePowerShell(command: string, context: ShellContext): ShellVerdict {
  const judge = new TargetJudge(context);
  const scope = new Scope([context.cwd]);
  const unread = !judgeText(literal(command), judge, scope, context);
  return { writes: judge.writes, unparsable: false, unread, notes: [] };
}

/** `pwsh -Command text`. */
export function runPowerShell(call: Call): string {
  const at = call.args.findIndex((arg) => /^-c(o(m(m(a(n(d)?)?)?)?)?)?$/i.test(arg));
  const text = at < 0 ? call.args.filter((arg) => !arg.startsWith('-')).join(' ') : call.args.slice(at + 1).join(' ');
  const { evaluator } = call;
  if (!judgeText(plain(text), evaluator.judge, call.scope.fork(), evaluator.context)) evaluator.endsUnread();
  return UNKNOWN;
}

/** No honest command has more statements. */
const MAX_STATEMENTS = 2_000;

/** Returns whether all of the text was judged. */
function judgeText(text: string, judge: TargetJudge, scope: Scope, context: ShellContext): boolean {
  const all = statements(text);
  for (const tokens of all.slice(0, MAX_STATEMENTS)) judgeStatement(tokens, judge, scope, context);
  return all.length <= MAX_STATEMENTS;
}

function judgeStatement(tokens: readonly Token[], judge: TargetJudge, scope: Scope, context: ShellContext): void {
  const words: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (!token.quoted && /^[\d*]?>>?$/.test(token.text)) {
      const target = tokens[++at];
      if (target !== undefined) judge.target(path(target.text, scope, context), '>', scope);
    } else words.push(token);
  }
  const name = words[0]?.text.toLowerCase() ?? '';
  const resolved = ALIASES[name] ?? name;
  if (/^(set-location|cd|sl|push-location|pushd)$/.test(name) && words[1] !== undefined) {
    const target = path(words.findLast((word) => !word.text.startsWith('-'))?.text ?? '', scope, context);
    scope.enter([/^([A-Za-z]:|\/)/.test(target) ? target : target.startsWith(UNKNOWN) ? UNKNOWN : `${scope.folder}/${target}`]);
    return;
  }
  const rule = CMDLETS[resolved];
  if (rule === undefined) return;
  const operands: string[] = [];
  const targets: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    const parameter = word.quoted ? null : (/^-([A-Za-z]+):?$/.exec(word.text)?.[1]?.toLowerCase() ?? null);
    if (parameter === null) operands.push(word.text);
    else if (parameter === 'whatif') return;
    else if (!SWITCHES.has(parameter)) {
      const value = words[++at]?.text ?? '';
      if (rule.parameters.some((known) => known.startsWith(parameter))) targets.push(...value.split(','));
    }
  }
  for (const index of targets.length > 0 && resolved !== 'copy-item' ? [] : rule.operands) {
    const operand = operands[index];
    if (operand !== undefined) targets.push(...operand.split(','));
  }
  for (const target of targets) judge.target(path(target, scope, context), resolved, scope);
}

const SWITCHES = new Set([
  'recurse',
  'force',
  'verbose',
  'append',
  'nonewline',
  'passthru',
  'confirm',
  'noclobber',
  'notypeinformation',
  'asbytestream',
  'raw',
]);

/** A path with its well-known variables filled in and its slashes turned. */
function path(text: string, scope: Scope, context: ShellContext): string {
  return text
    .replace(/\\/g, '/')
    .replace(/^~(?=\/|$)/, context.home)
    .replace(/\$\{?(?:env:)?(\w+)\}?/gi, (_all, name: string) => {
      const variable = name.toLowerCase();
      if (variable === 'pwd') return scope.folder;
      if (variable === 'home' || variable === 'userprofile') return context.home;
      if (variable === 'temp' || variable === 'tmp' || variable === 'tmpdir') return context.tmpdir;
      return variable === 'null' ? '/dev/null' : UNKNOWN;
    });
}

/** Puts `by` in place of what begins with `open` and ends as `endOf` says. An end that is nowhere is looked for once. */
function between(text: string, open: RegExp, endOf: (mark: string) => string, by: string): string {
  const missing = new Set<string>();
  let result = '';
  let at = 0;
  for (const match of text.matchAll(open)) {
    const end = endOf(match[1] ?? '');
    if (match.index < at || missing.has(end)) continue;
    const found = text.indexOf(end, match.index + match[0].length);
    if (found < 0) missing.add(end);
    else {
      result += text.slice(at, match.index) + by;
      at = found + end.length;
    }
  }
  return result + text.slice(at);
}

/** Splits into statements and words: quotes, backtick escapes, comments, here-strings and separators. */
function statements(command: string): Token[][] {
  const list: Token[][] = [[]];
  const shorter = between(command, /@(["'])\r?\n/g, (quote) => `\n${quote}@`, "''");
  const text = between(shorter, /<#/g, () => '#>', ' ');
  const pattern =
    /"((?:[^"`]|`[\s\S]|"")*)"|'((?:[^']|'')*)'|#[^\n]*|[\d*]?>&\d|[\d*]?>>?|&&|\|\||[;|\n(){}]|(?:`[\s\S]|[^\s;|"'(){}>`])+/g;
  for (const match of text.matchAll(pattern)) {
    const [whole, double, single] = match;
    const current = list.at(-1);
    if (double !== undefined || single !== undefined)
      current?.push({ text: (double ?? single ?? '').replace(/`([\s\S])/g, '$1'), quoted: true });
    else if (/^(;|\||\n|&&|\|\||[(){}])$/.test(whole)) list.push([]);
    else if (!whole.startsWith('#') && !/>&\d$/.test(whole)) current?.push({ text: whole.replace(/`([\s\S])/g, '$1'), quoted: false });
  }
  return list.filter((tokens) => tokens.length > 0);
}
