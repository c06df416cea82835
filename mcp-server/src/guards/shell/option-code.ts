import type { Call, Handler } from './call.ts';
import { effectTable, spec } from './effects.ts';
import { parseOptions } from './options.ts';
import { absolute, normalize } from './targets.ts';
import { plain, UNKNOWN_NAME } from './values.ts';

/** Programs whose options or input hold commands that they run. Each leaves its own effect to the table. */
export const OPTION_CODE: [string, Handler][] = [
  ...['tar', 'gtar', 'bsdtar'].map((name): [string, Handler] => [name, tar]),
  ['rsync', (call) => runValues(call, /^(-e|--rsh|--rsync-path)$/)],
  ['man', (call) => runValues(call, /^(-P|--pager)$/)],
  ['sort', (call) => runValues(call, /^--compress-program$/)],
  ...['vim', 'vi', 'nvim', 'view', 'ex'].map((name): [string, Handler] => [name, editor]),
  ...['less', 'more'].map((name): [string, Handler] => [name, pager]),
  ...['make', 'gmake'].map((name): [string, Handler] => [name, make]),
  ['cmake', cmake],
  ...['mktemp', 'gmktemp'].map((name): [string, Handler] => [name, temporary]),
  ...['at', 'batch'].map((name): [string, Handler] => [name, later]),
];

/** The values of the options that `option` fits: `-x value`, `--long=value`, and `-xvalue`. */
function valuesOf(args: readonly string[], option: RegExp): string[] {
  const values: string[] = [];
  args.forEach((arg, at) => {
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    if (equals > 0 && option.test(arg.slice(0, equals))) values.push(arg.slice(equals + 1));
    else if (option.test(arg)) values.push(args[at + 1] ?? '');
    else if (/^-[^-]./.test(arg) && option.test(arg.slice(0, 2))) values.push(arg.slice(2));
  });
  return values;
}

function run(call: Call, code: string): void {
  call.evaluator.text(plain(code), call.scope.fork(), null);
}

function runValues(call: Call, option: RegExp): null {
  for (const value of valuesOf(call.args, option)) run(call, value);
  return null;
}

function tar(call: Call): null {
  runValues(call, /^(-I|-F|--(use-compress-program|to-command|info-script|new-volume-script|rsh-command|rmt-command))$/);
  for (const action of valuesOf(call.args, /^--checkpoint-action$/))
    if (action.startsWith('exec=')) run(call, action.slice('exec='.length));
  return null;
}

/** An editor's command is a line; blanks without end would be shared among the parts of an expression in every way there is. */
const EDITOR_CHARS = 2000;

/** `vim -c 'w file'`, `vim -c '!command'`, `+'!command'` and `:call system("command")`. */
function editor(call: Call): null {
  const typed = [...valuesOf(call.args, /^(-c|--cmd)$/), ...call.args.filter((arg) => arg.startsWith('+')).map((arg) => arg.slice(1))];
  for (const all of typed.map((value) => plain(value).trimStart())) {
    if (all.length > EDITOR_CHARS) call.evaluator.endsUnread();
    const text = all.slice(0, EDITOR_CHARS);
    const bang = /^[:\s]*(?:silent!?\s+)?(?:%|r(?:ead)?\s*)?!([\s\S]+)$/.exec(text)?.[1];
    if (bang !== undefined) run(call, bang);
    const saved =
      /^[:\s]*(?:sil(?:ent)?!?\s+)?[%\d,$.]*\s*(?:w|wq|write|x|xit|exit|sav|saveas|up|update)!?\s+(?:\+\+\S+\s+)*(?:>>\s*)?([^!\s|][^|]*)/.exec(
        text,
      )?.[1];
    if (saved !== undefined) call.evaluator.judge.target(saved.trim(), call.name, call.scope);
    for (const file of filesOf(text)) call.evaluator.judge.target(file, call.name, call.scope);
    for (const match of text.matchAll(/\bsystem\(\s*(["'])(.*?)\1/g)) run(call, match[2] ?? '');
  }
  // A number is the height of a window.
  for (const keys of valuesOf(call.args, /^-[wW]$/)) if (!/^\d*$/.test(keys)) call.evaluator.judge.target(keys, call.name, call.scope);
  return null;
}

const SESSIONS: Record<string, string> = { s: 'Session.vim', v: '.vimrc', e: '.exrc' };

/** Files that an editor's command writes beside its buffers. */
function filesOf(text: string): string[] {
  const redirected = /(?:^|[|:\s])redir?!?\s*>{1,2}\s*([^|\s]+)/.exec(text)?.[1];
  const session = /(?:^|[|:])\s*mk(?:(s)(?:ession)?|(v)(?:imrc)?|(e)?(?:xrc)?)!?(?:\s+([^|\s]+))?\s*(?:$|\|)/.exec(text);
  const named = session === null ? undefined : (session[4] ?? SESSIONS[session[1] ?? session[2] ?? 'e']);
  const called = [
    ...[...text.matchAll(/\b(?:delete|mkdir|rename)\(\s*(["'])([^"']+)\1/g)].map((match) => match[2]),
    ...[...text.matchAll(/\bwritefile\([^'"]*(?:(["'])[^"']*\1[^'"]*)*,\s*(["'])([^"']+)\2/g)].map((match) => match[3]),
  ];
  return [redirected, named, ...called].filter((file) => file !== undefined);
}

function pager(call: Call): null {
  for (const arg of call.args) if (/^\+{1,2}!/.test(arg)) run(call, arg.replace(/^\+{1,2}!/, ''));
  return null;
}

/** `cmake -E`: its own names of commands that every system has. */
function cmake({ args, evaluator, scope, stdin }: Call): string | null {
  const command = args[0] === '-E' ? effectTable().cmakeVerbs.get(args[1] ?? '') : undefined;
  return command === undefined ? null : evaluator.command([...command, ...args.slice(2)], scope.fork(), stdin);
}

/** A temporary file without a folder of its own is made in TMPDIR. */
function temporary({ args, evaluator, name, scope }: Call): null {
  const folder = scope.variables.get('TMPDIR')?.alternatives;
  if (folder === undefined) return null;
  const { options, operands } = parseOptions(args, TEMPORARY);
  if (['-u', '--dry-run', '--help', '--version', '-p'].some((option) => options.has(option))) return null;
  if ((options.get('--tmpdir') ?? []).length > 0) return null;
  if (operands.length > 0 && !options.has('-t') && !options.has('--tmpdir')) return null;
  for (const path of folder) evaluator.judge.target(path, name, scope);
  return null;
}

const TEMPORARY = spec('-p --suffix');

/** `at now`: the commands come on standard input. */
function later(call: Call): null {
  if (call.stdin !== null && !call.args.some((arg) => /^-[lcrd]/.test(arg))) run(call, call.stdin);
  return null;
}

/** A makefile that the command itself holds: standard input, a file it has written, or `--eval`. */
function make(call: Call): null {
  const { args, evaluator, scope } = call;
  if (args.some((arg) => /^(-[A-Za-z]*[nqt]|--(dry-run|just-print|recon|question))$/.test(arg) && !/^-[fCIoW]/.test(arg))) return null;
  const folder = valuesOf(args, /^(-C|--directory)$/).at(-1);
  const texts = valuesOf(args, /^--eval$/);
  for (const file of valuesOf(args, /^(-f|--file|--makefile)$/)) {
    const path = file === '-' || file === '/dev/stdin' ? null : absolute(file, scope.folder, scope);
    const text = path === null ? call.stdin : evaluator.files.get(normalize(path));
    if (text != null) texts.push(text);
  }
  const inner = scope.fork();
  const from = folder === undefined ? null : absolute(folder, scope.folder, scope);
  if (from !== null) inner.enter([from]);
  for (const code of texts.flatMap((text) => recipes(plain(text)))) evaluator.text(code, inner.fork(), null);
  return null;
}

/** The commands of a makefile: lines after a tab, what follows a rule's `;`, and `$(shell …)`. */
function recipes(makefile: string): string[] {
  const text = makefile.replace(/\\\n/g, ' ');
  const found = [...text.matchAll(/\$\(shell\s+([^()]*)\)/g)].map((match) => match[1] ?? '');
  for (const line of text.split('\n')) {
    const code = line.startsWith('\t') ? line.slice(1) : (/^[^\s#=][^#=]*:[^=;]*;(.*)$/.exec(line)?.[1] ?? '');
    if (code !== '')
      found.push(
        code
          .replace(/^[@+\s-]+/, '')
          .replace(/\$[@<^*?]/g, UNKNOWN_NAME)
          .replace(/\$\$/g, '$'),
      );
  }
  return found;
}
