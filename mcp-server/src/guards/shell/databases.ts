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

/** How a statement, or a line of one, begins that changes the database. */
const CHANGES =
  /^(?:insert|update|delete|create|drop|alter|replace|vacuum|reindex|analyze|begin)\b|^pragma\s+(?:\w+\.)?(?:(?:user_version|application_id|schema_version|journal_mode|auto_vacuum|page_size|encoding)\s*[=(]|(?:wal_checkpoint|incremental_vacuum|optimize)\b)|^\.(?:restore|import|read)\b/i;
const BEHIND_WITH = /\b(?:insert\s+into|replace\s+into|update|delete\s+from)\b/i;

/** What a statement, or a dot command, writes beside the database. */
const COPIED = /\bto\s+'([^']+)'/gi;
const ATTACHED = /\b(?:export\s+database|vacuum\s+into|attach(?:\s+database)?)\s+'([^']+)'/gi;
const WRITTEN = /\bwritefile\s*\(\s*'([^']+)'/gi;
const DOTTED = /^\.(?:output|once|log|save|backup|clone)\s+(?:main\s+)?['"]?([^\s'"|]+)/;

/** Statements by themselves, each with its lines: an expression over the whole text would go over its rest for each word that begins something. */
function statementsOf(text: string): { whole: string; lines: string[] }[] {
  return text.split(';').map((whole) => ({ whole, lines: whole.split('\n').map((line) => line.trim()) }));
}

type Statement = ReturnType<typeof statementsOf>[number];

function changesSomething({ whole, lines }: Statement): boolean {
  if (lines.some((line) => CHANGES.test(line))) return true;
  return lines.some((line) => /^with\b/i.test(line)) && BEHIND_WITH.test(whole);
}

/** Whether statements change the database they are for. */
export function changesDatabase(text: string): boolean {
  return statementsOf(text).some(changesSomething);
}

function filesOf({ whole, lines }: Statement): string[] {
  const copy = whole.search(/\bcopy\b/i);
  return [
    ...(copy < 0 ? [] : [...whole.slice(copy).matchAll(COPIED)]),
    ...whole.matchAll(ATTACHED),
    ...whole.matchAll(WRITTEN),
    ...lines.map((line) => DOTTED.exec(line) ?? []),
  ].flatMap(([, file]) => file ?? []);
}

/** What a dot command hands to the system's shell. */
const COMMANDS = /^\.(?:(?:shell|system)\s+|(?:output|once)\s+['"]?\|)(.+)$/;
const ARCHIVED = /^\.ar(?:chive)?\s+(.+)$/;
const ARCHIVE = spec('-f --file -C --directory');

/** What `.archive` and `-A` write: an archive, the database itself, or what is taken out of it. */
function archived([first = '', ...rest]: readonly string[], database: string): string | null {
  const { options } = parseOptions([/^[a-z]/.test(first) ? `-${first}` : first, ...rest], ARCHIVE);
  const has = (...names: string[]): boolean => names.some((name) => options.has(name));
  const value = (...names: string[]): string | undefined => names.flatMap((name) => options.get(name) ?? [])[0];
  if (has('-n', '--dryrun')) return null;
  if (has('-x', '--extract')) return value('-C', '--directory') ?? '.';
  return has('-c', '--create', '-u', '--update', '-i', '--insert', '-r', '--remove') ? (value('-f', '--file') ?? database) : null;
}

function database(call: Call): null {
  const { options, operands } = parseOptions(call.args, OPTIONS);
  const { evaluator, scope, name } = call;
  const [file = ':memory:', ...statements] = operands;
  if (['-help', '--help', '-version', '--version'].some((option) => options.has(option))) return null;
  const typed = [...statements, ...['-c', '-s', '-cmd', '--cmd'].flatMap((option) => options.get(option) ?? [])];
  // Input is read only where no statement stands on the command line.
  const reads = statements.length === 0 && !['-c', '-s', '-f'].some((option) => options.has(option));
  const texts = [...typed, ...(reads && call.stdin !== null ? [call.stdin] : [])].map(plain);
  const read = texts.flatMap(statementsOf);
  for (const path of read.flatMap(filesOf)) if (!/^(stdout|stderr|off|on)$/.test(path)) evaluator.judge.target(path, name, scope);
  const lines = read.flatMap((statement) => statement.lines);
  for (const code of lines.flatMap((line) => COMMANDS.exec(line)?.[1] ?? [])) evaluator.text(code, scope.fork(), null);
  const at = call.args.indexOf('-A');
  const archives = [...lines.map((line) => (ARCHIVED.exec(line)?.[1] ?? '').split(/\s+/)), ...(at < 0 ? [] : [call.args.slice(at + 1)])];
  for (const words of archives) {
    const path = archived(words, file);
    if (path !== null && !/^:memory:$|^$/.test(path)) evaluator.judge.target(path, name, scope);
  }
  const readOnly = options.has('-readonly') || options.has('--readonly');
  const script = ['-init', '--init', '-f'].some((option) => options.has(option));
  const changes = script || texts.some((text) => text.includes(UNKNOWN)) || read.some(changesSomething);
  if (changes && !readOnly && !/^:memory:$|^$/.test(file)) evaluator.judge.target(file, name, scope);
  return null;
}
