/** A program of this name that writes down what it was called with, and answers what the test says. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { emptyFolder } from '../git/sandbox.ts';

export interface Call {
  args: string[];
  input: string;
}

export class Recorder {
  readonly folder = emptyFolder('programs');

  /** `answer` is shell: it may read `$FOLDER/<name>.json`. */
  add(name: string, answer = ':'): void {
    const program = join(this.folder, name);
    const text = [
      '#!/bin/sh',
      `FOLDER='${this.folder}'`,
      // One call a block: arguments end in NUL, the input follows, 0x1e ends it.
      `{ for arg in "$@"; do printf '%s\\000' "$arg"; done; printf '\\035'; cat; printf '\\036'; } >> "$FOLDER/${name}.calls"`,
      answer,
    ];
    writeFileSync(program, `${text.join('\n')}\n`);
    chmodSync(program, 0o755);
  }

  write(name: string, value: unknown): void {
    writeFileSync(join(this.folder, name), JSON.stringify(value));
  }

  calls(name: string): Call[] {
    const file = join(this.folder, `${name}.calls`);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\x1e')
      .slice(0, -1)
      .map((block) => {
        const [args = '', input = ''] = block.split('\x1d');
        return { args: args.split('\0').slice(0, -1), input };
      });
  }

  /** The environment in which these programs come first. */
  get env(): Record<string, string> {
    return { PATH: `${this.folder}${delimiter}${process.env.PATH}` };
  }
}
