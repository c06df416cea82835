/** What a command would write, by the guard that cares. */
export type WriteKind = 'tree' | 'git-index' | 'git-refs' | 'git-config' | 'guard' | 'history' | 'hooks-off';

export interface ShellWrite {
  /** The target as the command names it; null for a write without a named file. */
  target: string | null;
  /** The absolute path, as far as it is known. */
  resolved: string | null;
  /** The command or operator that writes. */
  by: string;
  kind: WriteKind;
}

export interface ShellVerdict {
  writes: ShellWrite[];
  unparsable: boolean;
  /** The command is too long or too deeply nested: a part of it was not judged that may do anything. */
  unread: boolean;
  notes: string[];
}

/** What the analysis has to be told about the world; it touches no disk itself. */
export interface ShellContext {
  cwd: string;
  root: string;
  home: string;
  tmpdir: string;
  /** Whether an absolute path belongs to the work tree. */
  pathInside: (absolute: string) => boolean;
  /** Whether git ignores the path; without it, common build folders count as ignored. */
  isIgnored?: (absolute: string) => boolean;
  /** Whether a folder exists; without it, a folder is taken to exist unless no system has its first component. */
  isDirectory?: (absolute: string) => boolean;
  pluginRoot?: string;
  /** Whether a file is one of the plugin's programs. */
  isServer?: (absolute: string) => boolean;
  env?: Readonly<Record<string, string>>;
}
