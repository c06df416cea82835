import type { Node } from './syntax.ts';
import { CUT } from './values.ts';

/** A variable: one of several possible values, or an array. */
export interface Variable {
  alternatives: string[];
  items: string[] | null;
}

const MAX_ALTERNATIVES = 64;
/** Maps and lists are never changed in place: the empty ones are everybody's. */
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
const NOWHERE: string[] = [];

/** What one shell process knows at a point of the command: variables, folders, functions. */
export class Scope {
  variables: ReadonlyMap<string, Variable> = NOTHING;
  functions: ReadonlyMap<string, Node> = NOTHING;
  aliases: ReadonlyMap<string, string> = NOTHING;
  /** The possible current folders. */
  folders: string[];
  previous: string[];
  stack: string[][];
  positional: string[] | null;
  /** Container path → host path, inside `docker run -v`. */
  mounts: { inside: string; outside: string }[];
  callDepth: number;
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
    copy.pick = this.pick;
    return copy;
  }

  /** After branches of which one ran: everything any of them left behind is possible. */
  join(branches: readonly Scope[]): void {
    if (branches.every((branch) => branch.variables === this.variables)) {
      this.joinFolders(branches);
      return;
    }
    const names = new Set(branches.flatMap((branch) => [...branch.variables.keys()]));
    for (const name of names) {
      const found = branches.map((branch) => branch.variables.get(name)).filter((variable) => variable !== undefined);
      const [first] = found;
      if (first === undefined || found.every((variable) => variable === first)) {
        if (first !== undefined) this.put(name, first);
        continue;
      }
      const alternatives = unique(found.flatMap((variable) => variable.alternatives));
      this.put(name, { alternatives, items: found.find((variable) => variable.items !== null)?.items ?? null });
    }
    this.joinFolders(branches);
  }

  private joinFolders(branches: readonly Scope[]): void {
    if (branches.some(({ folders }) => folders !== this.folders)) this.folders = unique(branches.flatMap(({ folders }) => folders));
    if (branches.some(({ previous }) => previous !== this.previous)) this.previous = unique(branches.flatMap(({ previous }) => previous));
    for (const branch of branches) {
      for (const [name, body] of branch.functions) if (this.functions.get(name) !== body) this.define(name, body);
      for (const [name, text] of branch.aliases) if (this.aliases.get(name) !== text) this.alias(name, text);
      if (branch.positional !== null) this.positional = branch.positional;
    }
  }

  private put(name: string, variable: Variable): void {
    this.variables = new Map(this.variables).set(name, variable);
  }

  define(name: string, body: Node): void {
    this.functions = new Map(this.functions).set(name, body);
  }

  alias(name: string, text: string): void {
    this.aliases = new Map(this.aliases).set(name, text);
  }

  forget(name: string): void {
    this.functions = without(this.functions, name);
    this.aliases = without(this.aliases, name);
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

function without<T>(map: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  if (!map.has(name)) return map;
  const copy = new Map(map);
  copy.delete(name);
  return copy;
}
