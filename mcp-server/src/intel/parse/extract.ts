/** Definitions and imports of one file, from its syntax tree. */
import type { Node, Query, Tree } from 'web-tree-sitter';
import { importsIn } from './imports.ts';
import type { Grammar } from './languages.ts';
import type { Definition, Import, SymbolKind } from './parsed.ts';
import { docOf, signatureOf } from './signature.ts';

/** A stretch of the file that something stands in: a definition, or code whose own names are nobody else's. */
interface Range {
  kind: SymbolKind | 'scope' | 'container';
  start: number;
  end: number;
  name: string;
  nameAt: number;
}

/** Where lines begin, to tell an offset's line without asking the tree. */
class Lines {
  readonly #starts: number[] = [0];
  readonly texts: string[];

  constructor(source: string) {
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#starts.push(at + 1);
    this.texts = source.split('\n');
  }

  /** 0-based. */
  of(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  start(line: number): number {
    return this.#starts[line] ?? 0;
  }
}

const C_FAMILY = new Set<Grammar>(['c', 'cpp']);
const NAMES = new Set([
  'identifier',
  'field_identifier',
  'type_identifier',
  'qualified_identifier',
  'destructor_name',
  'operator_name',
  'template_function',
]);

/** The name inside a C declarator, and what the declarator makes of it. */
function declared(declarator: Node): { name: Node; callable: boolean } | null {
  let callable = false;
  for (let node: Node | null = declarator; node; ) {
    if (NAMES.has(node.type)) return { name: node, callable };
    const inner: Node | null =
      node.childForFieldName('declarator') ??
      node.namedChildren.find(
        (child) =>
          child !== null && child.type !== 'type_qualifier' && child.type !== 'attribute_specifier' && child.type !== 'ms_call_modifier',
      ) ??
      null;
    // `(*name)(…)` is a pointer, not a function.
    if (node.type === 'function_declarator') callable = inner?.type !== 'parenthesized_declarator' || !inner.text.includes('*');
    node = inner;
  }
  return null;
}

const CALLABLE: Partial<Record<SymbolKind, SymbolKind>> = { variable: 'prototype', field: 'method' };

function rangeOf(captures: { name: string; node: Node }[], source: string): Range | null {
  const main = captures.find(({ name }) => name !== 'name' && name !== 'declarator' && name !== 'callee');
  if (!main) return null;
  const kind = main.name as Range['kind'];
  const { startIndex: start, endIndex: end } = main.node;
  if (kind === 'scope') return { kind, start, end, name: '', nameAt: start };
  if (kind === 'container') return { kind, start, end, name: implemented(source.slice(start, Math.min(end, start + 400))), nameAt: start };
  const declarator = captures.find(({ name }) => name === 'declarator');
  if (declarator) {
    const found = declared(declarator.node);
    if (!found) return null;
    const { startIndex, endIndex } = found.name;
    const called = found.callable ? (CALLABLE[kind as SymbolKind] ?? kind) : kind;
    return { kind: called, start, end, name: source.slice(startIndex, endIndex), nameAt: startIndex };
  }
  const named = captures.find(({ name }) => name === 'name');
  if (!named) return null;
  return { kind, start, end, name: source.slice(named.node.startIndex, named.node.endIndex), nameAt: named.node.startIndex };
}

/** The type that a Rust `impl` is for. */
const implemented = (text: string): string =>
  /^(?:unsafe\s+)?impl\b(?:\s*<[^{]*?>)?\s+(?:[\w:<>,'&\s]+?\s+for\s+)?&?(?:'\w+\s+)?([\w:]+)/.exec(text)?.[1]?.split('::').at(-1) ?? '';

/** Without quotes, and without what PHP and Ruby put in front of a name. */
function plainName(name: string, language: Grammar): string {
  const bare = name.replace(/^(["'`])(.*)\1$/s, '$2');
  return language === 'php' ? bare.replace(/^\$/, '') : language === 'ruby' ? bare.replace(/^:/, '') : bare;
}

const CALLABLE_KINDS = new Set<Range['kind']>(['function', 'method']);
const VALUE_KINDS = new Set<Range['kind']>(['variable', 'constant', 'field', 'prototype']);
const HOLDERS = new Set<Range['kind']>(['class', 'interface', 'struct', 'trait', 'enum', 'module', 'namespace', 'container']);
const SPACES = new Set<Range['kind']>(['module', 'namespace']);
/** Languages in which a field's own type may hold fields that are used without its name. */
const NESTED_FIELDS = new Set<Grammar>(['c', 'cpp', 'go', 'rust', 'ruby']);

/** Whether a value is somebody else's to use: locals and parts of inline types are not. */
function isVisible(kind: Range['kind'], enclosing: readonly Range[], language: Grammar): boolean {
  if (!VALUE_KINDS.has(kind)) return true;
  // In `a = b = 1` the second stands in the first and is its equal.
  if (kind === 'variable' && enclosing.at(-1)?.kind === 'variable') return isVisible(kind, enclosing.slice(0, -1), language);
  const inner = enclosing.at(-1);
  if (!inner) return true;
  if (inner.kind === 'scope') {
    const space = enclosing.at(-2);
    return space !== undefined && SPACES.has(space.kind) && inner.end === space.end;
  }
  if (CALLABLE_KINDS.has(inner.kind)) return false;
  if (kind !== 'field') return kind === 'constant' || HOLDERS.has(inner.kind);
  if (HOLDERS.has(inner.kind) || inner.kind === 'type' || inner.kind === 'member') return true;
  // A constructor's parameter properties stand in the constructor.
  return NESTED_FIELDS.has(language);
}

/** A parameter property of TypeScript or PHP stands inside the constructor but belongs to the class. */
const isPromoted = (range: Range, source: string): boolean =>
  /^(?:(?:public|private|protected|readonly|override)\s)/.test(source.slice(range.start, range.start + 12));

function kindIn(range: Range, holder: Range | undefined): SymbolKind {
  const kind = range.kind as SymbolKind;
  if (!holder) return kind;
  const inType = HOLDERS.has(holder.kind) && !SPACES.has(holder.kind);
  if (kind === 'function' && inType) return 'method';
  if (kind === 'variable' && inType) return 'field';
  if (kind === 'prototype' && inType) return 'method';
  return kind;
}

/** What a name that says its holder itself stands in: Go's receiver, the qualifiers of C++ and Ruby. */
function ownHolder(range: Range, source: string, language: Grammar): { name: string; holder: string } {
  if ((language === 'cpp' || language === 'ruby') && range.name.includes('::')) {
    const at = range.name.lastIndexOf('::');
    return { name: range.name.slice(at + 2).trim(), holder: range.name.slice(0, at).replaceAll('::', '.') };
  }
  if (language === 'go' && range.kind === 'method')
    return {
      name: range.name,
      holder: /^func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)/.exec(source.slice(range.start, range.start + 200))?.[1] ?? '',
    };
  return { name: range.name, holder: '' };
}

/** A binding of a required module is an import, not a definition. */
function isRequired(range: Range, source: string): boolean {
  if (range.kind !== 'variable') return false;
  return /^[^=]*=\s*(?:await\s+)?(?:require|import)\s*\(/.test(source.slice(range.start, Math.min(range.end, range.start + 2000)));
}

/** Of two readings of one name the one that says more. */
const WEIGHT: Partial<Record<Range['kind'], number>> = { variable: 0, field: 0, type: 1 };
const weight = ({ kind }: Range): number => WEIGHT[kind] ?? 2;

/** One definition for each name's place; scopes stay beside them. */
function distinct(ranges: readonly Range[]): Range[] {
  const best = new Map<number, Range>();
  const scopes: Range[] = [];
  for (const range of ranges) {
    if (range.kind === 'scope' || range.kind === 'container') {
      scopes.push(range);
      continue;
    }
    const other = best.get(range.nameAt);
    if (!other || weight(range) > weight(other)) best.set(range.nameAt, range);
  }
  return [...scopes, ...best.values()].sort(
    (a, b) => a.start - b.start || b.end - a.end || Number(b.kind === 'scope') - Number(a.kind === 'scope'),
  );
}

function definitionsIn(ranges: readonly Range[], source: string, lines: Lines, language: Grammar): Definition[] {
  const open: Range[] = [];
  const found: Definition[] = [];
  for (const range of distinct(ranges)) {
    while (open.length > 0 && (open.at(-1) as Range).end <= range.start) open.pop();
    const enclosing = open.filter((outer) => outer.end >= range.end && outer !== range);
    const promoted = range.kind === 'field' && isPromoted(range, source) && enclosing.some(({ kind }) => HOLDERS.has(kind));
    if (
      range.kind !== 'scope' &&
      range.kind !== 'container' &&
      (promoted || isVisible(range.kind, enclosing, language)) &&
      !isRequired(range, source)
    ) {
      const holders = enclosing.filter(({ kind, name }) => kind !== 'scope' && name !== '');
      const own = ownHolder(range, source, language);
      const holder = enclosing.findLast(({ kind }) => kind !== 'scope');
      const line = lines.of(range.nameAt);
      const start = lines.start(lines.of(range.start));
      const lead = source.slice(start, range.start);
      const from = /^[\w\s@]*$/.test(lead) && lead.length < 60 ? start + (lead.length - lead.trimStart().length) : range.start;
      const name = plainName(own.name, language);
      if (name === '' || name.length > 200) continue;
      found.push({
        name,
        kind: own.holder !== '' && range.kind === 'function' ? 'method' : kindIn(range, holder),
        line: line + 1,
        end: lines.of(Math.max(range.start, range.end - 1)) + 1,
        container: [...holders.map((outer) => plainName(outer.name, language)), own.holder].filter(Boolean).join('.'),
        signature: signatureOf(source.slice(from, from + 1000), language === 'python'),
        doc: docOf(lines.texts, lines.of(range.start), language === 'python'),
      });
    }
    open.push(range);
  }
  return found;
}

export interface Extracted {
  definitions: Definition[];
  imports: Import[];
  broken: boolean;
}

/** @param tree stays the caller's to free */
export function extract(tree: Tree, query: Query, source: string, language: Grammar): Extracted {
  const lines = new Lines(source);
  const ranges: Range[] = [];
  const imports: Import[] = [];
  for (const { captures } of query.matches(tree.rootNode)) {
    const imported = captures.find(({ name }) => name === 'import');
    if (imported) {
      const { startIndex, endIndex } = imported.node;
      const line = lines.of(startIndex) + 1;
      for (const found of importsIn(language, source.slice(startIndex, endIndex))) imports.push({ ...found, line });
      continue;
    }
    const range = rangeOf(captures, source);
    if (range && (range.kind !== 'function' || !C_FAMILY.has(language) || range.name !== '')) ranges.push(range);
  }
  return { definitions: definitionsIn(ranges, source, lines, language), imports, broken: tree.rootNode.hasError };
}
