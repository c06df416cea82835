import { closing, literalString, type MaskedProgram, maskProgram, splitTop, statementEnd } from './inline-text.ts';

/** A function of the program's own, and where its body lies. */
interface Helper {
  name: string;
  parameters: string[];
  from: number;
  to: number;
}

interface Site {
  at: number;
  args: string[] | null;
  method: boolean;
}

/** A call as it reads once it is known what the function around it is given. */
export interface BoundCall {
  receiver: string;
  args: string[];
}

const MAX_DEPTH = 3;
const MAX_BOUND = 40;
const PARAMETER = /^\s*(\*{0,2}|\.\.\.)\s*(\w+)\s*(?::[^=]*)?(?:=\s*([\s\S]+))?$/;

/** The functions that a program defines and calls, so that a call in one can be read with what it is given. */
export class Helpers {
  private readonly helpers: Helper[];
  private readonly sites = new Map<Helper, Site[]>();
  private readonly text: MaskedProgram;
  private readonly language: string;

  constructor(text: MaskedProgram, language: string) {
    this.text = text;
    this.language = language;
    this.helpers = language === 'python' || language === 'node' ? found(text, language) : [];
  }

  /** The call at `at` for each way in which the function around it is called; the call itself where there is none. */
  bound(found: BoundCall, at: number, depth = 0): BoundCall[] {
    const around = this.helpers.filter(({ from, to }) => from <= at && at < to).sort((left, right) => right.from - left.from);
    if (around.length === 0 || depth > MAX_DEPTH) return [found];
    const call = around.reduce((inner, helper) => this.withoutLocals(inner, helper), found);
    const helper = around.find(({ parameters }) => parameters.some((parameter) => uses(call, nameOf(parameter))));
    if (helper === undefined) return [found];
    const results: BoundCall[] = [];
    for (const site of this.sitesOf(helper)) {
      if (results.length >= MAX_BOUND) break;
      if (site.args === null) results.push(found);
      else results.push(...this.bound(this.filledCall(call, bindingsOf(helper, site.args, site.method)), site.at, depth + 1));
    }
    return results.length > 0 ? results : [found];
  }

  /** Where a function is called; where it is only named it is handed on, and may be called with anything. */
  private sitesOf(helper: Helper): Site[] {
    const known = this.sites.get(helper);
    if (known !== undefined) return known;
    const { code, masked } = this.text;
    const sites: Site[] = [];
    for (const match of masked.matchAll(new RegExp(`(?<![\\w$])${helper.name}\\b\\s*(\\()?`, 'g'))) {
      const before = masked.slice(Math.max(0, match.index - 16), match.index);
      const end = match.index + match[0].length;
      if (sites.length >= MAX_BOUND || /\b(def|function)\s+$/.test(before)) continue;
      if (match[1] !== undefined) {
        const args = splitTop(code.slice(end, closing(masked, end - 1)), ',', this.language).filter((arg) => arg.trim() !== '');
        sites.push({ at: match.index, args, method: /\.\s*$/.test(before) });
      } else if (!/^\s*[=:]/.test(masked.slice(end, end + 16))) sites.push({ at: match.index, args: null, method: false });
    }
    this.sites.set(helper, sites);
    return sites;
  }

  /** A call with what the function sets once, and to something it was given, written out. */
  private withoutLocals(call: BoundCall, { from, to, parameters }: Helper): BoundCall {
    const { code, masked } = this.text;
    const locals = new Map<string, string>();
    const names = parameters.map(nameOf);
    for (const match of masked.slice(from, to).matchAll(/(?<![\w.$])(\w+)\s*=(?![=>~])\s*/g)) {
      const [all, name = ''] = match;
      const start = from + match.index + all.length;
      const value = code.slice(start, statementEnd(masked, start)).trim();
      if (locals.has(name)) locals.set(name, '');
      else if (names.some((parameter) => uses({ receiver: '', args: [value] }, parameter))) {
        locals.set(name, value);
        names.push(name);
      }
    }
    for (const [name, value] of locals) if (value === '' || uses({ receiver: '', args: [value] }, name)) locals.delete(name);
    let result = call;
    for (let round = 0; round < MAX_DEPTH && [...locals.keys()].some((name) => uses(result, name)); round++)
      result = this.filledCall(result, locals);
    return result;
  }

  private filledCall(call: BoundCall, bindings: ReadonlyMap<string, string>): BoundCall {
    return { receiver: this.filled(call.receiver, bindings), args: call.args.map((arg) => this.filled(arg, bindings)) };
  }

  /** An expression with the names of parameters replaced by what they are given. */
  private filled(expression: string, bindings: ReadonlyMap<string, string>): string {
    if (bindings.size === 0) return expression;
    const { masked } = maskProgram(expression, this.language);
    const inString = this.language === 'node' ? /\$\{(\w+)\}/g : /\{(\w+)\}/g;
    const outside = expression.replace(/(?<![\w.$])\w+\b(?!\s*(=[^=]|:))/g, (word, _after, at: number) =>
      masked.startsWith(word, at) ? (bindings.get(word) ?? word) : word,
    );
    return outside.replace(inString, (all, name: string) => literalString((bindings.get(name) ?? '').trim()) ?? all);
  }
}

function nameOf(parameter: string): string {
  return PARAMETER.exec(parameter)?.[2] ?? '';
}

function uses({ receiver, args }: BoundCall, name: string): boolean {
  return name !== '' && new RegExp(`(?<![\\w.])${name}\\b`).test([receiver, ...args].join('\n'));
}

function bindingsOf(helper: Helper, args: readonly string[], method: boolean): Map<string, string> {
  const parameters = helper.parameters.slice(method && /^\s*(self|cls)\s*$/.test(helper.parameters[0] ?? '') ? 1 : 0);
  const bindings = new Map<string, string>();
  const named = new Map(args.map((arg) => /^\s*(\w+)\s*=(?!=)\s*([\s\S]+)$/.exec(arg)).map((match) => [match?.[1], match?.[2]]));
  const given = args.filter((arg) => !/^\s*\w+\s*=(?!=)/.test(arg));
  parameters.forEach((parameter, index) => {
    const [, rest = '', name = '', otherwise] = PARAMETER.exec(parameter) ?? [];
    const value = rest === '' ? (named.get(name) ?? given[index] ?? otherwise) : `[${given.slice(index).join(',')}]`;
    if (name !== '' && rest !== '**' && value !== undefined) bindings.set(name, value.trim());
  });
  return bindings;
}

function found(text: MaskedProgram, language: string): Helper[] {
  const { code, masked } = text;
  const helpers: Helper[] = [];
  const forms =
    language === 'python'
      ? [/\bdef\s+(\w+)\s*\(/g, /\b(\w+)\s*=\s*lambda\b([^:\n]*):/g]
      : [
          /\bfunction\s+(\w+)\s*\(/g,
          /\b(\w+)\s*=\s*(?:async\s+)?function\b\s*\w*\s*\(/g,
          /\b(\w+)\s*=\s*(?:async\s*)?\((?=[^()]*\)\s*(?::[^=]*)?=>)/g,
          /\b(\w+)\s*=\s*(?:async\s+)?(\w+)\s*=>/g,
        ];
  for (const form of forms) {
    for (const match of masked.matchAll(form)) {
      const end = match.index + match[0].length;
      const close = match[0].endsWith('(') ? closing(masked, end - 1) : -1;
      const list = close < 0 ? (match[2] ?? '') : code.slice(end, close);
      const from = close < 0 ? end : close + 1;
      const to = language === 'python' ? indentedEnd(masked, match.index, from) : bodyEnd(masked, from);
      helpers.push({ name: match[1] ?? '', parameters: splitTop(list, ',', language), from, to });
    }
  }
  return helpers;
}

/** Where the lines end that are indented deeper than the one of `start`. */
function indentedEnd(masked: string, start: number, from: number): number {
  const indent = start - (masked.lastIndexOf('\n', start) + 1);
  const next = new RegExp(`\\n[ \\t]{0,${Math.min(indent, 200)}}(?=\\S)`, 'g');
  next.lastIndex = from;
  return next.exec(masked)?.index ?? masked.length;
}

function bodyEnd(masked: string, from: number): number {
  const [lead = ''] = /^\s*(?::[^={]*)?(?:=>)?\s*/.exec(masked.slice(from)) ?? [];
  const start = from + lead.length;
  if (masked[start] === '{') return closing(masked, start) + 1;
  let depth = 0;
  for (let at = start; at < masked.length; at++) {
    const char = masked[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth < 0) return at;
    else if (depth === 0 && /[;\n,]/.test(char)) return at;
  }
  return masked.length;
}
