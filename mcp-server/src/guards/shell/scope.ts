import type { Node } from './syntax.ts';
import { CUT } from './values.ts';

/** A variable: one of several possible values, or an array. */
export interface Variable {
  alternatives: string[];
  items: string[] | null;
  /** Whether it is `readonly`: what is assigned later may not count. */
  fixed?: boolean;
}

const MAX_ALTERNATIVES = 64;
/** Maps and lists are never changed in place: the empty ones are everybody's. */
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
const NOWHERE: string[] = [];

/** Where a shell is, and where `cd -` and `popd` lead. */
export type Place = Pick<Scope, 'folders' | 'previous' | 'stack'>;

/** What one shell process knows at a point of the command: variables, folders, functions. */
export class Scope {
  variables: ReadonlyMap<string, Variable> = NOTHING;
  /** What a name may stand for; null where it may be undefined. */
  functions: ReadonlyMap<string, readonly (Node | null)[]> = NOTHING;
  aliases: ReadonlyMap<string, readonly (string | null)[]> = NOTHING;
  /** The possible current folders. */
  folders: string[];
  previous: string[];
  stack: string[][];
  positional: string[] | null;
  /** Container path → host path, inside `docker run -v`. */
  mounts: { inside: string; outside: string }[];
  callDepth: number;
  /** In a function: what its local variables were outside. */
  locals: ReadonlyMap<string, Variable | undefined> | null = null;
  /** Which of several possible values an expansion takes; the command is evaluated once for each. */
  pick = 0;
  /** The largest number of possible values met since it was last reset. */
  choices = 1;

  constructor(folders: string[]) {
    this.folders = folders;
    this.previous = folders;
    this.stack = [];
    this.positional = null;
    this.mounts = [];
    this.callDepth = 0;
  }

  /** A subshell: what it changes is not seen outside. */
  fork(): Scope {
    const copy = new Scope(NOWHERE);
    copy.variables = this.variables;
    copy.functions = this.functions;
    copy.aliases = this.aliases;
    copy.folders = this.folders;
    copy.previous = this.previous;
    copy.stack = this.stack;
    copy.positional = this.positional;
    copy.mounts = this.mounts;
    copy.callDepth = this.callDepth;
    copy.locals = this.locals;
    copy.pick = this.pick;
    return copy;
  }

  /** Whether anything is known that may stand for several values. */
  mayVary(): boolean {
    const { folders, previous, variables, functions, aliases } = this;
    return folders.length > 1 || previous.length > 1 || variables.size > 0 || functions.size > 0 || aliases.size > 0;
  }

  /** The same, but in the folders of an earlier moment: a `cd` that fails still leaves behind what its words did. */
  stayedIn({ folders, previous, stack }: Place): Scope {
    const copy = this.fork();
    copy.folders = folders;
    copy.previous = previous;
    copy.stack = stack;
    return copy;
  }

  /** Whether both know the same. */
  sameAs(other: Scope): boolean {
    return (
      this.variables === other.variables &&
      this.folders === other.folders &&
      this.functions === other.functions &&
      this.aliases === other.aliases &&
      this.previous === other.previous &&
      this.stack === other.stack &&
      this.positional === other.positional &&
      this.locals === other.locals
    );
  }

  /** Takes over all that `other` knows. */
  become(other: Scope): void {
    this.variables = other.variables;
    this.functions = other.functions;
    this.aliases = other.aliases;
    this.folders = other.folders;
    this.previous = other.previous;
    this.stack = other.stack;
    this.positional = other.positional;
    this.locals = other.locals;
  }

  /** After branches of which one ran: everything any of them left behind is possible. */
  join(branches: readonly Scope[]): void {
    if (branches.some(({ variables }) => variables !== this.variables)) this.joinVariables(branches);
    if (branches.some(({ folders }) => folders !== this.folders)) this.folders = unique(branches.flatMap(({ folders }) => folders));
    if (branches.some(({ previous }) => previous !== this.previous)) this.previous = unique(branches.flatMap(({ previous }) => previous));
    if (branches.some(({ functions }) => functions !== this.functions)) this.functions = joined(branches.map(({ functions }) => functions));
    if (branches.some(({ aliases }) => aliases !== this.aliases)) this.aliases = joined(branches.map(({ aliases }) => aliases));
    if (branches.some(({ locals }) => locals !== this.locals)) this.locals = new Map(branches.flatMap(({ locals }) => [...(locals ?? [])]));
    for (const { positional } of branches) if (positional !== null) this.positional = positional;
  }

  private joinVariables(branches: readonly Scope[]): void {
    const variables = new Map(this.variables);
    for (const name of new Set(branches.flatMap((branch) => [...branch.variables.keys()]))) {
      const found = branches.map((branch) => branch.variables.get(name)).filter((variable) => variable !== undefined);
      const [first] = found;
      if (first === undefined) continue;
      const alternatives = unique(found.flatMap((variable) => variable.alternatives));
      const items = found.find((variable) => variable.items !== null)?.items ?? null;
      variables.set(name, found.every((variable) => variable === first) ? first : { alternatives, items });
    }
    this.variables = variables;
  }

  /** `local name`: gone when the function ends. */
  localize(name: string): void {
    if (this.locals === null || this.locals.has(name)) return;
    this.locals = new Map(this.locals).set(name, this.variables.get(name));
    this.variables = without(this.variables, name);
  }

  /** Runs a function's body: its local variables end with it. */
  within<T>(body: () => T): T {
    const outer = this.locals;
    this.locals = NOTHING;
    const result = body();
    for (const [name, variable] of this.locals ?? []) {
      this.variables = without(this.variables, name);
      if (variable !== undefined) this.put(name, variable);
    }
    this.locals = outer;
    return result;
  }

  /** `readonly name`. */
  fix(name: string): void {
    const variable = this.variables.get(name);
    if (variable !== undefined) this.variables = new Map(this.variables).set(name, { ...variable, fixed: true });
  }

  private put(name: string, variable: Variable): void {
    const old = this.variables.get(name);
    if (old?.fixed) variable = { ...old, alternatives: unique([...old.alternatives, ...variable.alternatives]) };
    this.variables = new Map(this.variables).set(name, variable);
  }

  define(name: string, body: Node): void {
    this.functions = new Map(this.functions).set(name, [body]);
  }

  alias(name: string, text: string): void {
    this.aliases = new Map(this.aliases).set(name, [text]);
  }

  forget(name: string): void {
    this.functions = without(this.functions, name);
    this.aliases = without(this.aliases, name);
  }

  undefine(name: string): void {
    this.functions = without(this.functions, name);
  }

  get folder(): string {
    return this.choose(this.folders);
  }

  choose(alternatives: readonly string[]): string {
    if (alternatives.length > this.choices) this.choices = alternatives.length;
    return alternatives[this.pick % Math.max(alternatives.length, 1)] ?? '';
  }

  set(name: string, value: string): void {
    this.put(name, { alternatives: [value], items: null });
  }

  setAlternatives(name: string, values: readonly string[]): void {
    this.put(name, { alternatives: unique(values), items: null });
  }

  setItems(name: string, items: string[]): void {
    this.put(name, { alternatives: [items[0] ?? ''], items });
  }

  enter(folders: readonly string[]): void {
    this.previous = this.folders;
    this.folders = unique(folders);
  }
}

function unique(values: readonly string[]): string[] {
  const different = [...new Set(values)];
  return different.length > MAX_ALTERNATIVES ? [...different.slice(0, MAX_ALTERNATIVES), CUT] : different;
}

function joined<T>(maps: readonly ReadonlyMap<string, readonly (T | null)[]>[]): ReadonlyMap<string, readonly (T | null)[]> {
  const names = new Set(maps.flatMap((map) => [...map.keys()]));
  return new Map([...names].map((name) => [name, [...new Set(maps.flatMap((map) => map.get(name) ?? [null]))]]));
}

function without<T>(map: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  if (!map.has(name)) return map;
  const copy = new Map(map);
  copy.delete(name);
  return copy;
}
