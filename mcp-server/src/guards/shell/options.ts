import type { OptionSpec } from './effects.ts';

export interface ParsedOptions {
  /** Each option that was given, with its values. */
  options: Map<string, string[]>;
  operands: string[];
}

/** Separates options from operands the way getopt does, options after operands included. */
export function parseOptions(args: readonly string[], spec: OptionSpec, stopAtOperand = false): ParsedOptions {
  const options = new Map<string, string[]>();
  const operands: string[] = [];
  const record = (option: string, value?: string): void => {
    const values = options.get(option) ?? [];
    if (value !== undefined) values.push(value);
    options.set(option, values);
  };
  for (let at = 0; at < args.length; at++) {
    let arg = args[at] ?? '';
    if (arg === '--') {
      if (spec.afterDashes) continue;
      operands.push(...args.slice(at + 1));
      break;
    }
    if (at === 0 && spec.bundle && /^[A-Za-z]/.test(arg)) arg = `-${arg}`;
    if (!/^-./.test(arg) || (spec.modes && /^-[rwxXst]+$/.test(arg))) {
      if (stopAtOperand) {
        operands.push(...args.slice(at));
        break;
      }
      operands.push(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const head = equals < 0 ? arg : arg.slice(0, equals);
    const long = arg.startsWith('--') || spec.style === 'long' || (spec.style === 'mixed' && spec.known.has(head));
    if (long) {
      const name = arg.startsWith('--') && spec.style === 'short' ? fullName(head, spec) : head;
      // A table may name an option with one of its values (`-write=false`).
      if (equals >= 0 && spec.known.has(arg)) record(arg);
      if (equals >= 0) record(name, arg.slice(equals + 1));
      else if (spec.values.has(name)) record(name, args[++at] ?? '');
      else record(name);
      continue;
    }
    for (let letter = 1; letter < arg.length; letter++) {
      const option = `-${arg[letter]}`;
      const rest = arg.slice(letter + 1);
      if (spec.attach.has(option)) {
        record(option, rest);
        break;
      }
      if (spec.values.has(option)) {
        record(option, rest === '' ? (args[++at] ?? '') : rest);
        break;
      }
      record(option);
    }
  }
  return { options, operands };
}

/** GNU long options may be abbreviated. */
function fullName(name: string, spec: OptionSpec): string {
  if (name.length < 5 || spec.known.has(name)) return name;
  const candidates = [...spec.known].filter((option) => option.startsWith(name));
  return candidates.length === 1 ? (candidates[0] ?? name) : name;
}
