import { effectTable } from './effects.ts';
import { Links } from './links.ts';
import type { Scope } from './scope.ts';
import { BELOW, CUT, globPattern, hasGlob, isKnown, plain, UNKNOWN } from './values.ts';
import type { ShellContext, ShellWrite, WriteKind } from './verdict.ts';

export interface TargetOptions {
  kind?: WriteKind;
  /** Acts on whole trees, so that a parent of the work tree counts too. */
  deep?: boolean;
  /** The folder relative targets start from, if not the current one. */
  from?: string;
}

/** What is not the shortest way to write a path: a dot that begins a segment need not be one, but is looked at. */
const UNTIDY = /\/(?:\.|\/|$)/;

/** Removes `.`, `..` and doubled slashes by reading, without looking at the disk. */
export function normalize(path: string): string {
  if (path.startsWith('/') && !UNTIDY.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** `target` as seen from `folder`; null when where it lies cannot be seen. */
export function absolute(target: string, folder: string, scope: Scope): string | null {
  if (target.startsWith('/')) {
    if (scope.mounts.length === 0) return target;
    for (const mount of scope.mounts) {
      if (target === mount.inside || target.startsWith(`${mount.inside}/`)) return mount.outside + target.slice(mount.inside.length);
    }
    return null;
  }
  if (target.startsWith(UNKNOWN) || !folder.startsWith('/')) return null;
  return `${folder}/${target}`;
}

/** Commands that change a name, not what it leads to. */
const ACTS_ON_NAMES = /^(g?rm|rmdir|unlink|g?mv|g?ln|link|find -delete|rename)$/;

/** Collects the writes of one command, judging each target. */
export class TargetJudge {
  readonly writes: ShellWrite[] = [];
  readonly links = new Links();
  private readonly context: ShellContext;
  private readonly seen = new Set<string>();

  private readonly meetsUnknown: (value: string) => void;

  /** @param meetsUnknown is told of targets that are not fully known */
  constructor(context: ShellContext, meetsUnknown: (value: string) => void = () => {}) {
    this.context = context;
    this.meetsUnknown = meetsUnknown;
  }

  /** Judges a target and records it if it matters. */
  target(target: string, by: string, scope: Scope, options: TargetOptions = {}): void {
    const folder = options.from ?? scope.folder;
    const path = absolute(target, folder, scope);
    const known = isKnown(target) && (target.startsWith('/') || isKnown(folder));
    if (!known && target !== '') this.meetsUnknown(target + folder);
    if (path === null || target === '') return;
    for (const reading of [path, ...this.links.readings(path, !ACTS_ON_NAMES.test(by))]) {
      if (reading === CUT) this.meetsUnknown(reading);
      for (const candidate of this.candidates(reading)) {
        const kind = this.kindOf(candidate, options);
        if (kind !== null) this.record(plain(target), candidate.path, by, kind);
      }
    }
  }

  /** Records a write to the repository that `folder` belongs to. */
  repository(by: string, kind: WriteKind, folder: string): void {
    if (!isKnown(folder)) this.meetsUnknown(folder);
    if (!folder.startsWith('/') || !isKnown(folder)) return;
    if (this.inside(folder)) this.record(null, null, by, kind);
  }

  record(target: string | null, resolved: string | null, by: string, kind: WriteKind): void {
    const clean = target === null ? null : target.replace(/\uE000\uE004?/g, '…');
    const key = `${kind}\t${clean}\t${by}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.writes.push({ target: clean, resolved, by, kind });
  }

  inside(path: string): boolean {
    return this.context.pathInside(path) || this.context.pathInside(normalize(path));
  }

  /** Whether a folder may be entered; unknown folders are taken to exist unless no system has such a place. */
  mayFail(folder: string): boolean {
    if (this.context.isDirectory !== undefined) return !this.context.isDirectory(normalize(folder));
    const top = normalize(folder).split('/')[1] ?? '';
    const root = this.context.root.split('/')[1];
    return top !== '' && top !== root && !STANDARD_TOPS.has(top);
  }

  /** The part of a path before its first unknown or globbed segment, and what the globs may stand for. */
  private candidates(path: string): { path: string; exact: boolean }[] {
    if (isKnown(path) && !hasGlob(path)) return [{ path, exact: true }];
    const through = throughGlobs(path, normalize(this.context.root));
    return through === null ? this.prefixes(path) : [...this.prefixes(path), ...this.prefixes(through)];
  }

  private prefixes(path: string): { path: string; exact: boolean }[] {
    if (isKnown(path) && !hasGlob(path)) return [{ path, exact: true }];
    const segments = path.split('/');
    const at = segments.findIndex((segment) => !isKnown(segment) || hasGlob(segment));
    const prefix = segments.slice(0, at).join('/') || '/';
    const found = [{ path: prefix, exact: false }];
    const segment = segments[at] ?? '';
    if (hasGlob(segment) && segment.startsWith('.')) {
      for (const name of ['.readygate', '.git', '.claude']) {
        if (globPattern(segment).test(name)) found.push({ path: [prefix, name, ...segments.slice(at + 1)].join('/'), exact: true });
      }
    }
    return found;
  }

  private kindOf(candidate: { path: string; exact: boolean }, options: TargetOptions): WriteKind | null {
    const { context } = this;
    const path = normalize(candidate.path);
    const root = normalize(context.root);
    if (context.pluginRoot !== undefined && within(path, context.pluginRoot)) return 'guard';
    if (/^\/\.claude\/settings[^/]*\.json$/.test(path.slice(context.home.length)) && path.startsWith(context.home)) return 'hooks-off';
    if (options.deep && candidate.exact && within(root, path)) return 'tree';
    if (!this.inside(candidate.path)) return null;
    const relative = within(path, root) ? path.slice(root.length + 1) : '';
    const special = specialKind(relative);
    if (special !== null) return special;
    if (this.ignored(candidate.path, relative)) return null;
    return options.kind ?? 'tree';
  }

  private ignored(path: string, relative: string): boolean {
    if (this.context.isIgnored !== undefined) return this.context.isIgnored(normalize(path));
    return relative.split('/').some((segment) => effectTable().ignored.has(segment));
  }
}

/** `path` with the work tree's own names for the globs that can match them, if it so leads into the tree; or to a folder above it. */
function throughGlobs(path: string, root: string): string | null {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const names = root.split('/').slice(1);
  for (let at = segments.indexOf('..'); at > 0 && !hasGlob(segments[at - 1] ?? ''); at = segments.indexOf('..')) segments.splice(at - 1, 2);
  let globs = 0;
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? '';
    if (segment === BELOW) return root;
    if (segment === name) continue;
    if (!hasGlob(segment) || !isKnown(segment) || (name.startsWith('.') && !segment.startsWith('.'))) {
      return globs > 0 && index === segments.length ? `/${names.slice(0, index).join('/')}` : null;
    }
    if (!globPattern(segment).test(name)) return null;
    globs++;
  }
  return globs > 0 ? [root, ...segments.slice(names.length)].join('/') : null;
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Paths of the work tree that have a guard of their own. */
function specialKind(relative: string): WriteKind | null {
  if (/^\.readygate(\/|$)/.test(relative)) return 'guard';
  if (/^\.git$|^\.git\/hooks(\/|$)/.test(relative)) return 'hooks-off';
  if (/^\.claude\/settings[^/]*\.json$/.test(relative)) return 'hooks-off';
  if (/^\.git\/index(\.lock)?$/.test(relative)) return 'git-index';
  if (/^\.git\/config(\.\w+)?$/.test(relative)) return 'git-config';
  if (/^\.git\//.test(relative)) return 'git-refs';
  return null;
}

const STANDARD_TOPS = new Set(
  'tmp var usr etc opt home root srv mnt media dev proc sys bin sbin lib run boot Users private Volumes System Library Applications cygdrive c d workspace workspaces work app data'.split(
    ' ',
  ),
);
