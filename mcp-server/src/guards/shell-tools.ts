/** What a shell tool's command would change (RG04, RG06, RG07). Layer 1's reading of the same: hooks/lib/shell-tool.sh. */
import { catalog } from './catalog.ts';
import { type Effect, type Effects, NO_EFFECTS, namesHooksPath, type Surveyed, unjudged } from './effect.ts';
import { ignoredIn } from './ignored.ts';
import { isFolder } from './path.ts';
import { guardedPlugin, type Place, placeOf, type Surroundings } from './place.ts';
import { analyzePowerShell, analyzeShell, type ShellContext, type ShellWrite } from './shell/analyze.ts';

const MAX_SHOWN = 300;

/** The plugin's own programs; one that the model starts answers to nobody. */
const SERVER = /\/server(-main)?\.cjs$/;

/** Whether a shell tool runs PowerShell; all others run bash. */
const isPowerShell = (tool: string): boolean => tool === 'PowerShell';

/** Answers are kept for one call: a command names the same few paths again and again. */
function remembered<T>(ask: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const found = known.get(path);
    if (found !== undefined || known.has(path)) return found as T;
    const answer = ask(path);
    known.set(path, answer);
    return answer;
  };
}

function contextOf(cwd: string, around: Surroundings, place: (path: string) => Place | null): ShellContext {
  const inside = (path: string) => place(path) !== null;
  const plugin = guardedPlugin(around);
  return {
    cwd,
    root: around.root,
    home: around.home,
    tmpdir: process.env.TMPDIR || '/tmp',
    pathInside: inside,
    isIgnored: remembered(ignoredIn(around.root)),
    // What lies inside may be there by the time the command runs.
    isDirectory: remembered((path) => inside(path) || isFolder(path)),
    isServer: (path) => SERVER.test(path) && place(path) === 'guard',
    ...(plugin === '' ? {} : { pluginRoot: plugin }),
  };
}

/** The analysis goes by names; links and the places outside the tree are known here. */
function kindOf({ kind, resolved }: ShellWrite, command: string, place: (path: string) => Place | null): Effect['kind'] {
  const found = resolved === null ? null : place(resolved);
  if (found === 'guard' || found === 'hooks-off' || found === 'history') return found;
  if ((found === 'git-config' || kind === 'git-config') && namesHooksPath(command)) return 'hooks-off';
  return kind;
}

/** What stands in a message: of something long only its beginning, on one line. */
function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** A command and how it is run. */
export interface CommandLine {
  readonly command: string;
  readonly cwd: string;
  readonly powershell: boolean;
}

/**
 * @param call Bash, PowerShell or Monitor
 * @param around the places that matter
 */
export function shellEffects({ tool, input, cwd }: Surveyed, around: Surroundings): Effects {
  const field = Object.hasOwn(catalog.shell_tools, tool) ? catalog.shell_tools[tool] : undefined;
  if (field === undefined) return NO_EFFECTS;
  const command = input[field];
  if (typeof command !== 'string') return unjudged('the call holds no command; it is not gated');
  return commandEffects({ command, cwd, powershell: isPowerShell(tool) }, around);
}

/**
 * What a command line would change, whatever tool runs it.
 * @param line the command, the folder it starts in, and whether PowerShell reads it
 */
export function commandEffects({ command, cwd, powershell }: CommandLine, around: Surroundings): Effects {
  const place = remembered((path) => placeOf(path, around));
  const context = contextOf(cwd, around, place);
  const { writes, unparsable, unread } = powershell ? analyzePowerShell(command, context) : analyzeShell(command, context);
  const effects: Effect[] = writes.map((write) => ({
    kind: kindOf(write, command, place),
    by: shown(write.by),
    target: shown(write.target ?? around.root),
  }));
  if (unread) effects.push({ kind: 'unread', by: shown(command).split(' ', 1)[0] ?? '', target: around.root });
  return { effects, ...(unparsable ? { note: 'the command could not be read to its end; what could not be read is not gated' } : {}) };
}
