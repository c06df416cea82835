import effects from '../../../../state/shell-effects.json' with { type: 'json' };
import { type OptionSpec, spec, words } from './effects.ts';

/** One call that writes: which arguments name files, and what must be said for it to write. */
export interface CallRule {
  /** What stands before the last dot: `os`; `` for any; `.` for a method of any value. */
  owner: string;
  name: string;
  /** Argument positions; `@` the receiver, `$` a command to run, `!` code to evaluate, `.` the current folder, `>` the folder to go to. */
  target: string;
  /** Position of a mode argument that must allow writing, or -1. */
  mode: number;
  /** What else must hold: `inplace` is said, there is `one` argument, the `path` may be left out, `sql` that changes, a `shelf` not only read. */
  condition: string;
}

/** A language whose programs are given on the command line. */
export interface Language {
  name: string;
  commands: ReadonlySet<string>;
  code: ReadonlySet<string>;
  options: OptionSpec;
  calls: ReadonlyMap<string, CallRule[]>;
}

interface RawLanguage {
  name: string;
  cmd: string;
  code: string;
  values: string;
  attach?: string;
  calls: string;
}

function callRule(text: string, dotted: boolean): CallRule {
  const [path = '', target = '', condition = ''] = text.split(':');
  // In R a dot is a letter.
  const dot = dotted ? path.lastIndexOf('.') : -1;
  const owner = dot < 0 ? '' : dot === 0 ? '.' : path.slice(0, dot);
  return {
    owner,
    name: path.slice(dot + 1),
    target,
    mode: condition.startsWith('mode=') ? Number(condition.slice(5)) : -1,
    condition,
  };
}

function language(raw: RawLanguage): Language {
  const code = words(raw.code);
  const calls = new Map<string, CallRule[]>();
  for (const text of words(raw.calls)) {
    const rule = callRule(text, raw.name !== 'r');
    calls.set(rule.name, [...(calls.get(rule.name) ?? []), rule]);
  }
  return {
    name: raw.name,
    commands: words(raw.cmd),
    code,
    options: spec(`${raw.values} ${raw.code}`, raw.attach, 'mixed'),
    calls,
  };
}

let languages: Language[] | null = null;

/** The language a command interprets, by its name. */
export function languageOf(name: string): Language | null {
  languages ??= (effects.languages as RawLanguage[]).map(language);
  const plainName = name.replace(/^(python|pypy|php|ruby|perl)[\d.]+$/, '$1');
  return languages.find((candidate) => candidate.commands.has(plainName)) ?? null;
}
