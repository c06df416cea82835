import { type Redirect, ShellSyntaxError, type Word } from './syntax.ts';

/** Two levels for each `$(…)`. */
const MAX_DEPTH = 300;
/** Words, and pieces of words, that are read of one text: what counts is the work, not the characters. */
const MAX_PIECES = 70_000;

/** The text being parsed: a cursor, the here-documents that wait for the end of their line, and the nesting depth. */
export class Source {
  readonly text: string;
  position = 0;
  private readonly waiting: { redirect: Redirect; delimiter: string; literal: boolean; stripTabs: boolean }[] = [];
  private depth: number;
  private pieces = 0;

  constructor(text: string, depth = 0) {
    this.text = text;
    this.depth = depth;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  get level(): number {
    return this.depth;
  }

  peek(offset = 0): string {
    return this.text[this.position + offset] ?? '';
  }

  /** Matches a sticky pattern here, without consuming. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text);
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.position);
  }

  fail(message: string): never {
    throw new ShellSyntaxError(message, this.position);
  }

  /** Runs `parse` one level deeper; honest commands nest a handful of levels. */
  nested<T>(parse: () => T): T {
    this.depth++;
    this.boundDepth();
    const result = parse();
    this.depth--;
    return result;
  }

  /** Fails where the nesting is deeper than can be followed. */
  boundDepth(): void {
    if (this.depth > MAX_DEPTH) throw new ShellSyntaxError('nested too deeply', this.position, 'deep');
  }

  /** Counts a piece of a word; fails where the text holds more than any honest command. */
  countPiece(): void {
    if (++this.pieces > MAX_PIECES) throw new ShellSyntaxError('too long', this.position, 'long');
  }

  /** Skips blanks, continued lines and a comment, but not the newline. */
  skipBlanks(): void {
    for (;;) {
      const char = this.peek();
      if (char === ' ' || char === '\t') this.position++;
      else if (char === '\\' && this.peek(1) === '\n') this.position += 2;
      else break;
    }
    if (this.peek() !== '#') return;
    const end = this.text.indexOf('\n', this.position);
    this.position = end < 0 ? this.text.length : end;
  }

  expectHereDocument(redirect: Redirect, delimiter: string, literal: boolean, stripTabs: boolean): void {
    this.waiting.push({ redirect, delimiter, literal, stripTabs });
  }

  /** Called on a newline: consumes it and the bodies of all here-documents opened on the line. */
  endLine(parseBody: (text: string, depth: number) => Word): void {
    this.position++;
    for (const document of this.waiting.splice(0)) {
      const body = this.readBody(document.delimiter, document.stripTabs);
      document.redirect.body = document.literal
        ? { parts: [{ kind: 'text', text: body, quoted: true }], start: 0, end: 0 }
        : parseBody(body, this.depth + 1);
    }
  }

  private readBody(delimiter: string, stripTabs: boolean): string {
    const lines: string[] = [];
    while (!this.atEnd) {
      const end = this.text.indexOf('\n', this.position);
      const stop = end < 0 ? this.text.length : end;
      const raw = this.text.slice(this.position, stop);
      const line = stripTabs ? raw.replace(/^\t+/, '') : raw;
      this.position = Math.min(stop + 1, this.text.length);
      if (line === delimiter) return lines.join('');
      lines.push(`${line}\n`);
    }
    return lines.join('');
  }
}
