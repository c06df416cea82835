import type { Language } from './languages.ts';

/** A function under another name: `const w = fs.writeFileSync`. */
export interface Alias {
  name: string;
  receiver: string;
}

const REQUIRED = String.raw`(?:require|import|__import__)\(\s*['"][\w:/.-]+['"]\s*\)`;
const OWNER = String.raw`(?:${REQUIRED}|\w+)(?:\.\w+)*?`;
const ASSIGNED = new RegExp(String.raw`\b(\w+)\s*=\s*(?:(${OWNER})(?:\.|::))?(\w+)(?:\.bind\([^()]*\))?\s*(?=[;,\n)]|$)`, 'g');
const TAKEN_APART = new RegExp(
  String.raw`\{([^{}]*)\}\s*(?:=\s*(?:await\s+)?(${REQUIRED}(?:\.\w+)*|[\w.]+)|from\s*['"]([\w:/.-]+)['"])`,
  'g',
);
const IMPORTED = /\bfrom\s+([\w.]+)\s+import\s+\(?([^\n;()]+)/g;
const METHOD = /\b(\w+)\s*=\s*(\w+)\.method\(\s*:(\w+)\s*\)/g;

/**
 * The other names that a program gives to the calls that write.
 * @param code the program, with its strings
 */
export function aliasesOf(code: string, { calls }: Language): Map<string, Alias> {
  const aliases = new Map<string, Alias>();
  const add = (alias: string, name: string, receiver: string): void => {
    if (calls.has(name) && alias !== '') aliases.set(alias, { name, receiver: receiver.replace(/^node:/, '') });
  };
  for (const [, alias = '', owner = '', name = ''] of code.matchAll(ASSIGNED)) if (alias !== name) add(alias, name, owner);
  for (const [, alias = '', owner = '', name = ''] of code.matchAll(METHOD)) add(alias, name, owner);
  for (const [, list = '', owner = '', module = ''] of code.matchAll(TAKEN_APART))
    for (const [name, alias] of renamed(list, /^(\w+)(?:\s*(?::|\bas\b)\s*(\w+))?$/)) add(alias, name, owner || module);
  for (const [, module = '', list = ''] of code.matchAll(IMPORTED))
    for (const [name, alias] of renamed(list, /^(\w+)(?:\s+as\s+(\w+))?$/)) add(alias, name, module);
  return aliases;
}

function renamed(list: string, form: RegExp): [string, string][] {
  const pairs: [string, string][] = [];
  for (const item of list.split(',')) {
    const [, name, alias] = form.exec(item.trim()) ?? [];
    if (name !== undefined) pairs.push([name, alias ?? name]);
  }
  return pairs;
}

/** `qx{a}` of perl and `%x(a)` of ruby are a pair of backquotes. */
const QUOTED_COMMAND: Record<string, RegExp> = {
  perl: /(?<![\w$@%&>-])qx\s*(?:\{([^{}`]*)\}|\(([^()`]*)\)|\[([^[\]`]*)\]|\/([^/`]*)\/|!([^!`]*)!|\|([^|`]*)\|)/g,
  ruby: /%x(?:\{([^{}`]*)\}|\(([^()`]*)\)|\[([^[\]`]*)\])/g,
};

/** Rewrites calls that go round their name: `(0, fs.x)(…)`, `fs.x.call(null, …)`, `fs[k](…)` with a known k, `w.call(…)` of ruby. */
export function straightened(source: string, language: string): string {
  const form = QUOTED_COMMAND[language];
  const code =
    form === undefined
      ? source
      : source.replace(form, (_all, ...groups) => `\`${groups.slice(0, -2).find((group) => group !== undefined)}\``);
  const names = new Map([...code.matchAll(/\b(\w+)\s*=\s*(['"])([A-Za-z_]\w*)\2/g)].map((match) => [match[1], match[3]]));
  return code
    .replace(/\(\s*\d+\s*,\s*([\w.]+)\s*\)\s*\(/g, '$1(')
    .replace(/\.call\(\s*(?:null|undefined|this|[A-Za-z_]\w*)\s*,\s*/g, '(')
    .replace(/(?<=[\w)\]])\[\s*(\w+)\s*\](?=\s*\()/g, (all, name: string) => (names.has(name) ? `.${names.get(name)}` : all))
    .replace(/\b([a-z]\w*)\.call\(/g, '$1(');
}
