/** What a file takes from others, read from the text of its import statements. Pure. */
import type { Grammar } from './languages.ts';
import type { Import } from './parsed.ts';

type Found = Omit<Import, 'line'>;

const EVERYTHING = ['*'];

const listed = (text: string): string[] =>
  text
    .split(',')
    .map(
      (part) =>
        part
          .replace(/\btype\s+/, '')
          .trim()
          .split(/\s+as\s+|\s*:\s*/)[0]
          ?.trim() ?? '',
    )
    .filter((name) => name !== '');

function ecmascript(text: string): Found[] {
  const spec = /(?:from\s*|import\s*\(?\s*|require\s*\(\s*)(["'`])([^"'`]+)\1/.exec(text)?.[2];
  if (spec === undefined) return [];
  const clause = /^(?:import|export)\s+([\s\S]*?)\s*from\b/.exec(text)?.[1];
  if (clause === undefined) return [{ spec, names: EVERYTHING }];
  const braces = /\{([\s\S]*?)\}/.exec(clause)?.[1];
  const names = braces === undefined ? [] : listed(braces);
  const rest = clause.replace(/\{[\s\S]*?\}/, '').replace(/\btype\b/, '');
  if (rest.includes('*')) names.push('*');
  else if (/[\w$]/.test(rest)) names.push('default');
  return [{ spec, names: names.length > 0 ? names : EVERYTHING }];
}

function python(text: string): Found[] {
  const from = /^from\s+(\.*[\w.]*)\s+import\s+([\s\S]*)$/.exec(text);
  if (from) return [{ spec: from[1] as string, names: listed((from[2] as string).replace(/[()]|#.*$/gm, '')) }];
  return listed(text.replace(/^import\s+/, '')).map((spec) => ({ spec, names: EVERYTHING }));
}

const quoted = (text: string): string | undefined => /["'`<]([^"'`>]+)["'`>]/.exec(text)?.[1];

function byPath(text: string): Found[] {
  const spec = quoted(text);
  return spec === undefined ? [] : [{ spec, names: EVERYTHING }];
}

function java(text: string): Found[] {
  const found = /^import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;/.exec(text);
  if (!found) return [];
  const whole = found[2] as string;
  if (found[3]) return [{ spec: whole, names: EVERYTHING }];
  const name = whole.slice(whole.lastIndexOf('.') + 1);
  return [{ spec: found[1] ? whole.slice(0, whole.lastIndexOf('.')) : whole, names: [name] }];
}

/** `a::{b, c::d}` as [`a`, b], [`a::c`, d]. */
function rustTree(text: string, prefix: string): Found[] {
  const tree = text.trim();
  const brace = tree.indexOf('{');
  if (brace < 0) {
    const path = (tree.split(/\s+as\s+/)[0] as string).trim();
    const whole = prefix === '' ? path : `${prefix}::${path}`;
    const at = whole.lastIndexOf('::');
    return at < 0 ? [{ spec: whole, names: EVERYTHING }] : [{ spec: whole.slice(0, at), names: [whole.slice(at + 2)] }];
  }
  const head = tree
    .slice(0, brace)
    .replace(/::\s*$/, '')
    .trim();
  const inner = tree.slice(brace + 1, tree.lastIndexOf('}'));
  const base = [prefix, head].filter((part) => part !== '').join('::');
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= inner.length; at++) {
    const char = inner[at];
    if (char === '{') depth++;
    else if (char === '}') depth--;
    else if (at === inner.length || (char === ',' && depth === 0)) {
      parts.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  return parts.filter((part) => part.trim() !== '').flatMap((part) => rustTree(part, base));
}

function rust(text: string): Found[] {
  const module = /^(?:#\[.*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/.exec(text)?.[1];
  if (module !== undefined) return [{ spec: `self::${module}`, names: EVERYTHING }];
  const used = /^(?:pub(?:\([^)]*\))?\s+)?use\s+([\s\S]*?);?$/.exec(text)?.[1];
  return used === undefined ? [] : rustTree(used, '');
}

function php(text: string): Found[] {
  if (!/^use\b/.test(text)) return byPath(text);
  const body = text.replace(/^use\s+(?:function\s+|const\s+)?/, '').replace(/;\s*$/, '');
  const group = /^([\w\\]+)\\\{([\s\S]*)\}/.exec(body);
  const names = group ? listed(group[2] as string).map((name) => `${group[1]}\\${name}`) : listed(body);
  return names.map((spec) => ({ spec: spec.replace(/^\\/, ''), names: [spec.slice(spec.lastIndexOf('\\') + 1)] }));
}

function ruby(text: string): Found[] {
  return byPath(text).map(({ spec, names }) => ({
    spec: /^require_relative/.test(text) && !spec.startsWith('.') ? `./${spec}` : spec,
    names,
  }));
}

function csharp(text: string): Found[] {
  const found = /^(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?([\w.]+)\s*;/.exec(text)?.[1];
  return found === undefined ? [] : [{ spec: found, names: EVERYTHING }];
}

function bash(text: string): Found[] {
  const argument = /^(?:\.|source)\s+(\S+|"[^"]*")/.exec(text)?.[1];
  // What a variable leads to is not known; the rest of the path tells enough.
  const spec = argument?.replace(/["']/g, '').replace(/^\$(?:\{[^}]*\}|\([^)]*\)|\w+)\//, '');
  return spec === undefined || spec.includes('$') ? [] : [{ spec, names: EVERYTHING }];
}

const READERS: Readonly<Record<Grammar, (text: string) => Found[]>> = {
  javascript: ecmascript,
  typescript: ecmascript,
  tsx: ecmascript,
  python,
  go: byPath,
  rust,
  java,
  ruby,
  php,
  c: byPath,
  cpp: byPath,
  csharp,
  bash,
};

/** @param text one import statement, as it stands in the file */
export function importsIn(language: Grammar, text: string): Found[] {
  return READERS[language](text.trim());
}
