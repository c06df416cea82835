import type { Call, Handler } from './call.ts';
import { spec } from './effects.ts';
import { parseOptions } from './options.ts';
import { absolute, normalize } from './targets.ts';
import { CUT, isKnown } from './values.ts';

const MAX_LINKS = 64;

/** Other names of files and folders that the command itself has made: by link, hard link or mount. */
export class Links {
  private readonly sources = new Map<string, string[]>();

  /** `name` now leads to one of `sources`. */
  add(name: string, sources: readonly string[]): void {
    this.sources.set(normalize(name), sources.map(normalize));
  }

  /**
   * The paths that `path` may lead to.
   * @param last whether a link at the end of the path is followed: writing follows it, removing does not
   */
  readings(path: string, last: boolean): string[] {
    if (this.sources.size === 0 || !isKnown(path)) return [];
    const found = new Set<string>();
    const waiting = [normalize(path)];
    for (let at = waiting.pop(); at !== undefined && found.size < MAX_LINKS; at = waiting.pop()) {
      for (const name of this.namesIn(at)) {
        if (at === name && !last) continue;
        const sources = this.sources.get(name) ?? [];
        for (const source of sources) {
          const path = source + at.slice(name.length);
          if (!found.has(path)) waiting.push(path);
          found.add(path);
        }
      }
    }
    return found.size < MAX_LINKS ? [...found] : [...found, CUT];
  }

  /** The links that `path` leads through: looked for among its folders or among all links, whichever are fewer. */
  private namesIn(path: string): string[] {
    const ends = path.split('/').length - 1;
    if (ends > this.sources.size) return [...this.sources.keys()].filter((name) => path === name || path.startsWith(`${name}/`));
    const names: string[] = [];
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) names.push(path.slice(0, at));
    return [...names, path].filter((name) => this.sources.has(name));
  }
}

const LN = spec('-S --suffix -t --target-directory');

/** Commands that give a file another name; what they write is left to the table. */
export const LINKERS: [string, Handler][] = [
  ...['ln', 'gln', 'link'].map((name): [string, Handler] => [name, link]),
  ...['cp', 'gcp'].map((name): [string, Handler] => [name, copy]),
  ['mount', bind],
];

function link(call: Call): null {
  const { options, operands } = parseOptions(call.args, LN);
  const folder = options.get('-t')?.at(-1) ?? options.get('--target-directory')?.at(-1);
  remember(
    call,
    folder === undefined && operands.length > 1 ? operands.slice(0, -1) : operands,
    folder ?? operands.at(-1) ?? '',
    folder !== undefined,
  );
  return null;
}

/** `cp -l` and `cp -s` make links; `cp -r` may write into the work tree from above it. */
function copy(call: Call): null {
  const { options, operands } = parseOptions(call.args, LN);
  if (['-r', '-R', '-a', '--recursive', '--archive'].some((option) => options.has(option))) {
    const named = options.get('-t')?.at(-1) ?? options.get('--target-directory')?.at(-1);
    const folder = named ?? operands.at(-1) ?? '';
    for (const source of named === undefined ? operands.slice(0, -1) : operands) {
      const name = source.replace(/\/+$/, '').replace(/^.*\//, '');
      call.evaluator.judge.target(/^\.{0,2}$/.test(name) ? folder : `${folder}/${name}`, call.name, call.scope, { deep: true });
    }
  }
  const links = ['-l', '-s', '--link', '--symbolic-link'].some((option) => options.has(option));
  if (links && operands.length > 1) remember(call, operands.slice(0, -1), operands.at(-1) ?? '', false);
  return null;
}

function bind(call: Call): null {
  const { options, operands } = parseOptions(call.args, spec('-o -t --types'));
  const binds =
    options.has('--bind') || options.has('--rbind') || options.has('-B') || options.get('-o')?.some((value) => /\br?bind\b/.test(value));
  if (binds && operands.length === 2) remember(call, operands.slice(0, 1), operands[1] ?? '', false);
  return null;
}

function remember({ scope, evaluator }: Call, sources: readonly string[], target: string, isFolder: boolean): void {
  const to = absolute(target, scope.folder, scope);
  if (to === null || !isKnown(to)) return;
  const into = isFolder || /(^|\/)\.{0,2}\/?$/.test(target) || evaluator.isFolder(to);
  for (const source of sources) {
    const name = into ? `${to}/${source.slice(source.replace(/\/+$/, '').lastIndexOf('/') + 1)}` : to;
    const from = absolute(source, scope.folder, scope);
    // A symlink's text starts from its own folder, a hard link's and `-r`'s from here.
    const own = source.startsWith('/') ? null : `${normalize(name).replace(/\/[^/]*$/, '')}/${source}`;
    evaluator.judge.links.add(name, [from, own].filter((path) => path !== null && isKnown(path)) as string[]);
  }
}
