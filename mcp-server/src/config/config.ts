/** .readygate/config.yml: read at start_session, pinned for the session. Its rules stand in state/config.schema.json. */
import fs from 'node:fs';
import path from 'node:path';
import type { ValidateFunction } from 'ajv';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import schema from '../../../state/config.schema.json' with { type: 'json' };
import type { VerifyCommand } from '../evidence/verify-commands.ts';
import type { EvidenceMode } from '../evidence/weigh.ts';
import type { MessageRef } from '../flow/types.ts';
import type { LanguageChoice } from '../messages/language.ts';
import { ownSchemas } from '../own-schemas.ts';
import { FOLDER } from '../state/layout.ts';
import { isTree, type Misfit, misfitsOf } from './misfits.ts';

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

/** Takes out what does not fit, so that its default can stand in; of a list the entry alone. */
function remove(tree: Tree, { place, limit }: Misfit): void {
  let inner: unknown = tree;
  for (const key of place.slice(0, -1)) inner = (inner as Tree)[key];
  const last = place.at(-1);
  if (last === undefined) return;
  if (Array.isArray(inner)) inner.splice(Number(last), 1);
  else if (limit !== undefined) ((inner as Tree)[last] as unknown[]).splice(limit);
  else delete (inner as Tree)[last];
}

/**
 * Defaults, and what of `value` fits.
 * @param lineOf in which line of the file a key or an entry stands, where that is known
 */
export function settle(value: Tree, lineOf: (place: readonly string[]) => number | null = () => null): ReadConfig {
  const tree = structuredClone(value);
  const { check, fillIn } = validators();
  const fileAt = (place: readonly string[]): string => {
    const line = lineOf(place);
    return line === null ? CONFIG_FILE : `${CONFIG_FILE}:${line}`;
  };
  const misfits = check(tree) ? [] : misfitsOf(tree, check.errors ?? [], fileAt);
  // From the back, so that the entries of a list keep their numbers until it is their turn.
  for (const misfit of [...misfits].reverse()) remove(tree, misfit);
  fillIn(tree);
  return { config: tree as unknown as Config, warnings: misfits.map(({ warning }) => warning) };
}

/** Finds the line of a key, or of a list's entry, in a document. */
function linesIn(document: Document, counter: LineCounter): (place: readonly string[]) => number | null {
  return (place) => {
    const parent = document.getIn(place.slice(0, -1), true);
    const last = place.at(-1);
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === last) : undefined;
    const node = pair ? pair.key : isSeq(parent) ? parent.items[Number(last)] : undefined;
    const start = isNode(node) ? node.range?.[0] : undefined;
    return start === undefined ? null : counter.linePos(start).line;
  };
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
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  let value: unknown;
  try {
    if (document.errors[0]) throw document.errors[0];
    value = document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    return unreadable((error as Error).message.split('\n')[0] ?? '');
  }
  if (value === null || value === undefined) return settle({});
  return isTree(value) ? settle(value, linesIn(document, counter)) : unreadable('not a mapping');
}
