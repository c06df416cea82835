import { UNKNOWN, UNKNOWN_NAME } from './values.ts';

/** What an awk program writes and runs. */
export interface AwkEffects {
  files: string[];
  commands: string[];
}

/** A line's end ends an expression. */
const BLANKS = /^(?:[ \t]|\\\n)+/;
const MADE = /^(?:NF|F?NR|(?:substr|tolower|toupper|gensub|strftime)\(.*)$/;

/** Finds `print > "file"`, `print | "command"`, `"command" | getline` and `system("command")`. */
export function awkEffects(program: string, variables: ReadonlyMap<string, string>): AwkEffects {
  const effects: AwkEffects = { files: [], commands: [] };
  const known = new Map(variables);
  for (const match of program.matchAll(/\b([A-Za-z_]\w*)\s*=(?![=~])\s*/g)) {
    const value = expression(program.slice(match.index + match[0].length), known);
    if (value !== UNKNOWN) known.set(match[1] ?? '', value);
  }
  let printing = false;
  let depth = 0;
  let lastString = '';
  for (let at = 0; at < program.length; at++) {
    const char = program[at] ?? '';
    if (char === '"') {
      const end = stringEnd(program, at);
      lastString = unescapeString(program.slice(at + 1, end));
      at = end;
    } else if (char === '#') {
      const end = program.indexOf('\n', at);
      at = end < 0 ? program.length : end - 1;
    } else if (char === '/' && /(^|[\s(,!~{;&|])$/.test(program.slice(Math.max(0, at - 1), at))) at = regexEnd(program, at);
    else if (/[A-Za-z_]/.test(char)) {
      const word = /^\w+/.exec(program.slice(at, at + 64))?.[0] ?? char;
      if (word === 'print' || word === 'printf') {
        printing = true;
        depth = 0;
      } else if (word === 'system') {
        const argument = /^system\s*\(/.exec(program.slice(at));
        if (argument !== null) effects.commands.push(expression(program.slice(at + argument[0].length), known));
      } else if (word === 'getline' && /\|\s*$/.test(program.slice(0, at)) && lastString !== '') effects.commands.push(lastString);
      at += word.length - 1;
    } else if (/[([]/.test(char)) depth++;
    else if (/[)\]]/.test(char)) depth--;
    else if (/[;}\n]/.test(char)) printing = false;
    else if (printing && depth === 0 && char === '>') {
      if (program[at + 1] === '>') at++;
      effects.files.push(expression(program.slice(at + 1), known));
    } else if (printing && depth === 0 && char === '|' && program[at + 1] !== '|')
      effects.commands.push(expression(program.slice(at + 1), known));
  }
  return effects;
}

/** A concatenation of strings and variables; fields, and what is made of them, are unknown names. */
function expression(text: string, known: ReadonlyMap<string, string>): string {
  let value = '';
  let rest = text.replace(BLANKS, '');
  for (;;) {
    const string = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
    const format = /^sprintf\(\s*"((?:[^"\\]|\\.)*)"[^)]*\)/.exec(rest);
    const field = /^(?:\$\(?\w+\)?|\()/.exec(rest);
    const name = /^[A-Za-z_]\w*(?:\[[^\]]*\]|\([^)]*\))?/.exec(rest);
    const piece = string ?? format ?? field ?? name;
    if (piece === null) return value === '' ? UNKNOWN : value;
    if (string !== null) value += unescapeString(string[1] ?? '');
    else if (format !== null) value += unescapeString(format[1] ?? '').replace(/%[-+ #0\d.]*[a-z]/g, value === '' ? UNKNOWN_NAME : UNKNOWN);
    else if (field !== null) value += piece[0] === '(' ? '' : value === '' ? UNKNOWN_NAME : UNKNOWN;
    else value += known.get(piece[0]) ?? (value === '' && MADE.test(piece[0]) ? UNKNOWN_NAME : UNKNOWN);
    rest = rest.slice(piece[0].length).replace(BLANKS, '');
  }
}

function stringEnd(program: string, start: number): number {
  let at = start + 1;
  while (at < program.length && program[at] !== '"') at += program[at] === '\\' ? 2 : 1;
  return at;
}

function regexEnd(program: string, start: number): number {
  let at = start + 1;
  while (at < program.length && program[at] !== '/' && program[at] !== '\n') at += program[at] === '\\' ? 2 : 1;
  return program[at] === '/' ? at : start;
}

function unescapeString(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
