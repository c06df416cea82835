/** ripgrep, where it is on PATH: for expressions without a plain word, which it reads faster than anything of ours could. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { LARGEST } from '../files/content.ts';
import { expressionOf } from './expression.ts';
import { excerpt, PER_FILE } from './lines.ts';
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
  /** As JavaScript writes it, and as ripgrep does (dialect.ts). */
  source: string;
  pattern: string;
  caseSensitive: boolean;
  below: string;
  deadline: number;
}

export interface RipgrepReply {
  files: FileMatches[];
  /** Files that were searched, relative to the root: it passes over what is ignored, though committed, and what is odd. */
  searched: Set<string>;
}

const MOST_OUTPUT = 16 * 1024 * 1024;

/** What both read differently: bytes that are no UTF-8, zeros, and line ends of their own kind. */
const ODD =
  '(?-u)\\x00|\\r[^\\n]|[\\xc0\\xc1\\xf5-\\xff]|[\\xc2-\\xdf](?:[^\\x80-\\xbf]|$)|[\\xe0-\\xef](?:[^\\x80-\\xbf]|$|[\\x80-\\xbf](?:[^\\x80-\\xbf]|$))|[\\xf0-\\xf4](?:[^\\x80-\\xbf]|$|[\\x80-\\xbf](?:[^\\x80-\\xbf]|$|[\\x80-\\xbf](?:[^\\x80-\\xbf]|$)))|(?:^|[\\x00-\\x7f])[\\x80-\\xbf]';

const COMMON = [
  '--no-config',
  '--color=never',
  '--null',
  '--hidden',
  '--no-ignore-dot',
  '--path-separator=/',
  '--glob=!.git',
  '--glob=!.readygate',
];

/** Runs it. @returns its output; null where it fails, or says more than anybody could look at; 'late' at the deadline */
function run(program: string, args: string[], { root, below, deadline }: RipgrepRequest): Promise<string | null | 'late'> {
  return new Promise((resolve) => {
    const where = below === '' ? './' : `./${below}`;
    const child = spawn(program, [...COMMON, `--max-filesize=${LARGEST}`, ...args, '--', where], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
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
      else child.kill('SIGKILL');
    });
    child.once('error', () => {
      clearTimeout(timer);
      resolve(null);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (late) resolve('late');
      else resolve((code === 0 || code === 1) && size <= MOST_OUTPUT ? Buffer.concat(chunks).toString('utf8') : null);
    });
  });
}

/**
 * Searches a folder of the work tree. Ignored files are passed over, since a folder of packages may be larger than all the rest.
 * @returns null where it cannot, so that ours has its turn; 'late' at the deadline
 */
export async function runRipgrep(program: string, request: RipgrepRequest): Promise<RipgrepReply | null | 'late'> {
  const { pattern, caseSensitive } = request;
  const search = ['--no-heading', '--with-filename', '--line-number', '--crlf', '--max-columns=4000', '--max-columns-preview'];
  const [found, plain] = await Promise.all([
    run(program, [...search, caseSensitive ? '--case-sensitive' : '--ignore-case', '-e', pattern], request),
    run(program, ['--files-without-match', '--text', '-e', ODD], request),
  ]);
  if (found === 'late' || plain === 'late') return 'late';
  if (found === null || plain === null) return null;
  const searched = new Set(plain.split('\0').map((file) => file.replace(/^\n?\.\//, '')));
  return { files: parse(found, expressionOf(request.source, caseSensitive)).filter(({ path }) => searched.has(path)), searched };
}

function parse(output: string, expression: RegExp): FileMatches[] {
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
      matches.lines.push({ line: Number(found[1]), text: excerpt(text, expression.exec(text)?.index ?? 0), needle: 0 });
  }
  return [...files.values()];
}
