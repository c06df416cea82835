/** What a foreign MCP tool would change (RG05), and what a message could bring back as a prompt (RG06). In bash: hooks/lib/mcp-tool.sh. */
import { exactly, matcherOf } from '../globs/match.ts';
import { catalog } from './catalog.ts';
import { type Effect, type Effects, NO_EFFECTS, type Surveyed } from './effect.ts';
import { absolutePath } from './path.ts';
import { placeOf, type Surroundings } from './place.ts';
import { quote } from './shell/values.ts';

/** What the catalog calls every foreign MCP tool. */
export const MCP_FAMILY = 'mcp__*';

/** What it calls those that run commands. */
export const MCP_SHELL = 'mcp__*:shell';

/** How the user's own commands begin. */
const COMMAND = '/readygate:';

const wordSet = (text: string): Set<string> => new Set(text.split(' '));
const words = {
  verbs: wordSet(catalog.mcp.verbs),
  objects: wordSet(catalog.mcp.objects),
  never: wordSet(catalog.mcp.never),
  names: wordSet(catalog.mcp.names),
  plainVerbs: wordSet(catalog.mcp.plain_verbs),
  plainFillers: wordSet(catalog.mcp.plain_fillers),
  gitHistory: wordSet(catalog.mcp.git_history),
  gitFiles: wordSet(catalog.mcp.git_files),
  shellVerbs: wordSet(catalog.mcp.shell_verbs),
  shellObjects: wordSet(catalog.mcp.shell_objects),
  shellNames: wordSet(catalog.mcp.shell_names),
};
const COMMANDS = catalog.mcp.commands.split(' ');
const FOLDERS = catalog.mcp.folders.split(' ');
const PATHS = catalog.mcp.paths.split(' ');
const GIT_PATHS = catalog.mcp.git_paths.split(' ');

/** Whether a tool belongs to an MCP server that is not the plugin's own. */
export const isForeign = (tool: string): boolean => tool.startsWith('mcp__') && !tool.startsWith(catalog.mcp.own);

/** The words of a name, split at `_`, `-` and where a capital follows a small letter. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/);
}

const matches = (name: string, pattern: string): boolean =>
  matcherOf(Array.from(pattern, (char) => (char === '*' ? { of: '.', many: true } : exactly(char)))).test(name);

/**
 * Whether a foreign MCP tool changes files, by its name.
 * @param tool its full name, `mcp__server__tool`
 * @param more patterns of the configuration; `*` stands for anything
 */
function changesFiles(tool: string, more: readonly string[]): boolean {
  if (more.some((pattern) => matches(tool, pattern))) return true;
  const name = tool.split('__').at(-1) ?? '';
  const own = wordsOf(name);
  if (words.names.has(own.join('_'))) return true;
  if (own.some((word) => words.never.has(word))) return false;
  return own.some((word) => words.verbs.has(word)) && own.some((word) => words.objects.has(word));
}

/** Whether a name says nothing but that something is changed (`write`, `search_and_replace`): it is about a file if it gets a path. */
function onlyChanges(tool: string): boolean {
  const own = wordsOf(tool.split('__').at(-1) ?? '');
  return own.some((word) => words.plainVerbs.has(word)) && own.every((word) => words.plainVerbs.has(word) || words.plainFillers.has(word));
}

/** What a tool of a git server changes in its repository; null when it is none, or one that reads. */
function gitKind(tool: string): 'history' | 'tree' | null {
  const name = wordsOf(tool.split('__').at(-1) ?? '').join('_');
  if (words.gitHistory.has(name)) return 'history';
  return words.gitFiles.has(name) ? 'tree' : null;
}

/** A command that a foreign MCP tool would run. */
export interface McpCommand {
  readonly command: string;
  readonly cwd: string;
  readonly powershell: boolean;
}

const textsOf = (value: unknown): string[] => [value].flat().filter((text) => typeof text === 'string') as string[];

/**
 * The command that a foreign MCP tool runs in a shell; null when it is no such tool. Only layer 2 asks.
 * @param call the tool call
 * @param home what `~` stands for
 */
export function mcpCommand({ tool, input, cwd }: Surveyed, home: string): McpCommand | null {
  if (!isForeign(tool)) return null;
  const own = wordsOf(tool.split('__').at(-1) ?? '');
  const runs = own.some((word) => words.shellVerbs.has(word)) && own.some((word) => words.shellObjects.has(word));
  if (!runs && !words.shellNames.has(own.join('_'))) return null;
  const given = COMMANDS.map((key) => (Object.hasOwn(input, key) ? textsOf(input[key]) : [])).find((texts) => texts.length > 0);
  const [first, ...rest] = given ?? [];
  if (first === undefined) return null;
  // A list of words, or a program with `args` of its own; one text is a command line.
  const args = [...rest, ...(Object.hasOwn(input, 'args') ? textsOf(input.args) : [])];
  const folder = FOLDERS.flatMap((key) => (Object.hasOwn(input, key) ? textsOf(input[key]) : [])).find((text) => text !== '');
  return {
    command: [first, ...args.map(quote)].join(' '),
    cwd: folder === undefined ? cwd : absolutePath(plainPath(folder), cwd, home),
    powershell: own.some((word) => word === 'powershell' || word === 'pwsh'),
  };
}

/** The paths that the arguments name: fields of a list of the catalog's, texts and lists of texts. */
function pathsOf(input: Readonly<Record<string, unknown>>, fields: readonly string[] = PATHS): string[] {
  const named = fields.flatMap((key) => (Object.hasOwn(input, key) ? input[key] : []));
  return named.flat().filter((value) => typeof value === 'string' && value !== '') as string[];
}

const plainPath = (path: string): string => (path.startsWith('file://') ? path.slice('file://'.length) : path);

/** Whether it can be seen where a path leads: a relative one starts wherever its server says. */
const isPlain = (path: string): boolean => /^(\/|~(\/|$))/.test(path);

function effectOf(tool: string, path: string, cwd: string, around: Surroundings): Effect | null {
  const plain = plainPath(path);
  const place = placeOf(absolutePath(plain, cwd, around.home), around);
  if (place === 'guard' || place === 'hooks-off' || place === 'history') return { kind: place, by: tool, target: path };
  return place !== null || !isPlain(plain) ? { kind: 'tree', by: tool, target: path } : null;
}

/**
 * @param call a foreign MCP tool
 * @param around the places that matter
 * @param more the configuration's `guard.mutating_tools`
 */
export function mcpEffects({ tool, input, cwd }: Surveyed, around: Surroundings, more: readonly string[]): Effects {
  if (!isForeign(tool)) return NO_EFFECTS;
  const git = gitKind(tool);
  if (git !== null) return gitEffects(git, { tool, input, cwd }, around);
  const paths = pathsOf(input);
  if (!changesFiles(tool, more) && !(paths.length > 0 && onlyChanges(tool))) return NO_EFFECTS;
  if (paths.length === 0) return { effects: [{ kind: 'tree', by: tool, target: '?' }] };
  return { effects: paths.map((path) => effectOf(tool, path, cwd, around)).filter((effect) => effect !== null) };
}

/** A git server works in the repository that it is given, or in one that it was started for. */
function gitEffects(kind: 'history' | 'tree', { tool, input, cwd }: Surveyed, around: Surroundings): Effects {
  const paths = pathsOf(input, GIT_PATHS);
  const reached = paths.length === 0 ? ['?'] : paths.filter((path) => effectOf(tool, path, cwd, around) !== null);
  return { effects: reached.map((target) => ({ kind, by: tool, target })) };
}

/** @param call a tool whose text can come back as a prompt: scheduling, messages to agents */
export function messageEffects({ tool, input }: Surveyed): Effects {
  if (!catalog.message_tools.includes(tool) || !JSON.stringify(input).includes(COMMAND)) return NO_EFFECTS;
  return { effects: [{ kind: 'guard', by: tool, target: COMMAND }] };
}
