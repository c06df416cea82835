import effects from '../../../../state/shell-effects.json' with { type: 'json' };
import type { WriteKind } from './verdict.ts';

/** How the target of a rule is found among the operands. */
export type TargetMode = 'all' | 'last' | 'first' | 'second' | 'cwd' | 'paths' | 'base' | 'repo' | 'clone' | 'none';
/** `short` bundles letters, `long` reads `-word` as one option, `mixed` knows `-word` only if it is declared. */
export type OptionStyle = 'short' | 'long' | 'mixed';

/** Which options a command has, as far as its effect depends on them. */
export interface OptionSpec {
  style: OptionStyle;
  /** Options with a value, separate or attached. */
  values: ReadonlySet<string>;
  /** Options whose value is always attached (`-n5`). */
  attach: ReadonlySet<string>;
  /** All options that are declared, for abbreviations. */
  known: ReadonlySet<string>;
  /** The first operand may be a bundle without its dash (`tar xf`). */
  bundle: boolean;
  /** `-x` is a file mode, not an option. */
  modes: boolean;
  /** Options after `--` count as well (`cargo fmt -- --check`). */
  afterDashes: boolean;
}

/** One way in which a command writes. All conditions must hold. */
export interface Rule {
  name: string;
  sub: ReadonlySet<string>;
  /** Second word; `-` stands for none. */
  sub2: ReadonlySet<string>;
  options: OptionSpec;
  when: ReadonlySet<string>;
  unless: ReadonlySet<string>;
  /** Options that name a written file. */
  files: ReadonlySet<string>;
  /** Options that name the folder written to, instead of the operands. */
  dir: ReadonlySet<string>;
  targets: TargetMode;
  skip: number;
  min: number;
  max: number;
  kind: WriteKind;
  /** An operand or an option's value must match. */
  match: RegExp | null;
  notMatch: RegExp | null;
  /** The rule does not hold if this is the first operand. */
  notWord: ReadonlySet<string>;
  /** Operands `name=file`. */
  assign: string;
  /** Options `--x_out=folder`. */
  outs: boolean;
  deep: boolean;
  /** Operands `host:path` are elsewhere. */
  remote: boolean;
  dashFree: boolean;
}

/** `after`: the command stands behind one of the options. */
export type WrapperMode = 'args' | 'shell' | 'each' | 'after' | 'none';

/** A command that runs another one. */
export interface Wrapper {
  sub: ReadonlySet<string>;
  options: OptionSpec;
  code: ReadonlySet<string>;
  files: ReadonlySet<string>;
  chdir: ReadonlySet<string>;
  skip: number;
  /** `NAME=value` operands come before the command. */
  assign: boolean;
  /** The command may carry `@version`. */
  versions: boolean;
  /** Its first operand is a file that it makes: a lock, a log. */
  creates: boolean;
  mode: WrapperMode;
}

interface RawEntry {
  cmd: string;
  sub?: string;
  sub2?: string;
  style?: string;
  values?: string;
  attach?: string;
  when?: string;
  unless?: string;
  files?: string;
  dir?: string;
  code?: string;
  chdir?: string;
  targets?: string;
  mode?: string;
  skip?: number;
  min?: number;
  max?: number;
  kind?: string;
  match?: string;
  notMatch?: string;
  notWord?: string;
  assign?: string | boolean;
  outs?: boolean;
  deep?: boolean;
  remote?: boolean;
  dashFree?: boolean;
  bundle?: boolean;
  modes?: boolean;
  afterDashes?: boolean;
  versions?: boolean;
  creates?: boolean;
}

export function words(list: string | undefined): Set<string> {
  return new Set((list ?? '').split(' ').filter((word) => word !== ''));
}

function optionSpec(raw: RawEntry): OptionSpec {
  const values = words([raw.values, raw.files, raw.dir, raw.code, raw.chdir].join(' '));
  const attach = words(raw.attach);
  for (const option of attach) values.delete(option);
  return {
    style: raw.style === 'long' || raw.style === 'mixed' ? raw.style : 'short',
    values,
    attach,
    known: words([...values, ...attach, raw.when, raw.unless].join(' ')),
    bundle: raw.bundle ?? false,
    modes: raw.modes ?? false,
    afterDashes: raw.afterDashes ?? false,
  };
}

function pattern(source: string | undefined): RegExp | null {
  return source === undefined ? null : new RegExp(source);
}

function rule(raw: RawEntry, name: string): Rule {
  return {
    name,
    sub: words(raw.sub),
    sub2: words(raw.sub2),
    options: optionSpec(raw),
    when: words(raw.when),
    unless: words(raw.unless),
    files: words(raw.files),
    dir: words(raw.dir),
    targets: (raw.targets ?? 'none') as TargetMode,
    skip: raw.skip ?? 0,
    min: raw.min ?? 0,
    max: raw.max ?? Number.POSITIVE_INFINITY,
    kind: (raw.kind ?? 'tree') as WriteKind,
    match: pattern(raw.match),
    notMatch: pattern(raw.notMatch),
    notWord: words(raw.notWord),
    assign: typeof raw.assign === 'string' ? raw.assign : '',
    outs: raw.outs ?? false,
    deep: raw.deep ?? false,
    remote: raw.remote ?? false,
    dashFree: raw.dashFree ?? false,
  };
}

function wrapper(raw: RawEntry): Wrapper {
  return {
    sub: words(raw.sub),
    options: optionSpec(raw),
    code: words(raw.code),
    files: words(raw.files),
    chdir: words(raw.chdir),
    skip: raw.skip ?? 0,
    assign: raw.assign === true,
    versions: raw.versions ?? false,
    creates: raw.creates ?? false,
    mode: (raw.mode ?? 'args') as WrapperMode,
  };
}

function byName<T>(entries: readonly RawEntry[], build: (raw: RawEntry, name: string) => T): Map<string, T[]> {
  const table = new Map<string, T[]>();
  for (const raw of entries) {
    for (const name of words(raw.cmd)) table.set(name, [...(table.get(name) ?? []), build(raw, name)]);
  }
  return table;
}

function wordTable(table: Record<string, string>): Map<string, Set<string>> {
  return new Map(Object.entries(table).map(([name, list]) => [name, words(list)]));
}

export interface EffectTable {
  rules: Map<string, Rule[]>;
  wrappers: Map<string, Wrapper[]>;
  globals: Map<string, Set<string>>;
  chdir: Map<string, Set<string>>;
  shells: Set<string>;
  ignored: Set<string>;
  nodeTools: Set<string>;
  codeVariables: Set<string>;
  /** What `cmake -E` names otherwise: `verb` → the command, with its first arguments. */
  cmakeVerbs: Map<string, string[]>;
}

let table: EffectTable | null = null;

/** The rules of state/shell-effects.json, made ready on first use so that a server start does not pay for them. */
export function effectTable(): EffectTable {
  table ??= {
    rules: byName(Object.values(effects.rules).flat() as RawEntry[], rule),
    wrappers: byName(effects.wrappers as RawEntry[], wrapper),
    globals: wordTable(effects.globals),
    chdir: wordTable(effects.chdir),
    shells: words(effects.shells),
    ignored: words(effects.ignored),
    nodeTools: words(effects.nodeTools),
    codeVariables: words(effects.codeVariables),
    cmakeVerbs: new Map([...words(effects.cmakeVerbs)].map((pair) => [pair.split(':')[0] ?? '', (pair.split(':')[1] ?? '').split(',')])),
  };
  return table;
}

/** Options of a command that is read outside the table: those with a value, and those whose value is attached. */
export function spec(values: string, attach = '', style: OptionStyle = 'short'): OptionSpec {
  return optionSpec({ cmd: '', values, attach, style });
}
