/** The user's settings file of Claude Code, as far as the status line goes. What else stands in it stays as it is. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeAtomic } from '../state/session-file.ts';

/** A settings file that cannot be changed without losing something. */
export class SettingsUnreadable extends Error {
  readonly file: string;
  constructor(file: string, detail: string) {
    super(detail);
    this.file = file;
  }
}

/** A settings file that its owner, or whatever program keeps it, has made read-only: a rename would put another in its place. */
export class SettingsReadOnly extends Error {
  readonly file: string;
  constructor(file: string) {
    super(`${file} is read-only`);
    this.file = file;
  }
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where Claude Code keeps the user's files. */
const configFolder = (env: NodeJS.ProcessEnv): string => env.CLAUDE_CONFIG_DIR || path.join(env.HOME || os.homedir(), '.claude');

const settingsFile = (env: NodeJS.ProcessEnv): string => path.join(configFolder(env), 'settings.json');
/** A link, as people who keep their settings in a repository have, is followed, not replaced. */
function realFile(file: string): string {
  if (fs.existsSync(file)) return fs.realpathSync(file);
  const link = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return link ? path.resolve(path.dirname(file), fs.readlinkSync(file)) : file;
}

export const ownFolder = (env: NodeJS.ProcessEnv): string => path.join(configFolder(env), 'readygate');
export const launcherFile = (env: NodeJS.ProcessEnv): string => path.join(ownFolder(env), 'statusline.sh');
/** The status line that was there before ours; absent when there was none. */
export const beforeFile = (env: NodeJS.ProcessEnv): string => path.join(ownFolder(env), 'statusline-before.json');

export interface Settings {
  file: string;
  tree: Tree;
  indent: string;
}

/** Reads the user's settings; no file is an empty one. @throws SettingsUnreadable */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const file = realFile(settingsFile(env));
  if (!fs.existsSync(file)) return { file, tree: {}, indent: '  ' };
  let text = '';
  let tree: unknown;
  try {
    text = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    tree = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    throw new SettingsUnreadable(file, (error as Error).message);
  }
  if (!isTree(tree)) throw new SettingsUnreadable(file, 'not a JSON object');
  return { file, tree, indent: /^([ \t]+)"/m.exec(text)?.[1] ?? '  ' };
}

/** @throws SettingsReadOnly. Where there is no file yet, nothing is in the way. */
export function assertWritable({ file }: Settings): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat) return;
  // The system lets root write anything, so the mode is asked, too.
  if ((stat.mode & 0o222) === 0) throw new SettingsReadOnly(file);
  try {
    fs.accessSync(file, fs.constants.W_OK);
  } catch {
    throw new SettingsReadOnly(file);
  }
}

/** Writes the settings whole or not at all, with the file's own mode. @throws StorageFailed */
export function writeSettings({ file, tree, indent }: Settings): void {
  const mode = fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : 0o600;
  writeAtomic(file, `${JSON.stringify(tree, null, indent)}\n`);
  fs.chmodSync(file, mode);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What stands in the settings for our status line. */
export const ownCommand = (env: NodeJS.ProcessEnv): string => `/bin/bash ${quoted(launcherFile(env))}`;

/** Whether a status line is the one that this program writes. */
export const isOwn = (statusLine: unknown, env: NodeJS.ProcessEnv): boolean => isTree(statusLine) && statusLine.command === ownCommand(env);

/** The command of a status line of the user's own, or null. */
export const commandOf = (statusLine: unknown): string | null =>
  isTree(statusLine) && typeof statusLine.command === 'string' && statusLine.command.trim() !== '' ? statusLine.command : null;

/**
 * The script that the settings name. It lies beside them, because the plugin's own folder changes with every version: if the
 * one of its making is gone, a sibling is taken. The line that the user had before comes first, with the same input.
 */
export function launcherText(plugin: string, before: string | null): string {
  return `#!/bin/bash
# Readygate's status line. Written by: readygate statusline --install. Taken away by: readygate statusline --remove
set -u
plugin=${quoted(plugin)}
before=${quoted(before ?? '')}
IFS= read -r -d '' -n 65536 input
if [[ -n $before ]]; then
  line=$(/bin/sh -c "$before" <<<"$input")
  [[ -z $line ]] || printf '%s\\n' "$line"
fi
if [[ ! -r $plugin/hooks/statusline.sh ]]; then
  for folder in "\${plugin%/*}"/*/; do
    [[ -r \${folder}hooks/statusline.sh ]] && plugin=\${folder%/}
  done
fi
[[ -r $plugin/hooks/statusline.sh ]] || exit 0
# shellcheck source=/dev/null
. "$plugin/hooks/statusline.sh" <<<"$input"
`;
}
