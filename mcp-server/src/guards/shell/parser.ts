import { parseArray, parseAssignment, skipLines } from './assignments.ts';
import { parseRedirect, parseRedirects } from './redirects.ts';
import { prefixAt, reservedAt } from './reserved.ts';
import { Source } from './source.ts';
import { type Assignment, type ListOperator, type Node, type Part, type Redirect, ShellSyntaxError, type Word } from './syntax.ts';
import { type CommandGrammar, WordGrammar } from './words.ts';

const CLOSERS = new Set(['then', 'else', 'elif', 'fi', 'do', 'done', 'esac', '}']);

export interface ParsedShell {
  node: Extract<Node, { kind: 'list' }>;
  /** The command after which parsing stopped is incomplete or wrong; `node` holds what came before. */
  error: ShellSyntaxError | null;
}

/** Parses a command text by bash's grammar: recursive descent, one pass, no backtracking over commands. */
export function parseShell(text: string, depth = 0): ParsedShell {
  const parser = new Parser();
  const items: { node: Node; operator: ListOperator }[] = [];
  const source = new Source(text, depth);
  try {
    parser.into(items, source, '');
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return { node: { kind: 'list', items }, error };
  }
  return { node: { kind: 'list', items }, error: null };
}

/** A text in which only `$` and backquotes act, as between double quotes; null when it is not complete. */
export function parseQuoted(text: string): Word | null {
  try {
    return new WordGrammar(new Parser()).bodyOf(text, new Source(text));
  } catch (error) {
    if (error instanceof ShellSyntaxError) return null;
    throw error;
  }
}

class Parser implements CommandGrammar {
  private readonly words = new WordGrammar(this);

  parseText(text: string, depth: number): Node {
    const source = new Source(text, depth);
    source.boundDepth();
    return this.commands(source, '');
  }

  commands(source: Source, close: string): Node {
    const items: { node: Node; operator: ListOperator }[] = [];
    this.into(items, source, close);
    return { kind: 'list', items };
  }

  /** Parses a list into `items`, so that a caller keeps the complete commands when a later one is wrong. */
  into(items: { node: Node; operator: ListOperator }[], source: Source, close: string): void {
    for (;;) {
      this.skipLines(source);
      if (this.closes(source, close)) return;
      const node = this.pipeline(source);
      items.push({ node, operator: ';' });
      const item = items.at(-1);
      source.skipBlanks();
      const operator = this.listOperator(source);
      if (item !== undefined && operator !== null) item.operator = operator;
      if (operator === '&&' || operator === '||') {
        this.skipLines(source);
        if (source.atEnd || source.peek() === ')') source.fail('a command is missing');
      } else if (operator === null && source.peek() !== '\n') {
        if (this.closes(source, close)) return;
        source.fail('unexpected text');
      }
    }
  }

  private closes(source: Source, close: string): boolean {
    if (close === ')') {
      if (source.atEnd) source.fail('unclosed parenthesis');
      if (source.peek() !== ')') return false;
      source.position++;
      return true;
    }
    if (source.atEnd) {
      if (close !== '') source.fail(`${close} is missing`);
      return true;
    }
    if (source.startsWith(';;') || source.startsWith(';&')) return close === 'arm' || source.fail('unexpected ;;');
    const word = reservedAt(source);
    if (word === '' || !CLOSERS.has(word)) return false;
    if (close === '' || close === ')') source.fail(`unexpected ${word}`);
    return true;
  }

  private skipLines(source: Source): void {
    skipLines(source, this.words);
  }

  private listOperator(source: Source): ListOperator | null {
    for (const operator of ['&&', '||'] as const) {
      if (!source.startsWith(operator)) continue;
      source.position += 2;
      return operator;
    }
    const char = source.peek();
    if (char !== ';' && char !== '&') return null;
    if (source.startsWith(';;') || source.startsWith(';&')) return null;
    source.position++;
    return char;
  }

  private expect(source: Source, word: string): void {
    this.skipLines(source);
    if (reservedAt(source) !== word) source.fail(`${word} is missing`);
    source.position += word.length;
  }

  private pipeline(source: Source): Node {
    let negated = false;
    for (let prefix = prefixAt(source); prefix > 0; prefix = prefixAt(source)) {
      if (source.peek() === '!') negated = !negated;
      source.position += prefix;
      source.skipBlanks();
    }
    const commands: Node[] = [this.command(source)];
    for (;;) {
      source.skipBlanks();
      if (source.peek() !== '|' || source.peek(1) === '|') break;
      source.position += source.peek(1) === '&' ? 2 : 1;
      this.skipLines(source);
      commands.push(this.command(source));
    }
    const [first] = commands;
    const body: Node = commands.length === 1 && first !== undefined ? first : { kind: 'pipeline', commands };
    return negated ? { kind: 'not', body } : body;
  }

  private command(source: Source): Node {
    return source.nested(() => {
      if (source.startsWith('((')) {
        const expression = this.arithmeticCommand(source);
        if (expression !== null) return expression;
      }
      if (source.peek() === '(') {
        source.position++;
        const body = this.commands(source, ')');
        return { kind: 'group', body, subshell: true, redirects: parseRedirects(source, this.words) };
      }
      return this.compound(source, reservedAt(source)) ?? this.simple(source);
    });
  }

  private compound(source: Source, word: string): Node | null {
    if (CLOSERS.has(word)) source.fail(`unexpected ${word}`);
    switch (word) {
      case '{': {
        source.position++;
        const body = this.commands(source, '}');
        this.expect(source, '}');
        return { kind: 'group', body, subshell: false, redirects: parseRedirects(source, this.words) };
      }
      case 'if':
        return this.ifCommand(source);
      case 'while':
      case 'until': {
        source.position += 5;
        const condition = this.commands(source, 'do');
        return { kind: 'while', condition, body: this.doGroup(source), redirects: parseRedirects(source, this.words) };
      }
      case 'for':
      case 'select':
        return this.forCommand(source, word);
      case 'case':
        return this.caseCommand(source);
      case 'function':
        return this.functionKeyword(source);
      case 'coproc':
        source.position += 6;
        return this.coprocess(source);
      case '[[':
        return this.test(source);
      default:
        return null;
    }
  }

  private doGroup(source: Source): Node {
    this.expect(source, 'do');
    const body = this.commands(source, 'done');
    this.expect(source, 'done');
    return body;
  }

  private ifCommand(source: Source): Node {
    const branches: { condition: Node; body: Node }[] = [];
    let otherwise: Node | null = null;
    source.position += 2;
    for (;;) {
      const condition = this.commands(source, 'then');
      this.expect(source, 'then');
      branches.push({ condition, body: this.commands(source, 'fi') });
      this.skipLines(source);
      const word = reservedAt(source);
      if (word === 'elif') {
        source.position += 4;
        continue;
      }
      if (word === 'else') {
        source.position += 4;
        otherwise = this.commands(source, 'fi');
      }
      this.expect(source, 'fi');
      return { kind: 'if', branches, otherwise, redirects: parseRedirects(source, this.words) };
    }
  }

  private forCommand(source: Source, keyword: string): Node {
    source.position += keyword.length;
    source.skipBlanks();
    if (source.startsWith('((')) {
      const expression = this.arithmeticCommand(source) ?? source.fail('bad for');
      source.skipBlanks();
      if (source.peek() === ';') source.position++;
      this.skipLines(source);
      const body = reservedAt(source) === '{' ? this.command(source) : this.doGroup(source);
      return { kind: 'while', condition: expression, body, redirects: parseRedirects(source, this.words) };
    }
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(source.text.slice(source.position, source.position + 100))?.[0];
    if (name === undefined) source.fail('for needs a name');
    source.position += name.length;
    this.skipLines(source);
    let words: Word[] | null = null;
    if (reservedAt(source) === 'in') {
      source.position += 2;
      words = [];
      for (source.skipBlanks(); ; source.skipBlanks()) {
        const word = this.words.word(source);
        if (word === null) break;
        words.push(word);
      }
    }
    if (source.peek() === ';') source.position++;
    this.skipLines(source);
    const body = reservedAt(source) === '{' ? this.command(source) : this.doGroup(source);
    return { kind: 'for', name, words, body, redirects: parseRedirects(source, this.words) };
  }

  private caseCommand(source: Source): Node {
    source.position += 4;
    source.skipBlanks();
    const subject = this.words.word(source) ?? source.fail('case needs a word');
    this.expect(source, 'in');
    const arms: { patterns: Word[]; body: Node }[] = [];
    for (;;) {
      this.skipLines(source);
      if (reservedAt(source) === 'esac') break;
      if (source.peek() === '(') source.position++;
      const patterns: Word[] = [];
      for (source.skipBlanks(); source.peek() !== ')'; source.skipBlanks()) {
        if (source.peek() === '|') source.position++;
        else patterns.push(this.words.word(source) ?? source.fail('bad case pattern'));
      }
      source.position++;
      arms.push({ patterns, body: this.commands(source, 'arm') });
      if (source.startsWith(';;&')) source.position += 3;
      else if (source.startsWith(';;') || source.startsWith(';&')) source.position += 2;
      else if (reservedAt(source) !== 'esac') source.fail('esac is missing');
    }
    source.position += 4;
    return { kind: 'case', subject, arms, redirects: parseRedirects(source, this.words) };
  }

  private functionKeyword(source: Source): Node {
    source.position += 8;
    source.skipBlanks();
    const name =
      /^[^\s(){};&|<>]+/.exec(source.text.slice(source.position, source.position + 200))?.[0] ?? source.fail('function needs a name');
    source.position += name.length;
    source.skipBlanks();
    if (source.startsWith('()')) source.position += 2;
    return this.functionBody(source, name);
  }

  private functionBody(source: Source, name: string): Node {
    this.skipLines(source);
    return { kind: 'function', name, body: this.command(source) };
  }

  private coprocess(source: Source): Node {
    source.skipBlanks();
    const named = /^[A-Z_][A-Z0-9_]*\s+(?=[{(])/.exec(source.text.slice(source.position, source.position + 100));
    if (named !== null) source.position += named[0].length;
    const body = this.command(source);
    return { kind: 'group', body, subshell: true, redirects: [] };
  }

  private arithmeticCommand(source: Source): Node | null {
    const start = source.position;
    source.position += 2;
    const parts = this.words.arithmeticBody(source, '))');
    if (parts === null) {
      source.position = start;
      return null;
    }
    const word: Word = { parts: [{ kind: 'arithmetic', parts, quoted: true }], start, end: source.position };
    return { kind: 'expression', words: [word], redirects: parseRedirects(source, this.words) };
  }

  /** `[[ … ]]`: only the substitutions in it have effects. */
  private test(source: Source): Node {
    source.position += 2;
    const words: Word[] = [];
    for (;;) {
      this.skipLines(source);
      if (source.atEnd) source.fail(']] is missing');
      if (/^\]\](?=[\s;&|()<>]|$)/.test(source.text.slice(source.position, source.position + 3))) break;
      const word = this.words.word(source);
      if (word === null) source.position++;
      else words.push(word);
    }
    source.position += 2;
    return { kind: 'expression', words, redirects: parseRedirects(source, this.words) };
  }

  private simple(source: Source): Node {
    const node = {
      kind: 'simple' as const,
      assignments: [] as Assignment[],
      words: [] as Word[],
      redirects: [] as Redirect[],
      start: source.position,
      end: 0,
    };
    for (;;) {
      source.skipBlanks();
      const redirect = parseRedirect(source, this.words);
      if (redirect !== null) {
        node.redirects.push(redirect);
        continue;
      }
      if (node.words.length === 0) {
        const assignment = parseAssignment(source, this.words);
        if (assignment !== null) {
          node.assignments.push(assignment);
          continue;
        }
      }
      const word = this.words.word(source);
      if (word === null) {
        if (source.peek() !== '(') break;
        if (this.arrayWord(source, node)) continue;
        return this.functionHead(source, node.words);
      }
      node.words.push(word);
    }
    node.end = source.position;
    if (node.words.length === 0 && node.assignments.length === 0 && node.redirects.length === 0) source.fail('a command is missing');
    return node;
  }

  /** `name() body`. */
  private functionHead(source: Source, words: Word[]): Node {
    const last = words.at(-1);
    const text = last === undefined ? '' : source.text.slice(last.start, last.end);
    if (words.length !== 1 || !/^\(\s*\)/.test(source.text.slice(source.position, source.position + 20)))
      source.fail('unexpected parenthesis');
    source.position = source.text.indexOf(')', source.position) + 1;
    return this.functionBody(source, text);
  }

  /** `declare a=(…)`: the array after a word that ends in `=`. */
  private arrayWord(source: Source, node: { words: Word[]; assignments: Assignment[] }): boolean {
    const last = node.words.at(-1);
    if (last === undefined || node.words.length < 2) return false;
    const match = /^([A-Za-z_]\w*)(\+?)=$/.exec(source.text.slice(last.start, last.end));
    if (match === null) return false;
    node.words.pop();
    const subscript: Part[] = [];
    node.assignments.push({ name: match[1] ?? '', append: match[2] === '+', subscript, ...parseArray(source, this.words, subscript) });
    return true;
  }
}
