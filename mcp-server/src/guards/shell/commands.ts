import { BUILTINS } from './builtins.ts';
import type { Call, Handler } from './call.ts';
import { CONTAINERS } from './containers.ts';
import { DATABASES } from './databases.ts';
import { effectTable } from './effects.ts';
import type { Evaluator } from './evaluator.ts';
import { FILTERS } from './filters.ts';
import { FINDERS } from './finders.ts';
import { GIT } from './git.ts';
import { HOST } from './host.ts';
import { interpreterOf, judgeStart, runInterpreter } from './interpreters.ts';
import { LINKERS } from './links.ts';
import { OPTION_CODE } from './option-code.ts';
import { outputOf } from './outputs.ts';
import { runPowerShell } from './powershell.ts';
import { applyRules } from './rules.ts';
import type { Scope } from './scope.ts';
import { runShell } from './shells.ts';
import { absolute, normalize } from './targets.ts';
import { globPattern, hasGlob, isKnown, plain, quote, UNKNOWN } from './values.ts';
import { runWrapper } from './wrappers.ts';

const HANDLERS = new Map<string, Handler>([
  ...BUILTINS,
  ...FINDERS,
  ...FILTERS,
  ...CONTAINERS,
  ...DATABASES,
  ...GIT,
  ...HOST,
  ...OPTION_CODE,
  ...LINKERS,
  ['pwsh', runPowerShell],
  ['powershell', runPowerShell],
]);

/** Runs one command by name: function, alias, builtin, wrapper, interpreter, or a rule of the table.
 * Only the shell itself (`direct`) knows functions and aliases; what a wrapper starts is a program. */
export function runCommand(words: readonly string[], scope: Scope, stdin: string | null, evaluator: Evaluator, direct: boolean): string {
  const first = words[0] ?? '';
  const path = hasGlob(first) && plain(first) !== '[' ? globbedCommand(first, evaluator) : plain(first);
  if (!isKnown(path)) evaluator.meetsUnknown(path);
  if (path === '' || !isKnown(path)) return UNKNOWN;
  const args = words.slice(1);
  const bodies = direct ? scope.functions.get(path) : undefined;
  if (bodies !== undefined)
    return anyOf(bodies, scope, (body, inner) => {
      if (body !== null) return evaluator.call(body, args, inner, stdin);
      inner.undefine(path);
      return runCommand(words, inner, stdin, evaluator, direct);
    });
  const aliases = direct ? scope.aliases.get(path) : undefined;
  if (aliases !== undefined)
    return anyOf(aliases, scope, (alias, outer) => {
      const inner = outer.fork();
      inner.forget(path);
      if (alias !== null) return evaluator.text([alias, ...args.map(quote)].join(' '), inner, stdin);
      return runCommand(words, inner, stdin, evaluator, direct);
    });
  const own = path.includes('/') ? absolute(path, scope.folder, scope) : null;
  const script = own === null ? undefined : evaluator.files.get(normalize(own));
  if (script !== undefined) return evaluator.text(script, scope.fork(), stdin);
  if (own !== null) judgeStart(path, { name: path, args, scope, stdin, evaluator });
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.(exe|cmd)$/, '');
  return dispatch({ name, args, scope, stdin, evaluator });
}

/** Runs each of the things that a name may stand for. */
function anyOf<T>(meanings: readonly T[], scope: Scope, run: (meaning: T, scope: Scope) => string): string {
  const [only] = meanings;
  if (meanings.length === 1 && only !== undefined) return run(only, scope);
  const branches = meanings.map(() => scope.fork());
  const printed = meanings.map((meaning, index) => run(meaning, branches[index] ?? scope));
  scope.join(branches);
  return printed.join('');
}

function dispatch(call: Call): string {
  const { name } = call;
  // The parts of git are programs of their own, too.
  if (/^git-[a-z]/.test(name)) return call.evaluator.command(['git', name.slice('git-'.length), ...call.args], call.scope, call.stdin);
  const handled = HANDLERS.get(name)?.(call) ?? runWrapper(call);
  if (handled !== null) return handled;
  if (effectTable().shells.has(name)) return runShell(call);
  const language = interpreterOf(name);
  if (language !== null) return runInterpreter(call, language);
  applyRules(call);
  return outputOf(call);
}

/** The work of holding a glob against all names. */
const GLOB_STEPS = 200;

/** A glob as a command (`/???/r?`): the first writing command it may stand for. */
function globbedCommand(glob: string, evaluator: Evaluator): string {
  const at = glob.lastIndexOf('/');
  const folder = glob.slice(0, Math.max(at, 0));
  if (at >= 0 && !['/bin', '/usr/bin'].some((known) => globPattern(folder).test(known) || folderMatches(folder, known))) return UNKNOWN;
  const pattern = globPattern(glob.slice(at + 1));
  evaluator.budget.spend(GLOB_STEPS);
  for (const name of effectTable().rules.keys()) if (pattern.test(name)) return name;
  return UNKNOWN;
}

function folderMatches(glob: string, folder: string): boolean {
  const [globbed, known] = [glob.split('/'), folder.split('/')];
  return globbed.length === known.length && globbed.every((segment, index) => globPattern(segment).test(known[index] ?? ''));
}
