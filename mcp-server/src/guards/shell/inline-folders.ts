import { type MaskedProgram, splitTop } from './inline-text.ts';
import { type ProgramFacts, pathValues } from './inline-values.ts';
import type { Scope } from './scope.ts';
import { absolute } from './targets.ts';
import { UNKNOWN } from './values.ts';

/** The scope in a folder that a program names; the one it is in where the folder cannot be seen. */
export function entered(expression: string, facts: ProgramFacts): Scope {
  const [value = ''] = pathValues(expression, facts);
  const [known = ''] = value.split(UNKNOWN);
  const path = absolute(known, facts.scope.folder, facts.scope);
  if (known === '' || path === null) return facts.scope;
  const scope = facts.scope.fork();
  scope.enter([path]);
  return scope;
}

/** The folder that a call starts its command in: `cwd=x`, `{cwd: x}`; null when it says none. */
export function folderArgument(args: readonly string[], language: string): string | null {
  for (const arg of args) {
    const text = arg.trim();
    const items = text.startsWith('{') ? splitTop(text.slice(1, -1), ',', language) : [text];
    for (const item of items) {
      const [, value] = /^\s*['"]?(?:cwd|chdir)['"]?\s*[=:]>?\s*([\s\S]+)$/.exec(item) ?? [];
      if (value !== undefined) return value;
      if (text.startsWith('{') && item.trim() === 'cwd') return 'cwd';
    }
  }
  return null;
}

/** Whether the statement at `at` is one that every run of the program comes to: no function's, and no branch's. */
export function happens({ code, masked }: MaskedProgram, at: number, language: string): boolean {
  const start = Math.max(masked.lastIndexOf('\n', at - 1), masked.lastIndexOf(';', at - 1)) + 1;
  const [statement = ''] = masked.slice(start).split(/[;\n]/, 1);
  if (/\b(if|else|for|while|def|lambda|function|and|or)\b|=>|&&|\|\||\?/.test(statement)) return false;
  if (language !== 'python') return depthAt(masked, at) === 0;
  const lines = code.slice(0, at).split('\n');
  const own = lines.pop() ?? '';
  if (/^\s*(if|elif|else|for|while|def|class|try|except|async)\b/.test(own)) return false;
  let indent = /^\s*/.exec(own)?.[0].length ?? 0;
  for (const line of lines.reverse()) {
    const outer = /^\s*/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '' || outer >= indent) continue;
    // Not `try`: there may be no such folder.
    if (!/^\s*with\b/.test(line)) return false;
    indent = outer;
  }
  return true;
}

function depthAt(masked: string, at: number): number {
  let depth = 0;
  for (let index = 0; index < at; index++) {
    const char = masked[index] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
  }
  return depth;
}
