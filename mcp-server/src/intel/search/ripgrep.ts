/** ripgrep, where it is on PATH: for expressions without a plain word, which it reads faster than anything of ours could. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LARGEST } from '../files/content.ts';
import type { FileMatches } from './scan.ts';

let known: string | null | undefined;

/** The program's path, looked for once. */
export function ripgrep(): string | null {
  if (known !== undefined) return known;
  const names = process.platform === 'win32' ? ['rg.exe'] : ['rg'];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  known = folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find((file) => fs.existsSync(file)) ?? null;
  return known;
}

export interface RipgrepRequest {
  root: string;
  pattern: string;
  caseSensitive: boolean;
  below: string;
  deadline: number;
}

const MOST_OUTPUT = 16 * 1024 * 1024;
const PER_FILE = 40;
const LONGEST = 240;

/**
 * Runs it over a folder of the work tree.
 * @returns null where it refuses (an expression that it has no word for), so that ours has its turn; 'late' at the deadline
 */
export function runRipgrep(
  program: string,
  { root, pattern, caseSensitive, below, deadline }: RipgrepRequest,
): Promise<FileMatches[] | null | 'late'> {
  const args = ['--no-config', '--color=never', '--no-heading', '--with-filename', '--line-number', '--null', '--hidden', '--crlf'];
  args.push('--glob=!.git', '--glob=!.readygate', `--max-filesize=${LARGEST}`, '--max-columns=4000', '--max-columns-preview');
  args.push(caseSensitive ? '--case-sensitive' : '--ignore-case', '-e', pattern, '--', below === '' ? './' : `./${below}`);
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let size = 0;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, deadline);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_OUTPUT) chunks.push(chunk);
    });
    child.once('error', () => {
      clearTimeout(timer);
      resolve(null);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (late) resolve('late');
      else resolve(code === 0 || code === 1 || chunks.length > 0 ? parse(Buffer.concat(chunks).toString('utf8')) : null);
    });
  });
}

function parse(output: string): FileMatches[] {
  const files = new Map<string, FileMatches>();
  for (const row of output.split('\n')) {
    const zero = row.indexOf('\0');
    if (zero < 0) continue;
    const file = row.slice(0, zero).replace(/^\.\//, '');
    const found = /^(\d+):(.*)$/s.exec(row.slice(zero + 1));
    if (!found) continue;
    const matches = files.get(file) ?? { path: file, count: 0, lines: [] };
    files.set(file, matches);
    matches.count++;
    const text = (found[2] as string).replace(/\r$/, '');
    if (matches.lines.length < PER_FILE)
      matches.lines.push({ line: Number(found[1]), text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, needle: 0 });
  }
  return [...files.values()];
}
