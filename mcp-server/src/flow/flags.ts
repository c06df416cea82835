/** Parsing of a request's leading flags (FLOW.md, Flags). Pure; the rules stand in state/phases.json. */
import { isInvestigation } from './conditions.ts';
import { nearest } from './nearest.ts';
import { unspokenFlags } from './spoken-flags.ts';
import { type FlagRule, table } from './table.ts';
import type { Flags, FlowError, Intent, MessageRef } from './types.ts';

export const NO_FLAGS: Flags = {
  gate: 'auto',
  fast: false,
  quick: false,
  'no-verify': false,
  'no-quality': false,
  'no-doc': false,
  'doc-research': [],
  'no-intervention': false,
  'no-pre-planning': false,
  'only-explore': false,
  'only-verify': false,
  clean: false,
  rebuild: false,
  approve: false,
};

export interface ParsedRequest {
  flags: Flags;
  /** The request without its leading flags. */
  task: string;
  warnings: MessageRef[];
}

type FlagName = keyof Flags;

const error = (code: FlowError['error'], key: string, params: Record<string, string | number>): FlowError => ({
  error: code,
  message: { key, params },
  problems: [],
});

/** A payload may hold a key `error` of the model's making, so the whole shape counts. */
export const isFlowError = (value: object): value is FlowError => 'error' in value && 'message' in value && 'problems' in value;

const spelled = (name: string): string => `--${name}`;

function lookup(token: string): { name: FlagName; rule: FlagRule } | null {
  for (const [name, rule] of Object.entries(table.flags)) {
    const spellings = [spelled(name), ...(rule.aliases ?? []).map(spelled), ...(rule.short ? [`-${rule.short}`] : [])];
    if (spellings.includes(token)) return { name: name as FlagName, rule };
  }
  return null;
}

/** The valid flag nearest to an unknown one. */
function nearestFlag(token: string): string {
  const names = Object.entries(table.flags).flatMap(([name, rule]) => [name, ...(rule.aliases ?? [])].map(spelled));
  return nearest(token, names) ?? '--gate';
}

/** Looked up as an own key, since the user may write `--gate=constructor`. */
const entry = (map: Record<string, string> | undefined, key: string): string | undefined =>
  map && Object.hasOwn(map, key) ? map[key] : undefined;

function setValue(flags: Flags, name: FlagName, rule: FlagRule, value: string | null, warnings: MessageRef[]): FlowError | null {
  const flag = spelled(name);
  if (rule.values) {
    if (value === null) return error('bad_arguments', 'error.flag_needs_value', { flag, values: Object.keys(rule.values).join('|') });
    const direct = entry(rule.values, value);
    const mapped = direct ?? entry(rule.legacy, value);
    const instead = entry(rule.gone, value);
    const sent = `${flag}=${value.slice(0, 64)}`;
    if (instead) return error('unknown_flag', 'error.flag_gone', { flag: sent, instead });
    if (!mapped)
      return error('unknown_flag', 'error.flag_value', { flag: sent, values: [...new Set(Object.values(rule.values))].join(', ') });
    if (!direct) warnings.push({ key: 'warning.flag_mapped', params: { flag: sent, now: `${flag}=${mapped}` } });
    flags.gate = mapped as Flags['gate'];
    return null;
  }
  if (rule.list) {
    const names = (value ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
    if (names.length === 0) return error('bad_arguments', 'error.flag_needs_value', { flag, values: 'a,b' });
    flags['doc-research'] = names;
    return null;
  }
  if (value !== null) return error('bad_arguments', 'error.flag_takes_no_value', { flag });
  (flags as unknown as Record<string, boolean>)[name] = true;
  return null;
}

function mergeObject(flags: Flags, object: Record<string, unknown>, warnings: MessageRef[]): FlowError | null {
  for (const [key, value] of Object.entries(object)) {
    const found = lookup(spelled(key));
    if (!found) return error('unknown_flag', 'error.unknown_flag', { flag: key.slice(0, 64), nearest: nearestFlag(spelled(key)).slice(2) });
    const { name, rule } = found;
    if (rule.list && Array.isArray(value) && value.every((item) => typeof item === 'string')) {
      flags['doc-research'] = value.map((item) => item.trim()).filter(Boolean);
    } else if (rule.values || rule.list) {
      if (typeof value !== 'string') return error('bad_arguments', 'error.flag_type', { flag: key, type: 'string' });
      const failed = setValue(flags, name, rule, value, warnings);
      if (failed) return failed;
    } else {
      const boolean = value === 'true' ? true : value === 'false' ? false : value;
      if (typeof boolean !== 'boolean') return error('bad_arguments', 'error.flag_type', { flag: key, type: 'boolean' });
      (flags as unknown as Record<string, boolean>)[name] = boolean;
    }
  }
  return null;
}

/** Where the user's prompts are heard: the last `/readygate:` one, or null when there was none. */
export interface Heard {
  prompt: string | null;
}

/** Guard RG09: flags that skip a phase count only if the user typed them. */
function dropUnspoken(flags: Flags, { prompt }: Heard, warnings: MessageRef[]): void {
  for (const name of unspokenFlags(flags, prompt)) {
    (flags as unknown as Record<string, boolean>)[name] = false;
    warnings.push({ key: 'warning.flag_unspoken', params: { flag: spelled(name) } });
  }
}

/**
 * Reads the leading flags of a request and merges the `flags` object over them.
 * @param heard undefined where no hook reports the user's prompts: then flags are taken as given
 * @returns the effective flags (conflicts and an investigation's ignored ones already worked out), or a FlowError
 * (`unknown_flag`, `bad_arguments`), in which case nothing may start.
 */
export function parseRequest(
  request: string,
  intent: Intent,
  object: Record<string, unknown> = {},
  heard?: Heard,
): ParsedRequest | FlowError {
  const flags: Flags = { ...NO_FLAGS, 'doc-research': [] };
  const warnings: MessageRef[] = [];
  let rest = request.trimStart();
  while (rest.startsWith('-')) {
    const token = /^\S+/.exec(rest)?.[0] ?? '';
    if (!/^--?[A-Za-z]/.test(token) && token !== '--') break; // "- a list item" or "-5 degrees" is text
    rest = rest.slice(token.length).trimStart();
    if (token === '--') break;
    const equals = token.indexOf('=');
    const name = equals < 0 ? token : token.slice(0, equals);
    const found = lookup(name);
    if (!found) return error('unknown_flag', 'error.unknown_flag', { flag: name.slice(0, 64), nearest: nearestFlag(name) });
    const failed = setValue(flags, found.name, found.rule, equals < 0 ? null : token.slice(equals + 1), warnings);
    if (failed) return failed;
  }
  for (const token of new Set(rest.slice(0, 20_000).split(/\s+/))) {
    if (token.startsWith('--') && lookup(token.split('=')[0] ?? ''))
      warnings.push({ key: 'warning.flag_in_text', params: { flag: token.slice(0, 64) } });
  }
  const failed = mergeObject(flags, object, warnings);
  if (failed) return failed;
  if (heard) dropUnspoken(flags, heard, warnings);
  return settle({ flags, task: rest.trim(), warnings }, intent);
}

/** Conflicts between flags: skip flags win over --gate=full, an investigation ignores what only a change has. */
function settle({ flags, task, warnings }: ParsedRequest, intent: Intent): ParsedRequest | FlowError {
  const clash = (a: string, b: string) => error('bad_arguments', 'error.flags_clash', { a, b });
  if (flags['only-explore'] && flags['only-verify']) return clash('--only-explore', '--only-verify');
  if (flags['only-verify'] && flags['no-verify']) return clash('--only-verify', '--no-verify');
  if (flags['no-doc'] && flags['doc-research'].length > 0) return clash('--no-doc', '--doc-research');
  if (flags.clean && flags.rebuild) return clash('--clean', '--rebuild');
  if (isInvestigation({ intent, flags })) {
    for (const name of ['fast', 'quick', 'no-verify', 'no-quality'] as const) {
      if (!flags[name]) continue;
      flags[name] = false;
      warnings.push({ key: 'warning.flag_ignored_investigation', params: { flag: spelled(name) } });
    }
  }
  for (const name of Object.keys(table.flags) as FlagName[]) {
    if (flags.gate === 'full' && table.flags[name]?.skips && flags[name])
      warnings.push({ key: 'warning.skip_wins', params: { flag: spelled(name) } });
  }
  return { flags, task, warnings };
}
