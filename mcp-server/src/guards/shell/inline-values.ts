import { literalString, splitTop } from './inline-text.ts';
import type { Scope } from './scope.ts';
import { UNKNOWN, UNKNOWN_NAME } from './values.ts';

/** What is known while reading an inline program. */
export interface ProgramFacts {
  code: string;
  /** The code with strings and comments blanked. */
  masked: string;
  language: string;
  scope: Scope;
  home: string;
  tmpdir: string;
  /** The arguments after the program. */
  args: readonly string[];
  /** Other names of modules, such as `import subprocess as s`. */
  modules: ReadonlyMap<string, string>;
  /** What variables have turned out to be. */
  variables: Map<string, string[]>;
}

const MAX_DEPTH = 8;
const MAX_VARIABLES = 60;

/**
 * What an expression may be as a path. A program that visibly writes most likely writes where it runs, so what cannot be followed
 * counts as a name in the current folder; only what comes from outside the program (arguments, environment) stays unknown.
 */
export function pathValues(expression: string, facts: ProgramFacts, depth = 0): string[] {
  const text = expression
    .trim()
    .replace(/^(await|new|return)\s+/, '')
    .replace(/^\w+\s*=(?!=)\s*/, '');
  if (depth > MAX_DEPTH || text === '') return [UNKNOWN_NAME];
  if (/^\d+$/.test(text)) return [UNKNOWN];
  const literal = literalString(text);
  if (literal !== null) return [interpolated(text, literal, facts, depth)];
  const plus = splitTop(text, facts.language === 'perl' || facts.language === 'php' ? '.' : '+', facts.language);
  if (plus.length > 1 && plus.every((piece) => piece.trim() !== '')) return [joined(plus, '', facts, depth)];
  if (facts.language === 'python') {
    const slash = splitTop(text, '/', 'python');
    if (slash.length > 1) return [joined(slash, '/', facts, depth)];
  }
  const filled = facts.language === 'python' ? formatted(text, facts, depth) : null;
  if (filled !== null) return [filled];
  if (/^[[(]/.test(text) && /[\])]$/.test(text)) {
    return splitTop(text.slice(1, -1), ',', facts.language)
      .filter((item) => item.trim() !== '')
      .flatMap((item) => pathValues(item, facts, depth + 1));
  }
  const known = wellKnown(text, facts, depth);
  if (known !== null) return known;
  if (/^[$@]?\w+$/.test(text)) return variable(text.replace(/^[$@]/, ''), facts, depth);
  return [UNKNOWN_NAME];
}

function joined(pieces: readonly string[], separator: string, facts: ProgramFacts, depth: number): string {
  return pieces.map((piece) => pathValues(piece, facts, depth + 1)[0] ?? UNKNOWN).join(separator);
}

function interpolated(text: string, literal: string, facts: ProgramFacts, depth: number): string {
  const inner = (expression: string): string => pathValues(expression, facts, depth + 1)[0] ?? UNKNOWN;
  if (/^[fF]/.test(text)) return literal.replace(/\{([^{}]*)\}/g, (_all, expression: string) => inner(expression.replace(/[:!].*$/, '')));
  if (text.startsWith('`')) return literal.replace(/\$\{([^{}]*)\}/g, (_all, expression: string) => inner(expression));
  if (text.startsWith('"') && facts.language === 'ruby')
    return literal.replace(/#\{([^{}]*)\}/g, (_all, expression: string) => inner(expression));
  if (text.startsWith('"') && /perl|php/.test(facts.language))
    return literal.replace(/[$@]\{?(\w+)\}?/g, (_all, name: string) => variable(name, facts, depth)[0] ?? UNKNOWN);
  return literal;
}

/** `"a %s" % b` and `"a {}".format(b)` of python. */
function formatted(text: string, facts: ProgramFacts, depth: number): string | null {
  const [, format = '', operator, rest = ''] = /^(\w?"[^"\n]*"|\w?'[^'\n]*')\s*(%|\.format\()\s*([\s\S]+)$/.exec(text) ?? [];
  const literal = literalString(format);
  if (operator === undefined || literal === null) return null;
  const list = (operator === '%' ? rest.replace(/^\(([\s\S]*)\)$/, '$1') : rest.replace(/\)$/, '')) || "''";
  const values = splitTop(list, ',', 'python').map((item) => pathValues(item, facts, depth + 1)[0] ?? UNKNOWN);
  return literal.replace(operator === '%' ? /%[-\d.]*[sdrif]/g : /\{[^{}]*\}/g, () => values.shift() ?? UNKNOWN);
}

/** Calls and names whose value as a path is known. */
function wellKnown(text: string, facts: ProgramFacts, depth: number): string[] | null {
  if (/^(os\.getcwd\(\)|process\.cwd\(\)|(pathlib\.)?Path\.cwd\(\)|Dir\.pwd|getcwd\(\)|__dirname|(pathlib\.)?Path\(\))$/.test(text))
    return [facts.scope.folder];
  if (/^((pathlib\.)?Path\.home\(\)|os\.homedir\(\)|homedir\(\)|Dir\.home)$/.test(text)) return [facts.home];
  if (/^(None|null|(io\.)?(StringIO|BytesIO)\(.*\)|(sys|process)\.std(out|err)(\.buffer)?)$/s.test(text)) return [UNKNOWN];
  if (/tempfile\.|tmpdir\(\)|gettempdir|Dir\.mktmpdir|mkdtemp|sys_get_temp_dir|\b(TemporaryDirectory|NamedTemporaryFile)\(/.test(text)) {
    const [, place] = /\bdir\s*=\s*([^\n]*)/.exec(text) ?? [];
    return [`${place === undefined ? facts.tmpdir : (pathValues(balanced(place), facts, depth + 1)[0] ?? UNKNOWN)}/x`];
  }
  const argument = /^(?:sys\.argv|process\.argv|ARGV|@ARGV|\$argv|\$ARGV)\[(\d+)\]$/.exec(text);
  if (argument !== null) {
    const offset = /^ARGV|^\$ARGV/.test(text) ? 0 : 1;
    return [facts.args[Number(argument[1]) - offset] ?? UNKNOWN];
  }
  if (/(environ|getenv|process\.env|ENV\[|input\(|sys\.stdin|readline|\bshift\b)/.test(text)) return [UNKNOWN];
  const match = /^([\w.$]*?)(\w+)\(([\s\S]*)\)$/.exec(text);
  if (
    match !== null &&
    /^(Path|PurePath|join|resolve|abspath|realpath|normpath|str|fspath|String|fileURLToPath|expanduser|basename|dirname|relative|Pathname|expand_path|sorted|list|Array)$/.test(
      match[2] ?? '',
    )
  ) {
    const args = splitTop(match[3] ?? '', ',', facts.language).filter((arg) => arg.trim() !== '' && !/^\s*\w+\s*=[^=]/.test(arg));
    const values = args.map((arg) => pathValues(arg, facts, depth + 1)[0] ?? UNKNOWN);
    const last = values.findLastIndex((value) => value.startsWith('/'));
    const path = values.slice(Math.max(last, 0)).join('/');
    return [match[2] === 'expanduser' || path.startsWith('~/') ? path.replace(/^~/, facts.home) : path];
  }
  const listing =
    /^(?:glob\.i?glob|os\.(?:listdir|scandir|walk)|Dir\.glob|Dir\[|(?:fs\.)?(?:globSync|readdirSync)|glob)\s*\(?([\s\S]*?)[)\]]*$/.exec(
      text,
    );
  if (listing !== null && listing[1] !== undefined && /^(glob|os|Dir|fs|readdirSync|globSync)/.test(text)) {
    const base = pathValues(splitTop(listing[1], ',', facts.language)[0] ?? '', facts, depth + 1)[0] ?? UNKNOWN_NAME;
    return [
      base
        .replace(/[*?[].*$/, '')
        .replace(/\/?$/, '/')
        .replace(/^\/$/, base.startsWith('/') ? '/' : './') + UNKNOWN,
    ];
  }
  const method =
    /^([\s\S]+?)\.(rglob|glob|iterdir|resolve|absolute|expanduser|parent|with_suffix|with_name|as_posix|joinpath|strip|trim|to_s|path|name)(?:\([\s\S]*\))?$/.exec(
      text,
    );
  if (method !== null) {
    const base = pathValues(method[1] ?? '', facts, depth + 1)[0] ?? UNKNOWN_NAME;
    return [/glob|iterdir|joinpath/.test(method[2] ?? '') ? `${base}/${UNKNOWN}` : base];
  }
  return null;
}

/** A variable: what it is set to, or what it runs over. */
function variable(name: string, facts: ProgramFacts, depth: number): string[] {
  const known = facts.variables.get(name);
  if (known !== undefined) return known;
  if (facts.variables.size >= MAX_VARIABLES) return [UNKNOWN_NAME];
  // While it is being followed, a variable that leads back to itself is one that cannot be followed.
  facts.variables.set(name, [UNKNOWN_NAME]);
  const values = followed(name, facts, depth);
  facts.variables.set(name, values);
  return values;
}

function followed(name: string, facts: ProgramFacts, depth: number): string[] {
  const escaped = name.replace(/\$/g, '\\$');
  const loop = new RegExp(
    `\\bfor\\s*(?:\\(\\s*(?:const|let|var)\\s+)?(?:[\\w,\\s]{0,40}\\b)?${escaped}\\b(?:\\s*,\\s*\\w+)*\\s+(?:in|of)\\s+([^\\n]{1,800}?)(?:\\s*:\\s*(?:\\n|$)|:\\s|\\)\\s*[{\\w]|\\s+if\\s|\\]|$)`,
    'm',
  ).exec(facts.code);
  if (loop?.[1] !== undefined) return pathValues(balanced(loop[1]), facts, depth + 1);
  const context = new RegExp(`\\bwith\\b([^\\n]{1,400}?\\))\\s+as\\s+${escaped}\\b`).exec(facts.code);
  if (context?.[1] !== undefined) return pathValues(splitTop(context[1], ',', facts.language).at(-1) ?? '', facts, depth + 1);
  const set = new RegExp(`(?:^|[;\\n({\\s])(?:const\\s+|let\\s+|var\\s+|my\\s+)?[$@]?${escaped}\\s*=(?![=>~])\\s*([^;\\n]+)`, 'm').exec(
    facts.code,
  );
  if (set?.[1] === undefined) return [UNKNOWN_NAME];
  const value = set[1].trim();
  if (new RegExp(`\\b${escaped}\\b`).test(value)) return [UNKNOWN_NAME];
  return pathValues(balanced(value), facts, depth + 1);
}

/** The part of an expression up to where its brackets no longer match, or a comma outside them. */
function balanced(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '"' || char === "'") {
      const end = text.indexOf(char, at + 1);
      if (end > at) at = end;
    } else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth < 0) return text.slice(0, at);
    else if (char === ',' && depth === 0) return text.slice(0, at);
  }
  return text;
}
