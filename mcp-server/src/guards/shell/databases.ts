import type { Call, Handler } from './call.ts';
import { spec } from './effects.ts';
import { parseOptions } from './options.ts';
import { plain, UNKNOWN } from './values.ts';

/** Databases in a file, which their shells change by statements from many places. What the command line holds is also in the table. */
export const DATABASES: [string, Handler][] = [
  ['sqlite3', database],
  ['duckdb', database],
];

const OPTIONS = spec(
  '-cmd -separator -init -newline -nullvalue -vfs -maxsize -mmap -key -c -s -f -storage-version --cmd --separator --init --newline --nullvalue --vfs',
  '',
  'long',
);

/** Statements that change the database, at the start of one or behind a `with`. */
const CHANGES =
  /(?:^|;|\n)\s*(?:insert|update|delete|create|drop|alter|replace|vacuum|reindex|begin)\b|(?:^|;|\n)\s*with\b[^;]*\b(?:insert\s+into|replace\s+into|update|delete\s+from)\b|(?:^|\n)\s*\.(?:restore|import|read)\b/i;

/** Files that a statement or a dot command writes beside the database. */
const FILES = [
  /\bcopy\b[^;]*?\bto\s+'([^']+)'/gi,
  /\b(?:export\s+database|vacuum\s+into|attach(?:\s+database)?)\s+'([^']+)'/gi,
  /(?:^|\n)\s*\.(?:output|once|log|save|backup|clone)\s+(?:main\s+)?['"]?([^\s'"|]+)/g,
];

function database(call: Call): null {
  const { options, operands } = parseOptions(call.args, OPTIONS);
  const { evaluator, scope, name } = call;
  const [file = ':memory:', ...statements] = operands;
  if (['-help', '--help', '-version', '--version'].some((option) => options.has(option))) return null;
  const typed = [...statements, ...['-c', '-s', '-cmd', '--cmd'].flatMap((option) => options.get(option) ?? [])];
  // Input is read only where no statement stands on the command line.
  const reads = statements.length === 0 && !['-c', '-s', '-f'].some((option) => options.has(option));
  const texts = [...typed, ...(reads && call.stdin !== null ? [call.stdin] : [])].map(plain);
  for (const text of texts)
    for (const path of FILES.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')))
      if (!/^(stdout|stderr|off|on)$/.test(path)) evaluator.judge.target(path, name, scope);
  const readOnly = options.has('-readonly') || options.has('--readonly');
  const script = ['-init', '--init', '-f'].some((option) => options.has(option));
  const changes = script || texts.some((text) => text.includes(UNKNOWN) || CHANGES.test(text));
  if (changes && !readOnly && !/^:memory:$|^$/.test(file)) evaluator.judge.target(file, name, scope);
  return null;
}
