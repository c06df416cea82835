import type { Call } from './call.ts';
import { spec } from './effects.ts';
import { type ParsedOptions, parseOptions } from './options.ts';
import type { Subcommand } from './rules.ts';
import { absolute } from './targets.ts';
import { plain, UNKNOWN } from './values.ts';
import type { WriteKind } from './verdict.ts';

/** What a git command acts on: its folder, unless options or variables name others. */
export interface Places {
  /** Where history, index and settings are. */
  repository: string;
  /** Where its files are. */
  tree: string;
  /** The repository is named, and is not that of the work tree. */
  elsewhere: boolean;
}

/** `--git-dir` and `--work-tree`, GIT_DIR and GIT_WORK_TREE: an unknown place is one that nothing is said about. */
export function placesOf(call: Call, { scope }: Subcommand): Places {
  const place = (option: string, variable: string): string | null => {
    const at = call.args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
    const value = call.args[at]?.startsWith(`${option}=`) ? call.args[at]?.slice(option.length + 1) : call.args[at + 1];
    const given = at < 0 ? scope.variables.get(variable)?.alternatives[0] : value;
    return given === undefined || given === '' ? null : (absolute(given, scope.folder, scope) ?? UNKNOWN);
  };
  const repository = place('--git-dir', 'GIT_DIR');
  // Beside a named repository, the folder itself is the work tree.
  const tree = place('--work-tree', 'GIT_WORK_TREE') ?? (repository === UNKNOWN ? UNKNOWN : scope.folder);
  const elsewhere = repository !== null && !call.evaluator.judge.inside(repository);
  return { repository: repository ?? scope.folder, tree, elsewhere };
}

/** Judges the repository for what goes to history, and the work tree for what goes to files. */
export function judgePlaces(call: Call, by: string, kind: WriteKind, files: boolean, { repository, tree }: Places): void {
  const { judge } = call.evaluator;
  if (repository === tree) {
    judge.repository(by, kind, tree);
    return;
  }
  if (kind === 'tree' || files) judge.repository(by, 'tree', tree);
  // Taking files back writes the index, too.
  if (kind !== 'tree') judge.repository(by, kind, repository);
  else if (!/ (apply|clean|merge-file)$/.test(by)) judge.repository(by, 'git-index', repository);
}

/** Whether a command that changes history or the index changes files of the work tree with it. */
export function changesFiles(sub: string, rest: readonly string[], { options }: ParsedOptions): boolean {
  if (sub === 'reset') return ['--hard', '--merge', '--keep'].some((option) => options.has(option));
  if (sub === 'stash') return !/^(drop|clear|store)$/.test(rest[0] ?? '');
  if (sub === 'read-tree') return options.has('-u');
  return /^(checkout|switch|merge|rebase|cherry-pick|revert|am|pull|bisect|subtree)$/.test(sub);
}

const PUSH = spec('-o --push-option --receive-pack --exec --repo');
const WORKTREE = spec('-b -B --reason');

/** Paths that a command of any repository writes to: another repository by `push`, folders of work trees. */
export function pathsElsewhere(call: Call, { sub, rest, scope }: Subcommand): void {
  const { judge } = call.evaluator;
  if (sub === 'push' || sub === 'send-pack') {
    const { options, operands } = parseOptions(rest, PUSH);
    if (options.has('--help') || options.has('--dry-run') || options.has('-n')) return;
    const url = plain(operands[0] ?? options.get('--repo')?.[0] ?? '').replace(/^file:\/\/(localhost)?/, '');
    const path = /^[./]/.test(url) ? absolute(url, scope.folder, scope) : null;
    if (path !== null) judge.repository(`git ${sub}`, 'history', path);
  } else if (sub === 'worktree') {
    const [verb = ''] = rest;
    if (!/^(add|move|remove)$/.test(verb)) return;
    const { options, operands } = parseOptions(rest.slice(1), WORKTREE);
    if (options.has('--help')) return;
    for (const path of verb === 'move' ? operands.slice(0, 2) : operands.slice(0, 1)) judge.target(path, 'git worktree', scope);
  }
}
