import type { Call, Handler } from './call.ts';
import { effectTable, spec, words } from './effects.ts';
import { parseOptions } from './options.ts';
import { absolute, normalize } from './targets.ts';
import { BELOW, CUT, hasGlob, isKnown, plain, quote, UNKNOWN } from './values.ts';

/** Commands that run another command on the files they find or are given. */
export const FINDERS: [string, Handler][] = [
  ['find', find],
  ['gfind', find],
  ['fd', fd],
  ['fdfind', fd],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
];

const ONE_VALUE = words(
  '-name -iname -path -ipath -wholename -regex -iregex -lname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -perm -user -group -uid -gid -maxdepth -mindepth -inum -links -fstype -samefile -printf -regextype -D',
);

function find(call: Call): string {
  const { args, scope, evaluator } = call;
  let at = 0;
  while (/^-([HLP]|O\d?)$/.test(args[at] ?? '')) at++;
  const starts: string[] = [];
  for (; at < args.length && !/^[-(!]/.test(args[at] ?? ''); at++) starts.push(args[at] ?? '');
  if (starts.length === 0) starts.push('.');
  const names: string[] = [];
  const actions: string[][] = [];
  let deep = true;
  let deletes = false;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '-delete') deletes = true;
    else if (/^-(exec|ok)(dir)?$/.test(arg)) {
      const from = at + 1;
      while (at < args.length && args[at] !== ';' && !(args[at] === '+' && args[at - 1] === '{}')) at++;
      actions.push(args.slice(from, at));
    } else if (/^-f(print0?|ls|printf)$/.test(arg)) {
      evaluator.judge.target(args[++at] ?? '', 'find', scope);
    } else if (ONE_VALUE.has(arg)) {
      at++;
      if (arg === '-maxdepth' && /^[01]$/.test(args[at] ?? '')) deep = false;
      if (/^-i?name$/.test(arg)) names.push(args[at] ?? '');
    }
  }
  const found = starts.map((start) => foundUnder(start, names, deep ? BELOW : UNKNOWN));
  for (const path of found) {
    if (deletes) evaluator.judge.target(path, 'find -delete', scope);
    for (const action of actions) {
      evaluator.command(
        action.map((word) => word.replaceAll('{}', path)),
        scope.fork(),
        null,
      );
    }
  }
  return `${found.join('\n')}\n`;
}

/** What `find start -name name` finds: a name without a glob is known, so that ignored folders are. */
function foundUnder(start: string, names: readonly string[], other: string): string {
  const [name] = names;
  const exact = names.length === 1 && name !== undefined && isKnown(name) && !/[*?[]/.test(plain(name)) && effectTable().ignored.has(name);
  return `${start.replace(/(.)\/$/, '$1')}/${exact ? name : other}`;
}

const FD = spec('-e --extension -t --type -d --max-depth -E --exclude -g --base-directory --search-path -c --color -S --size -j --threads');

function fd(call: Call): string {
  const { args, evaluator, scope } = call;
  const at = args.findIndex((arg) => /^(-x|-X|--exec|--exec-batch)$/.test(arg));
  const search = at < 0 ? args : args.slice(0, at);
  const [, ...starts] = parseOptions(search, FD).operands;
  const found = (starts.length === 0 ? ['.'] : starts).map((start) => `${start}/${BELOW}`);
  if (at >= 0) for (const path of found) evaluator.command(withItem(args.slice(at + 1), path), scope.fork(), null);
  return `${found.join('\n')}\n`;
}

/** The command with `{}` filled in, or with the item at its end. */
function withItem(command: readonly string[], item: string): string[] {
  if (!command.some((word) => /\{[./]*\}/.test(word))) return [...command, item];
  // `{/}` is a name, `{//}` a folder: not any path below it.
  return command.map((word) => word.replace(/\{[./]*\}/g, (mark) => (mark.includes('/') ? item.replace(BELOW, UNKNOWN) : item)));
}

const XARGS = spec(
  '-I -J -n -L -P -s -d -E -a -R -S --replace --max-args --max-lines --max-procs --max-chars --delimiter --eof --arg-file --process-slot-var',
  '-i -e -l',
);

/** No list of files written out in a command is longer. */
const MAX_ITEMS = 1_000;

function xargs(call: Call): string {
  const { scope, evaluator } = call;
  const { options, operands } = parseOptions(call.args, XARGS, true);
  const command = operands[0] === '--' ? operands.slice(1) : operands;
  const input = listed(call, options.get('-a') ?? options.get('--arg-file')) ?? call.stdin ?? UNKNOWN;
  const insert = options.get('-I')?.at(-1) ?? options.get('-J')?.at(-1) ?? (options.has('-i') ? '{}' : options.get('--replace')?.at(-1));
  if (insert !== undefined) {
    evaluator.each(itemsOf(input, /\n/), (line) =>
      evaluator.command(
        command.map((word) => word.replaceAll(insert, line)),
        scope.fork(),
        null,
      ),
    );
    return UNKNOWN;
  }
  const items = itemsOf(input, options.has('-0') || options.has('--null') ? /[\n\0]/ : options.has('-d') ? /\n/ : /\s/);
  if (command.length === 0) return `${items.join(' ')}\n`;
  const most = items.length > MAX_ITEMS ? [...items.slice(0, MAX_ITEMS), CUT] : items;
  return evaluator.command([...command, ...most.map(unquoted)], scope.fork(), null);
}

/** What `-a file` holds: names that most likely lie here, unless the list itself comes from elsewhere. */
function listed({ scope, evaluator }: Call, files: readonly string[] | undefined): string | null {
  const file = files?.at(-1);
  if (file === undefined) return null;
  const path = absolute(file, scope.folder, scope);
  if (path === null) return UNKNOWN;
  return evaluator.files.get(normalize(path)) ?? (evaluator.judge.inside(path) ? `./${UNKNOWN}\n` : UNKNOWN);
}

function itemsOf(input: string, separator: RegExp): string[] {
  return input.split(separator).filter((item) => item !== '');
}

function unquoted(item: string): string {
  return /^(['"]).*\1$/.test(item) ? item.slice(1, -1) : item;
}

const PARALLEL = spec('-j --jobs -N -n -I --colsep -C -a --arg-file --joblog --results --delay --timeout --tmpdir -d --max-args -L');

function parallel(call: Call): string {
  const { scope, evaluator } = call;
  const { operands } = parseOptions(call.args, PARALLEL, true);
  const at = operands.findIndex((word) => /^:::?:?\+?$/.test(word));
  const command = at < 0 ? operands : operands.slice(0, at);
  const items = at < 0 ? itemsOf(call.stdin ?? UNKNOWN, /\n/) : operands.slice(at + 1).filter((word) => !word.startsWith(':::'));
  evaluator.each(items, (item) => {
    const code = command.length === 0 ? plain(item) : withItem(command, hasGlob(item) ? item : quote(item)).join(' ');
    return evaluator.text(code, scope.fork(), null);
  });
  return UNKNOWN;
}
