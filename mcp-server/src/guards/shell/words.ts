import type { Source } from './source.ts';
import type { Node, Part, Word } from './syntax.ts';

/** How the word grammar reaches the command grammar, which in turn is built from words. */
export interface CommandGrammar {
  /** Parses commands up to `close` (consumed), or to the end of the text when `close` is empty. */
  commands(source: Source, close: string): Node;
  /** Parses a separate text, as in backquotes. */
  parseText(text: string, depth: number): Node;
}

const WORD_END = new Set([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '']);
const ANSI_SIMPLE: Record<string, string> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Decodes the backslash escapes of `$'…'`, `echo -e` and printf. */
export function decodeEscapes(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|c.|[\s\S])/g, (_all, code: string) => {
    const head = code[0] ?? '';
    if (head === 'x' && code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if ((head === 'u' || head === 'U') && code.length > 1) {
      const point = Number.parseInt(code.slice(1), 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : '';
    }
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    if (head === 'c' && code.length > 1) return String.fromCharCode(code.charCodeAt(1) & 31);
    return ANSI_SIMPLE[head] ?? (head === '\\' || head === "'" || head === '"' || head === '?' ? head : `\\${code}`);
  });
}

/** Parses words: quoting, expansions and substitutions. */
export class WordGrammar {
  private readonly grammar: CommandGrammar;
  constructor(grammar: CommandGrammar) {
    this.grammar = grammar;
  }

  /** A word, or null when none starts here. */
  word(source: Source): Word | null {
    const start = source.position;
    const parts: Part[] = [];
    while (this.piece(source, parts)) {
      // Each call takes one piece.
    }
    return parts.length === 0 ? null : { parts, start, end: source.position };
  }

  /** A text in which only `$` and backquotes act: a here-document's body. */
  bodyOf(text: string, source: Source): Word {
    return { parts: this.quotedUntil(source, ''), start: 0, end: text.length };
  }

  private piece(source: Source, parts: Part[]): boolean {
    source.countPiece();
    const char = source.peek();
    if ((char === '<' || char === '>') && source.peek(1) === '(') {
      source.position += 2;
      parts.push({ kind: 'process', direction: char, body: source.nested(() => this.grammar.commands(source, ')')) });
      return true;
    }
    if (WORD_END.has(char)) {
      // `a=(`, `@(…)` and the like: the first is an array, the others are extended globs.
      if (char === '(' && this.extendedGlob(source, parts)) return true;
      return false;
    }
    if (char === '\\') return this.escape(source, parts);
    if (char === "'") return this.singleQuoted(source, parts);
    if (char === '"') {
      source.position++;
      const inner = this.quotedUntil(source, '"');
      parts.push(...(inner.length === 0 ? [{ kind: 'text', text: '', quoted: true } as const] : inner));
      return true;
    }
    if (char === '$') return this.dollar(source, parts, false);
    if (char === '`') return this.backquoted(source, parts, false);
    this.plain(source, parts);
    return true;
  }

  private plain(source: Source, parts: Part[]): void {
    const { text } = source;
    let end = source.position + 1;
    while (end < text.length) {
      const char = text[end] ?? '';
      if (WORD_END.has(char) || char === '\\' || char === "'" || char === '"' || char === '$' || char === '`') break;
      end++;
    }
    parts.push({ kind: 'text', text: text.slice(source.position, end), quoted: false });
    source.position = end;
  }

  private extendedGlob(source: Source, parts: Part[]): boolean {
    const last = parts.at(-1);
    if (last?.kind !== 'text' || last.quoted || !/[@?*+!]$/.test(last.text)) return false;
    const end = source.text.indexOf(')', source.position);
    if (end < 0) return false;
    source.position = end + 1;
    parts.push({ kind: 'text', text: '*', quoted: false });
    return true;
  }

  private escape(source: Source, parts: Part[]): boolean {
    const next = source.peek(1);
    source.position += 2;
    if (next === '') {
      source.position = source.text.length;
      parts.push({ kind: 'text', text: '\\', quoted: true });
    } else if (next !== '\n') parts.push({ kind: 'text', text: next, quoted: true });
    else if (WORD_END.has(source.peek())) return false;
    return true;
  }

  private singleQuoted(source: Source, parts: Part[]): boolean {
    const end = source.text.indexOf("'", source.position + 1);
    if (end < 0) source.fail('unclosed single quote');
    parts.push({ kind: 'text', text: source.text.slice(source.position + 1, end), quoted: true });
    source.position = end + 1;
    return true;
  }

  private ansiQuoted(source: Source, parts: Part[]): boolean {
    let end = source.position + 2;
    while (end < source.text.length && source.text[end] !== "'") end += source.text[end] === '\\' ? 2 : 1;
    if (end >= source.text.length) source.fail("unclosed $'");
    parts.push({ kind: 'text', text: decodeEscapes(source.text.slice(source.position + 2, end)), quoted: true });
    source.position = end + 1;
    return true;
  }

  /** Double-quoted text up to `close` (consumed), or to the end of the source when `close` is empty. */
  private quotedUntil(source: Source, close: string): Part[] {
    const parts: Part[] = [];
    const { text } = source;
    let from = source.position;
    let counted = 0;
    const flush = (): void => {
      if (source.position > from) parts.push({ kind: 'text', text: text.slice(from, source.position), quoted: true });
    };
    for (;;) {
      for (; counted < parts.length; counted++) source.countPiece();
      const char = source.peek();
      if (char === '') {
        if (close !== '') source.fail('unclosed double quote');
        flush();
        return parts;
      }
      if (char === close) {
        flush();
        source.position++;
        return parts;
      }
      if (char === '\\' && '$`"\\\n'.includes(source.peek(1)) && source.peek(1) !== '') {
        flush();
        if (source.peek(1) !== '\n') parts.push({ kind: 'text', text: source.peek(1), quoted: true });
        source.position += 2;
        from = source.position;
      } else if (char === '$' || char === '`') {
        flush();
        if (char === '$') this.dollar(source, parts, true);
        else this.backquoted(source, parts, true);
        from = source.position;
      } else source.position++;
    }
  }

  private backquoted(source: Source, parts: Part[], quoted: boolean): boolean {
    let end = source.position + 1;
    while (end < source.text.length && source.text[end] !== '`') end += source.text[end] === '\\' ? 2 : 1;
    if (end >= source.text.length) source.fail('unclosed backquote');
    const inner = source.text.slice(source.position + 1, end).replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1');
    source.position = end + 1;
    parts.push({ kind: 'substitution', body: this.grammar.parseText(inner, source.level + 1), quoted });
    return true;
  }

  private dollar(source: Source, parts: Part[], quoted: boolean): boolean {
    const next = source.peek(1);
    if (next === "'" && !quoted) return this.ansiQuoted(source, parts);
    if (next === '"' && !quoted) {
      source.position++;
      return this.piece(source, parts);
    }
    if (source.startsWith('$((') && this.arithmetic(source, parts, quoted, 3, '))')) return true;
    if (next === '[' && this.arithmetic(source, parts, quoted, 2, ']')) return true;
    if (next === '(') {
      source.position += 2;
      parts.push({ kind: 'substitution', body: source.nested(() => this.grammar.commands(source, ')')), quoted });
      return true;
    }
    if (next === '{') return this.braced(source, parts, quoted);
    const name = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/.exec(source.text.slice(source.position + 1, source.position + 200))?.[0];
    if (name === undefined) parts.push({ kind: 'text', text: '$', quoted: true });
    else parts.push({ kind: 'variable', name, quoted, operator: '', argument: null, subscript: null });
    source.position += 1 + (name?.length ?? 0);
    return true;
  }

  /** `$((…))`, unless it turns out to be a substitution that begins with a subshell; and the older `$[…]`. */
  private arithmetic(source: Source, parts: Part[], quoted: boolean, skip: number, close: '))' | ']'): boolean {
    const start = source.position;
    source.position += skip;
    const inner = this.arithmeticBody(source, close);
    if (inner === null) {
      source.position = start;
      return false;
    }
    parts.push({ kind: 'arithmetic', parts: inner, quoted });
    return true;
  }

  /**
   * An arithmetic expression, read up to and with `close`; null when it is none. Quotes only hide brackets: what they hold is
   * expanded like the rest.
   */
  arithmeticBody(source: Source, close: '))' | ']'): Part[] | null {
    // Without its end ahead it cannot be one; looking first keeps `((((…` from being read again at every level.
    if (source.text.indexOf(close, source.position) < 0) return null;
    const [opener, closer] = close === ']' ? ['[', ']'] : ['(', ')'];
    const parts: Part[] = [];
    let open = 0;
    let quote = '';
    let from = source.position;
    const flush = (): void => {
      if (source.position > from) parts.push({ kind: 'text', text: source.text.slice(from, source.position), quoted: true });
    };
    for (;;) {
      const char = source.peek();
      if (char === '') return null;
      if (char === '$' || char === '`') {
        flush();
        if (char === '$') this.dollar(source, parts, true);
        else this.backquoted(source, parts, true);
        from = source.position;
        continue;
      }
      if (char === '\\') source.position++;
      else if (char === quote) quote = '';
      else if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (quote === '' && char === opener) open++;
      else if (quote === '' && char === closer && open-- === 0) {
        if (!source.startsWith(close)) return null;
        flush();
        source.position += close.length;
        return parts;
      }
      source.position++;
    }
  }

  private braced(source: Source, parts: Part[], quoted: boolean): boolean {
    source.position += 2;
    const indirect = source.peek() === '!' && /[A-Za-z_]/.test(source.peek(1));
    if (indirect) source.position++;
    const length = source.peek() === '#' && source.peek(1) !== '}';
    if (length) source.position++;
    const name = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])/.exec(source.text.slice(source.position, source.position + 200))?.[0];
    if (name === undefined) source.fail('bad substitution');
    source.position += name.length;
    let subscript: Part[] | null = null;
    const start = source.position;
    if (source.peek() === '[') {
      source.position++;
      subscript = this.arithmeticBody(source, ']') ?? source.fail('bad subscript');
    }
    const index = source.text.slice(start, source.position);
    const operator = /^(?::?[-=+?]|##?|%%?|\/\/?|\^\^?|,,?|@|:)?/.exec(source.text.slice(source.position, source.position + 2))?.[0] ?? '';
    source.position += operator.length;
    // An offset is arithmetic: quotes protect nothing there.
    const argument = this.bracedArgument(source, quoted || operator === ':');
    parts.push({
      kind: 'variable',
      name: name + index,
      quoted,
      operator: length ? 'length' : indirect ? 'indirect' : operator,
      argument,
      subscript,
    });
    return true;
  }

  private bracedArgument(source: Source, quoted: boolean): Word {
    const start = source.position;
    const parts: Part[] = [];
    for (;;) {
      const char = source.peek();
      if (char === '') source.fail('unclosed ${');
      if (char === '}') break;
      if (char === '$') this.dollar(source, parts, quoted);
      else if (char === '`') this.backquoted(source, parts, quoted);
      else if (char === '\\') {
        parts.push({ kind: 'text', text: source.peek(1), quoted: true });
        source.position += 2;
      } else if (char === "'" && !quoted) this.singleQuoted(source, parts);
      else if (char === '"') {
        source.position++;
        parts.push(...this.quotedUntil(source, '"'));
      } else {
        parts.push({ kind: 'text', text: char, quoted: true });
        source.position++;
      }
    }
    source.position++;
    return { parts, start, end: source.position - 1 };
  }
}
