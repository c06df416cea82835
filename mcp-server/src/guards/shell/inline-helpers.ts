import { closing, literalString, type MaskedProgram, maskProgram, splitTop } from './inline-text.ts';

/** A function of the program's own, and where its body lies. */
interface Helper {
  name: string;
  parameters: string[];
  from: number;
  to: number;
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
  private readonly text: MaskedProgram;
  private readonly language: string;

  constructor(text: MaskedProgram, language: string) {
    this.text = text;
    this.language = language;
    this.helpers = language === 'python' || language === 'node' ? found(text, language) : [];
  }

  /** The call at `at` for each way in which the function around it is called; the call itself where there is none. */
  bound(call: BoundCall, at: number, depth = 0): BoundCall[] {
    const helper = this.helpers
      .filter(({ from, to, parameters }) => from <= at && at < to && parameters.some((parameter) => uses(call, parameter)))
      .sort((left, right) => right.from - left.from)[0];
    if (helper === undefined || depth > MAX_DEPTH) return [call];
    const results: BoundCall[] = [];
    const { code, masked } = this.text;
    for (const match of masked.matchAll(new RegExp(`(?<![\\w$])${helper.name}\\b\\s*(\\()?`, 'g'))) {
      const before = masked.slice(Math.max(0, match.index - 16), match.index);
      const open = match.index + match[0].length - 1;
      if (results.length >= MAX_BOUND || /\b(def|function)\s+$/.test(before)) continue;
      if (match[1] === undefined) {
        // Handed on as a value: it may be called with anything.
        if (!/^\s*[=:]/.test(masked.slice(open + 1)) && !/\b(const|let|var)\s+$/.test(before)) results.push(call);
        continue;
      }
      const args = splitTop(code.slice(open + 1, closing(masked, open)), ',', this.language).filter((arg) => arg.trim() !== '');
      const method = /\.\s*$/.test(before) && /^\s*(self|cls)\s*$/.test(helper.parameters[0] ?? '');
      const bindings = bindingsOf(method ? helper.parameters.slice(1) : helper.parameters, args);
      const next = { receiver: this.filled(call.receiver, bindings), args: call.args.map((arg) => this.filled(arg, bindings)) };
      results.push(...this.bound(next, match.index, depth + 1));
    }
    return results.length > 0 ? results : [call];
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

function uses({ receiver, args }: BoundCall, parameter: string): boolean {
  const [, , name = ''] = PARAMETER.exec(parameter) ?? [];
  return name !== '' && new RegExp(`(?<![\\w.])${name}\\b`).test([receiver, ...args].join('\n'));
}

function bindingsOf(parameters: readonly string[], args: readonly string[]): Map<string, string> {
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
