/** The syntax tree of a shell command, as far as its effects depend on it. */

/** One piece of a word. `quoted` pieces are neither split nor globbed. */
export type Part =
  | { kind: 'text'; text: string; quoted: boolean }
  | { kind: 'variable'; name: string; quoted: boolean; operator: string; argument: Word | null; subscript: Part[] | null }
  | { kind: 'substitution'; body: Node; quoted: boolean }
  | { kind: 'process'; direction: '<' | '>'; body: Node }
  /** An expression, read as if it stood in double quotes. */
  | { kind: 'arithmetic'; parts: Part[]; quoted: boolean };

export interface Word {
  parts: Part[];
  start: number;
  end: number;
}

export interface Assignment {
  name: string;
  append: boolean;
  /** What stands in the brackets of `name[…]=` and of its items. */
  subscript: Part[];
  /** A list for `name=(…)`. */
  value: Word | Word[];
  /** The text in the brackets of each item of the list. */
  keys?: string[];
}

export interface Redirect {
  operator: string;
  fd: string | null;
  target: Word;
  /** The body of a here-document, filled in when its line ends. */
  body: Word | null;
}

export type ListOperator = ';' | '&' | '&&' | '||';

export type Node =
  | { kind: 'simple'; assignments: Assignment[]; words: Word[]; redirects: Redirect[]; start: number; end: number }
  | { kind: 'list'; items: { node: Node; operator: ListOperator }[] }
  | { kind: 'pipeline'; commands: Node[] }
  /** `! …`. */
  | { kind: 'not'; body: Node }
  | { kind: 'group'; body: Node; subshell: boolean; redirects: Redirect[] }
  | { kind: 'if'; branches: { condition: Node; body: Node }[]; otherwise: Node | null; redirects: Redirect[] }
  | { kind: 'while'; condition: Node; body: Node; redirects: Redirect[] }
  | { kind: 'for'; name: string; words: Word[] | null; body: Node; redirects: Redirect[] }
  | { kind: 'case'; subject: Word; arms: { patterns: Word[]; body: Node }[]; redirects: Redirect[] }
  | { kind: 'function'; name: string; body: Node }
  /** `((…))` and `[[ … ]]`: only what is expanded in them acts. */
  | { kind: 'expression'; words: Word[]; redirects: Redirect[] };

/** Thrown where bash would report a syntax error, or where nesting or length are beyond any honest command. */
export class ShellSyntaxError extends Error {
  readonly offset: number;
  readonly tooDeep: boolean;
  readonly tooLong: boolean;
  constructor(message: string, offset: number, beyond: 'deep' | 'long' | null = null) {
    super(message);
    this.tooDeep = beyond === 'deep';
    this.tooLong = beyond === 'long';
    this.name = 'ShellSyntaxError';
    this.offset = offset;
  }
}
