import type { Call, Handler } from './call.ts';
import { effectTable, type Rule } from './effects.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import { outputOf } from './outputs.ts';
import { changesFiles, judgePlaces, type Places, pathsElsewhere, placesOf } from './repositories.ts';
import { holds, matchSecond, type Subcommand, subcommandOf } from './rules.ts';
import { plain, UNKNOWN } from './values.ts';
import type { WriteKind } from './verdict.ts';

export const GIT: [string, Handler][] = [['git', git]];

/** Settings whose value git runs. */
const CODE_SETTINGS =
  /^(core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|pager\.\w+|diff\.\w+\.(command|textconv)|filter\.\w+\.(clean|smudge|process)|(difftool|mergetool|man|browser)\.\w+\.cmd|merge\.\w+\.driver|interactive\.difffilter|credential(\..*)?\.helper|gpg(\.\w+)?\.program|trailer\.\w+\.(cmd|command)|uploadpack\.packobjectshook)$/i;

function git(call: Call): string {
  const settings = settingsOf(call);
  for (const [name, value] of settings)
    if (CODE_SETTINGS.test(name)) call.evaluator.text(plain(value).replace(/^!/, ''), call.scope.fork(), null);
  traces(call);
  const found = subcommandOf(call);
  if (found === null) return call.args.includes('--exec-path') ? '/usr/lib/git-core\n' : UNKNOWN;
  const rules =
    effectTable()
      .rules.get('git')
      ?.filter((rule) => rule.sub.has(found.sub)) ?? [];
  const alias = rules.length === 0 && !READING.has(found.sub) ? settings.get(`alias.${found.sub}`) : undefined;
  if (alias !== undefined) return runAlias(call, alias, found);
  const places = placesOf(call, found);
  if (found.sub === 'submodule' && found.rest[0] === 'foreach') {
    call.evaluator.text(
      plain(
        found.rest
          .slice(1)
          .filter((word) => !word.startsWith('--'))
          .join(' '),
      ),
      found.scope.fork(),
      null,
    );
  }
  if (found.sub === 'init') call.evaluator.makes(found.rest.find((word) => !word.startsWith('-')) ?? '.', found.scope);
  if (found.sub === 'bisect' && found.rest[0] === 'run') call.evaluator.command(found.rest.slice(1), found.scope.fork(), null);
  for (const code of commandsOf(found)) call.evaluator.text(code, found.scope.fork(), null);
  for (const rule of rules) applyGitRule(rule, call, found, places);
  pathsElsewhere(call, found);
  // What it says of its folder is not what it would say of another repository.
  return places.repository === found.scope.folder ? outputOf({ ...call, scope: found.scope }) : UNKNOWN;
}

/** Commands of git itself that only read: git does not let an alias hide them. */
const READING = new Set(
  'status log diff show blame grep ls-files ls-tree ls-remote rev-parse rev-list cat-file describe shortlog name-rev merge-base for-each-ref show-ref count-objects fsck var help version check-ignore check-attr hash-object cherry whatchanged diff-tree diff-index diff-files reflog stash branch tag remote config worktree fetch'.split(
    ' ',
  ),
);

function settingsOf(call: Call): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [variable, { alternatives }] of call.scope.variables) {
    const number = CONFIG_KEY.exec(variable)?.[1];
    const value = call.scope.variables.get(`GIT_CONFIG_VALUE_${number}`)?.alternatives[0];
    if (number !== undefined && value !== undefined) settings.set(plain(alternatives[0] ?? ''), value);
  }
  for (let at = 0; at < call.args.length; at++) {
    const arg = call.args[at] ?? '';
    if (!arg.startsWith('-')) break;
    if (arg === '-c') {
      const [name = '', ...value] = (call.args[++at] ?? '').split('=');
      settings.set(name, value.join('='));
    } else if (arg === '-C' || /^--(git-dir|work-tree|namespace)$/.test(arg)) at++;
  }
  return settings;
}

/** The setting n of GIT_CONFIG_COUNT, in GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n. */
const CONFIG_KEY = /^GIT_CONFIG_KEY_(\d+)$/;

/** Variables that name a file which git appends its trace to; only absolute paths count. */
const TRACE = /^GIT_TRACE(2|2_EVENT|2_PERF|_\w+)?$/;

function traces({ scope, evaluator }: Call): void {
  for (const [name, { alternatives }] of scope.variables)
    if (TRACE.test(name)) for (const path of alternatives) if (path.startsWith('/')) evaluator.judge.target(path, name, scope);
}

/** Commands in the arguments: `git grep -O<pager>`, `git difftool -x <command>`. */
function commandsOf({ sub, rest }: Subcommand): string[] {
  const end = rest.indexOf('--');
  const args = (end < 0 ? rest : rest.slice(0, end)).map(plain);
  const own = sub === 'grep' ? /^(?:-O|--open-files-in-pager=)(.+)$/s : sub === 'difftool' ? /^(?:-x|--extcmd=)(.+)$/s : null;
  if (own === null) return [];
  const found = args.map((arg) => own.exec(arg)?.[1]);
  if (sub === 'difftool') args.forEach((arg, at) => void (/^(-x|--extcmd)$/.test(arg) && found.push(args[at + 1])));
  // It runs on files of the tree.
  return found.filter((code) => code !== undefined).map((code) => `${code} ./${UNKNOWN}`);
}

function runAlias(call: Call, alias: string, found: Subcommand): string {
  const code = plain(alias);
  if (code.startsWith('!')) return call.evaluator.text([code.slice(1), ...found.rest].join(' '), found.scope.fork(), call.stdin);
  return call.evaluator.command(['git', ...code.split(/\s+/), ...found.rest], found.scope.fork(), call.stdin);
}

function applyGitRule(rule: Rule, call: Call, found: Subcommand, places: Places): void {
  const rest = matchSecond(rule, found.rest);
  // `-h` alone asks for help.
  if (rest === null || (rest.length === 1 && rest[0] === '-h')) return;
  const parsed = parseOptions(rest, rule.options);
  const { judge } = call.evaluator;
  const { scope } = found;
  if (found.sub === 'config' && writesHooksPath(rest)) {
    if (places.elsewhere) return;
    judge.record('core.hooksPath', null, 'git config', 'hooks-off');
    return;
  }
  if (!holds(rule, parsed)) return;
  const by = `git ${found.sub}`;
  for (const option of [...rule.files, ...rule.dir]) {
    const files = parsed.options.get(option) ?? [];
    for (const file of files) judge.target(file, by, scope);
    // `git config -f file` and `format-patch -o folder` write there and nowhere else.
    if (files.length > 0) return;
  }
  const [first, second] = parsed.operands;
  if (rule.targets === 'repo') {
    judgePlaces(call, by, kindOf(rule, found.sub, rest, parsed), changesFiles(found.sub, found.rest, parsed), places);
    if (found.sub === 'clean') {
      const ignoredToo = parsed.options.has('-x') || parsed.options.has('-X');
      if (ignoredToo && parsed.options.has('-d') && judge.inside(places.tree)) judge.target('.readygate', by, scope, { from: places.tree });
    }
  } else if (rule.targets === 'clone') {
    const name = plain(first ?? '')
      .replace(/\/+$/, '')
      .replace(/\.git$/, '');
    if (first !== undefined) judge.target(second ?? name.slice(name.search(/[^/:]*$/)), by, scope);
  } else if (rule.targets === 'paths') judge.target(first ?? '.', by, scope);
  else if (rule.targets === 'first' && first !== undefined) judge.target(first, by, scope);
  else if (rule.targets === 'cwd') judge.target('.', by, scope);
}

function writesHooksPath(rest: readonly string[]): boolean {
  const at = rest.findIndex((arg) => arg.toLowerCase() === 'core.hookspath');
  if (at < 0) return false;
  const reads = rest.some((arg) => /^(--get(-all)?|--get-regexp|-l|--list|get|list)$/.test(arg));
  return !reads && (rest.length > at + 1 || rest.some((arg) => /^--?unset/.test(arg)));
}

/** checkout and reset move HEAD, or only take files back. */
function kindOf(rule: Rule, sub: string, rest: readonly string[], parsed: ParsedOptions): WriteKind {
  if (sub === 'checkout') return checksOutFiles(rest, parsed) ? 'tree' : 'history';
  if (sub === 'reset') return resetsIndexOnly(rest, parsed) ? 'git-index' : 'history';
  if (sub === 'restore') return parsed.options.has('--staged') && !parsed.options.has('--worktree') ? 'git-index' : 'tree';
  if (sub === 'rm' && parsed.options.has('--cached')) return 'git-index';
  if (sub === 'apply' && parsed.options.has('--cached')) return 'git-index';
  return rule.kind;
}

function checksOutFiles(rest: readonly string[], { options, operands }: ParsedOptions): boolean {
  if (['-b', '-B', '--orphan', '--detach', '-d', '-t', '--track'].some((option) => options.has(option))) return false;
  if (rest.includes('--') || options.has('-p') || options.has('--patch') || options.has('--ours') || options.has('--theirs')) return true;
  if (operands.length > 1 || options.has('--pathspec-from-file')) return true;
  const [only = ''] = operands;
  return only === '.' || /^\.\.?\//.test(only) || /[*?]/.test(plain(only)) || /[^/]\.(?!lock$)[A-Za-z][A-Za-z0-9]{0,5}$/.test(only);
}

function resetsIndexOnly(rest: readonly string[], { options, operands }: ParsedOptions): boolean {
  if (['--hard', '--soft', '--mixed', '--keep', '--merge'].some((option) => options.has(option))) return false;
  if (rest.includes('--') || options.has('-p') || operands.length !== 1) return true;
  const [only = ''] = operands;
  return only === 'HEAD' || only === '.' || /[^/]\.[A-Za-z][A-Za-z0-9]{0,5}$/.test(only);
}
