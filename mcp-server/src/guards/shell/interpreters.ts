import type { Call } from './call.ts';
import { effectTable } from './effects.ts';
import { judgeProgram } from './inline-program.ts';
import { type Language, languageOf } from './languages.ts';
import { parseOptions } from './options.ts';
import { applyRules } from './rules.ts';
import { absolute, normalize } from './targets.ts';
import { isKnown, plain, UNKNOWN } from './values.ts';

export { languageOf as interpreterOf };

/** Runs an interpreter: its program is judged where it can be seen, on the command line, on standard input or in a file written just now. */
export function runInterpreter(call: Call, language: Language): string {
  const { scope, evaluator } = call;
  applyRules(call);
  const args = /^(deno|bun)$/.test(call.name) ? withoutVerb(call.args) : call.args;
  const module = language.name === 'python' ? args.indexOf('-m') : -1;
  if (module >= 0 && !args.slice(0, module).some((arg) => !arg.startsWith('-'))) return runModule(call, args.slice(module + 1));
  const lines = language.name === 'perl' || language.name === 'ruby';
  const { options, operands } = parseOptions(lines ? args.map(withoutSeparator) : args, language.options, !lines);
  // `-l` checks in PHP; in perl and ruby it is about the ends of lines.
  const checks = ['-c', '--check', '-v', '--version', '-V', ...(lines ? [] : ['-l'])];
  if (checks.some((option) => !language.code.has(option) && options.has(option))) return UNKNOWN;
  const programs = [...language.code].flatMap((option) => options.get(option) ?? []);
  if (lines && options.has('-i')) {
    const files = programs.length > 0 ? operands : operands.slice(1);
    for (const file of files) evaluator.judge.target(file, `${call.name} -i`, scope);
  }
  for (const [, name = ''] of programs.join('\n').matchAll(/\b(?:require|import|from)\b\s*\(?\s*['"]([^'"]+)['"]/g)) judgeStart(name, call);
  if (programs.length > 0) {
    judgeProgram(plain(programs.join('\n')), language, call, operands);
    return UNKNOWN;
  }
  const [file] = operands;
  if (file === undefined || file === '-' || file === '/dev/stdin') {
    if (call.stdin !== null && call.stdin !== UNKNOWN) judgeProgram(plain(call.stdin), language, call, operands.slice(1));
    return UNKNOWN;
  }
  judgeStart(file, call);
  const tool = /(?:^|\/)(?:vendor\/bin|node_modules\/\.bin)\/([\w-]+)$|(?:^|\/)([\w-]+)\.phar$|(?:^|\/)(manage\.py|artisan|console)$/.exec(
    file,
  );
  const installed = tool?.[1] ?? tool?.[2] ?? tool?.[3] ?? '';
  if (effectTable().rules.has(installed)) return evaluator.command([installed, ...operands.slice(1)], scope.fork(), call.stdin);
  const path = absolute(file, scope.folder, scope);
  const text = path === null ? undefined : evaluator.files.get(normalize(path));
  if (text !== undefined && text !== UNKNOWN) judgeProgram(plain(text), language, call, operands.slice(1));
  return UNKNOWN;
}

/** The plugin's own programs answer to the host alone: one that is started by hand takes calls from anyone. */
export function judgeStart(file: string, { name, scope, evaluator }: Call): void {
  const path = absolute(file, scope.folder, scope);
  if (path !== null && evaluator.context.isServer?.(normalize(path))) evaluator.judge.record(plain(file), path, name, 'guard');
}

/** `-0xFFpe`: the digits of a separator are no options. */
function withoutSeparator(arg: string): string {
  return arg.replace(/^(-[lnpaswW0-7]*0)[xX][0-9A-Fa-f]+/, '$1');
}

/** `deno eval code`, `deno run file`, `bun run file`. */
function withoutVerb(args: readonly string[]): readonly string[] {
  if (args[0] === 'eval') return ['-e', ...args.slice(1).filter((arg) => !arg.startsWith('--'))];
  return args[0] === 'run' ? args.slice(1) : args;
}

/** `python -m module`: a module that is also a command is judged as that. */
function runModule(call: Call, words: readonly string[]): string {
  const [module = '', ...args] = words;
  const { scope, evaluator } = call;
  if (module === 'zipfile' || module === 'tarfile') {
    if (/^(-e|--extract)$/.test(args[0] ?? '')) evaluator.judge.target(args[2] ?? '.', `python -m ${module}`, scope);
    if (/^(-c|--create)$/.test(args[0] ?? '')) evaluator.judge.target(args[1] ?? '', `python -m ${module}`, scope);
    return UNKNOWN;
  }
  if (module === 'venv' || module === 'virtualenv') {
    for (const folder of args.filter((arg) => !arg.startsWith('-'))) evaluator.judge.target(folder, `python -m ${module}`, scope);
    return UNKNOWN;
  }
  const known = effectTable().rules.has(module) || module === 'django';
  return known && isKnown(module)
    ? evaluator.command([module === 'django' ? 'django-admin' : module, ...args], scope.fork(), call.stdin)
    : UNKNOWN;
}
