/**
 * Whether a path belongs to a session's work tree. The same rules in bash: hooks/lib/path.sh; keep the two in step, line by line.
 * A path is its raw text: node's own `path.join` and `path.resolve` would resolve `..` by name, before symlinks.
 */
import fs from 'node:fs';

const MAX_LINKS = 40;
const GITDIR = 'gitdir: ';

/** The path as an absolute one: `~` is `home`, everything relative is under `cwd`. */
export function absolutePath(target: string, cwd: string, home: string): string {
  const expanded = home !== '' && /^~(\/|$)/.test(target) ? home + target.slice(1) : target;
  return expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`;
}

/** Without empty parts, `.` and `..`; the root is empty. */
function lexicalPath(absolute: string): string {
  const parts: string[] = [];
  for (const part of absolute.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.map((part) => `/${part}`).join('');
}

/** The folder above; the root is empty. */
export function parent(dir: string): string {
  return dir.slice(0, Math.max(0, dir.lastIndexOf('/')));
}

/** Answers about the disk, kept while one call is judged: a long command names hundreds of paths in the same few folders. */
let answers: Map<string, unknown> | null = null;

/** Looks at the disk once for every path while `judge` runs. */
export function lookingOnce<T>(judge: () => T): T {
  answers = new Map();
  try {
    return judge();
  } finally {
    answers = null;
  }
}

/** Asks the disk; undefined for whatever reason it does not answer. */
function once<T>(what: string, path: string, ask: () => T): T | undefined {
  const key = `${what} ${path}`;
  if (answers?.has(key)) return answers.get(key) as T | undefined;
  let answer: T | undefined;
  try {
    answer = ask();
  } catch {
    answer = undefined;
  }
  answers?.set(key, answer);
  return answer;
}

/** What is at `file`, links followed; undefined for whatever reason it cannot be looked at. */
export function stat(file: string): fs.BigIntStats | undefined {
  return once('stat', file, () => fs.statSync(file, { bigint: true }));
}

export const isFolder = (file: string): boolean => stat(file || '/')?.isDirectory() === true;

/** What the symlink `file` holds, if it is one. */
export function linkTarget(file: string): string | undefined {
  return once('link', file, () => fs.readlinkSync(file));
}

/** Where `cd -P dir` leads, or undefined when it may not be entered. */
export function enter(dir: string): string | undefined {
  return once('enter', dir, () => {
    fs.accessSync(dir || '/', fs.constants.X_OK);
    return fs.realpathSync.native(dir || '/').replace(/\/$/, '');
  });
}

/** With every symlink resolved, dangling ones too; the root is empty. */
function physicalPath(absolute: string): string {
  let path = absolute;
  for (let links = 0; ; ) {
    let base = path;
    while (!isFolder(base)) base = parent(base);
    const rest = path.slice(base.length).replace(/^\/+/, '');
    base = enter(base) ?? base.replace(/\/$/, '');
    const first = rest.split('/', 1)[0] ?? '';
    const target = first === '' ? undefined : linkTarget(`${base}/${first}`);
    if (target !== undefined && links++ < MAX_LINKS) {
      path = (target.startsWith('/') ? target : `${base}/${target}`) + rest.slice(first.length);
      continue;
    }
    path = lexicalPath(`${base}/${rest}`);
    // Behind a missing folder `..` can only be read by name; what it leads to may exist again.
    if (!`/${rest}/`.includes('/../')) return path;
  }
}

/** The git folder that `dir/.git` is or points to. */
function gitDir(dir: string): string | undefined {
  const entry = `${dir}/.git`;
  const info = stat(entry);
  if (info?.isDirectory()) return enter(entry);
  if (!info?.isFile()) return undefined;
  const line = firstLine(entry);
  if (!line.startsWith(GITDIR)) return undefined;
  const target = line.slice(GITDIR.length);
  return enter(target.startsWith('/') ? target : `${dir}/${target}`);
}

function firstLine(file: string): string {
  return once('line', file, () => fs.readFileSync(file, 'utf8').split('\n', 1)[0]) ?? '';
}

/** Whether both names lead to the same file or folder. */
export function isSame(a: string, b: string): boolean {
  const [x, y] = [stat(a || '/'), stat(b || '/')];
  return x !== undefined && y !== undefined && x.dev === y.dev && x.ino === y.ino;
}

/** Whether there is anything by this name, a dangling symlink too. */
export function isThere(file: string): boolean {
  return once('there', file, () => fs.lstatSync(file)) !== undefined;
}

/** The git folder of a work tree and, of a linked one, the folder that all work trees of the repository share. */
export function gitFolders(root: string): string[] {
  const own = gitDir(root);
  if (own === undefined) return [];
  const common = firstLine(`${own}/commondir`);
  const shared = common === '' ? undefined : enter(common.startsWith('/') ? common : `${own}/${common}`);
  return shared === undefined || shared === own ? [own] : [own, shared];
}

/** Whether `dir`'s git folder lies in the `modules/` of `root`'s. A linked work tree of a submodule lies there too, and is none. */
function isSubmodule(dir: string, root: string): boolean {
  if (stat(`${dir}/.git`)?.isFile() !== true) return false;
  let up = gitDir(dir);
  if (up === undefined || isThere(`${up}/commondir`)) return false;
  const own = gitDir(root);
  if (own === undefined) return false;
  while (up !== '') {
    up = parent(up);
    if (isSame(up, `${own}/modules`)) return true;
  }
  return false;
}

/** Whether the innermost repository around a physical path is the one of `root`. */
function belongsTo(physical: string, root: string): boolean {
  const found = once(`of ${root}`, physical, () => {
    if (isFolder(physical)) {
      // The same folder, not the same name: file systems fold case and are mounted twice.
      if (isSame(physical, root)) return true;
      if (isThere(`${physical}/.git`) && !isSubmodule(physical, root)) return false;
    }
    return physical !== '' && belongsTo(parent(physical), root);
  });
  return found === true;
}

/** Whether one of the folders of a physical path, itself included, is `folder`. */
export function leadsThrough(physical: string, folder: string): boolean {
  const found = once(
    `through ${folder}`,
    physical,
    () => isSame(physical, folder) || (physical !== '' && leadsThrough(parent(physical), folder)),
  );
  return found === true;
}

/** The physical paths that `absolute` may mean: `..` behind a symlink has two readings, and a tool may follow either. */
export function readings(absolute: string): string[] {
  const physical = physicalPath(absolute);
  if (!`/${absolute}/`.includes('/../')) return [physical];
  const lexical = physicalPath(lexicalPath(absolute));
  return lexical === physical ? [physical] : [physical, lexical];
}

/**
 * Whether writing to `absolute` writes into the work tree at `root`.
 * @param absolute an absolute path, as it was named
 * @param root the folder that holds `.readygate`
 */
export function isInside(absolute: string, root: string): boolean {
  return readings(absolute).some((physical) => belongsTo(physical, root));
}
