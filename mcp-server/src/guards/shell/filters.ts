import { awkEffects } from './awk-program.ts';
import type { Call, Handler } from './call.ts';
import { spec } from './effects.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import { sedEffects } from './sed-program.ts';
import { absolute, normalize } from './targets.ts';
import { isKnown, plain, UNKNOWN } from './values.ts';

/** Stream editors: their programs can write and run commands too. */
export const FILTERS: [string, Handler][] = [
  ['sed', sed],
  ['gsed', sed],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['nawk', awk],
];

const SED = spec('-e -f -l --expression --file --line-length', '-i --in-place');

function sed(call: Call): string {
  const { scope, evaluator } = call;
  // BSD's `-i ''` has its suffix in a word of its own.
  const args = call.args.filter((arg, index) => !(arg === '' && /^-[A-Za-z]*i$/.test(call.args[index - 1] ?? '')));
  const { options, operands } = parseOptions(args, SED);
  if (options.has('--help') || options.has('--version')) return UNKNOWN;
  const scripts = [...(options.get('-e') ?? []), ...(options.get('--expression') ?? [])];
  for (const file of [...(options.get('-f') ?? []), ...(options.get('--file') ?? [])]) scripts.push(written(file, call));
  const files = [...operands];
  if (scripts.length === 0 && !options.has('-f') && !options.has('--file')) scripts.push(files.shift() ?? '');
  if (options.has('-i') || options.has('--in-place')) for (const file of files) evaluator.judge.target(file, 'sed -i', scope);
  const effects = sedEffects(plain(scripts.join('\n')));
  for (const file of effects.files) evaluator.judge.target(file, 'sed w', scope);
  for (const command of effects.commands) if (command !== '') evaluator.text(command, scope.fork(), null);
  return passed(call);
}

const MAX_FILES = 8;
const AWK = spec('-F -v -f -i -l --field-separator --assign --file --include -o -d -E --exec');

function awk(call: Call): string {
  const { scope, evaluator } = call;
  const { options, operands } = parseOptions(call.args, AWK);
  const files = [...operands];
  const inFile = ['-f', '--file', '-E'].flatMap((option) => options.get(option) ?? []);
  const program = inFile.length > 0 ? inFile.map((file) => written(file, call)).join('\n') : plain(files.shift() ?? '');
  if (included(options)) for (const file of files) evaluator.judge.target(file, 'awk -i inplace', scope);
  const variables = new Map<string, string>();
  for (const setting of [...(options.get('-v') ?? []), ...(options.get('--assign') ?? [])]) {
    const equals = setting.indexOf('=');
    if (equals > 0) variables.set(setting.slice(0, equals), setting.slice(equals + 1));
  }
  const named = /\bFILENAME\b/.test(program) ? files.filter((file) => !/^\w+=/.test(file)).slice(0, MAX_FILES) : [];
  const effects = awkEffects(program, variables);
  for (const name of named) effects.files.push(...awkEffects(program, new Map(variables).set('FILENAME', name)).files);
  for (const file of effects.files) evaluator.judge.target(file, 'awk >', scope);
  for (const command of effects.commands) if (isKnown(command)) evaluator.text(command, scope.fork(), null);
  return passed(call);
}

/** The text of a program's file: what the command itself has written, or what comes in. */
function written(file: string, { scope, stdin, evaluator }: Call): string {
  const path = absolute(file, scope.folder, scope);
  const text = /^(-|\/dev\/stdin)$/.test(file) ? stdin : path === null ? null : evaluator.files.get(normalize(path));
  return text === UNKNOWN ? '' : plain(text ?? '');
}

function included(options: ParsedOptions['options']): boolean {
  return [...(options.get('-i') ?? []), ...(options.get('--include') ?? [])].includes('inplace');
}

/** A filter over a listing of files still prints parts of it. */
function passed(call: Call): string {
  return call.stdin?.includes(`/${UNKNOWN}`) ? call.stdin : UNKNOWN;
}
