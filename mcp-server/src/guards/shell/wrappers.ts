import type { Call } from './call.ts';
import { effectTable, type Wrapper } from './effects.ts';
import { parseOptions } from './options.ts';
import { subcommandOf } from './rules.ts';
import type { Scope } from './scope.ts';
import { absolute } from './targets.ts';
import { plain, UNKNOWN } from './values.ts';

/** Runs what a wrapper runs; null when the command is none. */
export function runWrapper(call: Call): string | null {
  // `sg` is ast-grep, too; that of the system takes a group first.
  if (call.name === 'sg' && /^(run|scan|-.+)$/.test(call.args[0] ?? ''))
    return call.evaluator.command(['ast-grep', ...call.args], call.scope.fork(), call.stdin);
  const wrappers = effectTable().wrappers.get(call.name);
  if (wrappers === undefined) return nodeTool(call);
  for (const wrapper of wrappers) {
    if (wrapper.sub.size === 0) return unwrap(call, wrapper, call.args, call.scope);
    const found = subcommandOf(call);
    if (found !== null && wrapper.sub.has(found.sub)) return unwrap(call, wrapper, found.rest, found.scope);
  }
  return nodeTool(call);
}

function unwrap(call: Call, wrapper: Wrapper, args: readonly string[], outer: Scope): string {
  const { evaluator } = call;
  if (wrapper.mode === 'after') {
    const at = args.findIndex((arg) => wrapper.options.values.has(arg));
    return at < 0 ? UNKNOWN : evaluator.command(args.slice(at + 1), outer.fork(), call.stdin);
  }
  const { options, operands } = parseOptions(args, wrapper.options, wrapper.mode !== 'none');
  const scope = outer.fork();
  for (const option of wrapper.chdir) {
    const folder = options.get(option)?.at(-1);
    if (folder !== undefined) scope.enter([absolute(folder, scope.folder, scope) ?? UNKNOWN]);
  }
  for (const option of wrapper.files) for (const file of options.get(option) ?? []) evaluator.judge.target(file, call.name, scope);
  let output = '';
  for (const option of wrapper.code)
    for (const code of options.get(option) ?? []) output += evaluator.text(plain(code), scope.fork(), call.stdin);
  const rest = [...operands];
  if (rest[0] === '-' && call.name === 'env') rest.shift();
  if (wrapper.assign) {
    for (let match = assignment(rest[0]); match !== null; match = assignment(rest[0])) {
      scope.set(match[1] ?? '', match[2] ?? '');
      if (effectTable().codeVariables.has(match[1] ?? '')) evaluator.text(plain(match[2] ?? ''), scope.fork(), null);
      rest.shift();
    }
  }
  // A number is an open descriptor, a folder is there already.
  if (wrapper.creates && !/^(\d+|\.|.*\/)$/.test(rest[0] ?? '.')) evaluator.judge.target(rest[0] ?? '', call.name, scope);
  rest.splice(0, wrapper.skip);
  if (rest[0] === '--') rest.shift();
  if (rest.length === 0 || wrapper.mode === 'none') return output === '' ? UNKNOWN : output;
  if (wrapper.code.has(rest[0] ?? '')) return evaluator.text(plain(rest[1] ?? ''), scope, call.stdin);
  if (wrapper.mode === 'shell') return evaluator.text(plain(rest.join(' ')), scope, call.stdin);
  if (wrapper.mode === 'each') {
    for (const code of rest) evaluator.text(plain(code), scope.fork(), call.stdin);
    return UNKNOWN;
  }
  // A package of the project (`go run ./cmd/install`) is a program of its own, whatever its name.
  if (call.name === 'go' && rest[0]?.startsWith('.')) return UNKNOWN;
  // `uv run -` and `uv run file.py` are Python.
  if (call.name === 'uv' && /^-$|\.py$/.test(rest[0] ?? '')) rest.unshift('python');
  if (wrapper.versions) rest[0] = packageCommand(rest[0] ?? '');
  // `npm exec tool -- args`: the dashes are the package manager's.
  const dashes = wrapper.versions && wrapper.sub.size > 0 ? rest.indexOf('--') : -1;
  if (dashes > 0) rest.splice(dashes, 1);
  // `command cd x` acts on this very shell.
  const same = call.name === 'command' || call.name === 'builtin';
  return evaluator.command(rest, same ? outer : scope, call.stdin, call.name === 'time');
}

function assignment(word: string | undefined): RegExpExecArray | null {
  return /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word ?? '');
}

/** `@scope/tool@1.2` runs `tool`. */
function packageCommand(word: string): string {
  const name = word.replace(/(?!^)@[^/]*$/, '');
  return name.slice(name.lastIndexOf('/') + 1);
}

/** `yarn prettier …`, `pnpm eslint …`: a package manager runs a tool of the project. */
function nodeTool(call: Call): string | null {
  if (!/^(npm|pnpm|yarn|bun)$/.test(call.name)) return null;
  const found = subcommandOf(call);
  if (found === null) return null;
  const words = found.sub === 'run' && call.name !== 'npm' ? found.rest : [found.sub, ...found.rest];
  if (!effectTable().nodeTools.has(words[0] ?? '')) return null;
  return call.evaluator.command(words, found.scope.fork(), call.stdin);
}
