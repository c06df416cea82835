import type { Node } from './syntax.ts';

/** A variable: one of several possible values, or an array. */
export interface Variable {
  alternatives: string[];
  items: string[] | null;
}

const MAX_ALTERNATIVES = 12;

/** What one shell process knows at a point of the command: variables, folders, functions. */
export class Scope {
  variables: Map<string, Variable>;
  functions: Map<string, Node>;
  aliases: Map<string, string>;
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

  constructor(folder: string) {
    this.variables = new Map();
    this.functions = new Map();
    this.aliases = new Map();
    this.folders = [folder];
    this.previous = [folder];
    this.stack = [];
    this.positional = null;
    this.mounts = [];
    this.callDepth = 0;
  }

  /** A subshell: what it changes is not seen outside. */
  fork(): Scope {
    const copy = new Scope('');
    copy.variables = new Map(this.variables);
    copy.functions = new Map(this.functions);
    copy.aliases = new Map(this.aliases);
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
    const names = new Set(branches.flatMap((branch) => [...branch.variables.keys()]));
    for (const name of names) {
      const found = branches.map((branch) => branch.variables.get(name)).filter((variable) => variable !== undefined);
      const [first] = found;
      if (first === undefined || found.every((variable) => variable === first)) {
        if (first !== undefined) this.variables.set(name, first);
        continue;
      }
      const alternatives = unique(found.flatMap((variable) => variable.alternatives));
      this.variables.set(name, { alternatives, items: found.find((variable) => variable.items !== null)?.items ?? null });
    }
    this.folders = unique(branches.flatMap((branch) => branch.folders));
    this.previous = unique(branches.flatMap((branch) => branch.previous));
    for (const branch of branches) {
      for (const [name, body] of branch.functions) this.functions.set(name, body);
      for (const [name, text] of branch.aliases) this.aliases.set(name, text);
      if (branch.positional !== null) this.positional = branch.positional;
    }
  }

  get folder(): string {
    return this.choose(this.folders);
  }

  choose(alternatives: readonly string[]): string {
    if (alternatives.length > this.choices) this.choices = alternatives.length;
    return alternatives[this.pick % Math.max(alternatives.length, 1)] ?? '';
  }

  set(name: string, value: string): void {
    this.variables.set(name, { alternatives: [value], items: null });
  }

  setAlternatives(name: string, values: readonly string[]): void {
    this.variables.set(name, { alternatives: unique(values), items: null });
  }

  setItems(name: string, items: string[]): void {
    this.variables.set(name, { alternatives: [items[0] ?? ''], items });
  }

  enter(folders: readonly string[]): void {
    this.previous = this.folders;
    this.folders = unique(folders);
  }
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].slice(0, MAX_ALTERNATIVES);
}
