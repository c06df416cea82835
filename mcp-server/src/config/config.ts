/** .readygate/config.yml: read at start_session, pinned for the session. Its rules stand in state/config.schema.json. */
import fs from 'node:fs';
import path from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import schema from '../../../state/config.schema.json' with { type: 'json' };
import type { VerifyCommand } from '../evidence/verify-commands.ts';
import type { EvidenceMode } from '../evidence/weigh.ts';
import { meant } from '../flow/nearest.ts';
import type { MessageRef } from '../flow/types.ts';
import type { LanguageChoice } from '../messages/language.ts';
import { ownSchemas } from '../own-schemas.ts';
import { FOLDER } from '../state/layout.ts';

export interface Config {
  enforce: 'never' | 'always';
  approval: 'none' | 'plan';
  guard: { mutating_tools: string[]; out_of_plan: 'warn' | 'deny' };
  merge: { pull_request: boolean };
  evidence: EvidenceMode;
  verify: { commands: VerifyCommand[] };
  /** Absent in the state of an earlier version. */
  planning?: { enabled: boolean; pre_planning: PrePlanningConfig };
  language: LanguageChoice;
  telemetry: { otlp_endpoint: string };
}

/** Who gets notices besides the journal. `github` and `gitlab` comment on the session's issue. */
export type NotifierConfig = { type: 'command'; command: string[] } | { type: 'webhook'; url: string } | { type: 'github' | 'gitlab' };

export interface PrePlanningConfig {
  enabled: boolean;
  understanding: { confidence_threshold: number };
  collection: { enabled: boolean; max_retries_per_tool: number };
  assumption: { enabled: boolean; confidence_threshold: number };
  notification: {
    notify_on_start: boolean;
    notify_on_understanding_complete: boolean;
    notify_on_collection_complete: boolean;
    notify_on_assumption: boolean;
    notifiers: NotifierConfig[];
  };
}

export interface ReadConfig {
  config: Config;
  /** What did not fit, and what was taken instead. */
  warnings: MessageRef[];
}

/** Where the configuration lies in a work tree. */
export const CONFIG_FILE = `${FOLDER}/config.yml`;

/** A longer file is not a configuration. */
const MAX_BYTES = 256 * 1024;

// Two rounds: the first finds what does not fit, without changing anything; the second fills in defaults.
let compiled: { check: ValidateFunction; fillIn: ValidateFunction } | null = null;
function validators(): { check: ValidateFunction; fillIn: ValidateFunction } {
  compiled ??= {
    check: ownSchemas({ allErrors: true, verbose: true }).compile(schema),
    fillIn: ownSchemas({ useDefaults: true }).compile(schema),
  };
  return compiled;
}

type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes out what an error points at, so that its default can stand in. */
function remove(tree: Tree, keys: readonly string[]): void {
  const [key, ...rest] = keys;
  if (key === undefined) return;
  const inner = tree[key];
  if (rest.length > 0 && isTree(inner)) remove(inner, rest);
  else delete tree[key];
}

function placeOf(error: ErrorObject): string[] {
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return error.keyword === 'additionalProperties' ? [...keys, String(error.params.additionalProperty)] : keys;
}

/** The key, with those above it, that an unknown one at the same place was probably meant to be. */
function knownKey(error: ErrorObject): string | undefined {
  const known = Object.keys((error.parentSchema?.properties ?? {}) as Tree);
  const keys = placeOf(error);
  const near = meant(keys.at(-1) ?? '', known);
  return near && [...keys.slice(0, -1), near].join('.');
}

function warningOf(error: ErrorObject): MessageRef {
  const key = placeOf(error).join('.');
  if (error.keyword === 'additionalProperties') {
    const near = knownKey(error);
    if (near === undefined) return { key: 'warning.config_unknown', params: { file: CONFIG_FILE, key } };
    return { key: 'warning.config_misspelt', params: { file: CONFIG_FILE, key, near } };
  }
  if (error.keyword === 'enum') {
    return {
      key: 'warning.config_choice',
      params: { file: CONFIG_FILE, key, right: (error.params.allowedValues as unknown[]).join(', ') },
    };
  }
  const right = String(error.params.type ?? error.message)
    .replace(/^must be /, '')
    .replace(/^must match pattern /, 'text like ');
  return { key: 'warning.config_value', params: { file: CONFIG_FILE, key, right } };
}

/** Defaults, and what of `value` fits. */
export function settle(value: Tree): ReadConfig {
  const tree = structuredClone(value);
  const { check, fillIn } = validators();
  const warnings: MessageRef[] = [];
  if (!check(tree)) {
    for (const error of check.errors ?? []) {
      warnings.push(warningOf(error));
      remove(tree, placeOf(error));
    }
  }
  fillIn(tree);
  return { config: tree as unknown as Config, warnings };
}

type Environment = Record<string, string | undefined>;

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;

/** The environment wins over the file; a value that does not fit is said, and the file's stands. */
function overrule({ config, warnings }: ReadConfig, env: Environment): ReadConfig {
  const { PRE_PLANNING_ENABLED: enabled = '', PRE_PLANNING_CONFIDENCE_THRESHOLD: threshold = '' } = env;
  const planning = structuredClone(config.planning);
  const more: MessageRef[] = [];
  const misfit = (name: string, right: string): number => more.push({ key: 'warning.env_value', params: { name, right } });
  if (planning && enabled.trim() !== '') {
    const said = YES.test(enabled.trim()) ? true : NO.test(enabled.trim()) ? false : null;
    if (said === null) misfit('PRE_PLANNING_ENABLED', 'true, false');
    else planning.pre_planning.enabled = said;
  }
  if (planning && threshold.trim() !== '') {
    const number = Number(threshold);
    if (number >= 0 && number <= 1) planning.pre_planning.understanding.confidence_threshold = number;
    else misfit('PRE_PLANNING_CONFIDENCE_THRESHOLD', '0-1');
  }
  return { config: planning ? { ...config, planning } : config, warnings: [...warnings, ...more] };
}

/** Reads the configuration of a work tree. Never throws: an unreadable file is a warning, and all defaults. */
export const readConfig = (root: string, env: Environment = process.env): ReadConfig => overrule(readFile(root), env);

function readFile(root: string): ReadConfig {
  const unreadable = (detail: string): ReadConfig => ({
    ...settle({}),
    warnings: [{ key: 'warning.config_unreadable', params: { file: CONFIG_FILE, detail } }],
  });
  let text: string;
  try {
    const file = path.join(root, CONFIG_FILE);
    if (fs.statSync(file).size > MAX_BYTES) return unreadable(`> ${MAX_BYTES} bytes`);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? settle({}) : unreadable(code ?? String(error));
  }
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 50 });
  } catch (error) {
    return unreadable((error as Error).message.split('\n')[0] ?? '');
  }
  if (value === null || value === undefined) return settle({});
  return isTree(value) ? settle(value) : unreadable('not a mapping');
}
