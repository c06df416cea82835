/** From what an import says to the files it means, by the rules of each language, as far as file names tell. */
import fs from 'node:fs';
import path from 'node:path';

export interface Resolved {
  file: string;
  /** What is taken from it. */
  names: string[];
}

const JS_ENDINGS = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.d.ts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '/index.ts',
  '/index.tsx',
  '/index.js',
  '/index.jsx',
  '/index.mjs',
];
const JS_SWAPS: readonly (readonly [RegExp, string[]])[] = [
  [/\.js$/, ['.ts', '.tsx', '.d.ts']],
  [/\.jsx$/, ['.tsx']],
  [/\.mjs$/, ['.mts']],
  [/\.cjs$/, ['.cts']],
];

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')));

function join(folder: string, relative: string): string {
  const joined = path.posix.normalize(folder === '' ? relative : `${folder}/${relative}`);
  return joined.startsWith('./') ? joined.slice(2) : joined;
}

export class Resolver {
  readonly #root: string;
  readonly #files: Set<string>;
  /** Files by their last part, to find what a path ends with. */
  readonly #byName = new Map<string, string[]>();
  readonly #byFolder = new Map<string, string[]>();
  readonly #goModules: { folder: string; name: string }[] = [];
  readonly #aliases: { prefix: string; targets: string[] }[] = [];
  readonly #packages = new Map<string, string>();

  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#files = new Set(files);
    for (const file of files) {
      const name = file.slice(file.lastIndexOf('/') + 1);
      this.#add(this.#byName, name, file);
      this.#add(this.#byFolder, folderOf(file), file);
      if (name === 'go.mod') this.#readGoModule(file);
      else if (/^(?:tsconfig(?:\.\w+)?|jsconfig)\.json$/.test(name)) this.#readPaths(file);
      else if (name === 'package.json') this.#readPackage(file);
    }
  }

  #add(map: Map<string, string[]>, key: string, value: string): void {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
  }

  #text(file: string): string {
    try {
      return fs.readFileSync(path.join(this.#root, file), 'utf8').slice(0, 200_000);
    } catch {
      return '';
    }
  }

  #readGoModule(file: string): void {
    const name = /^\s*module\s+(\S+)/m.exec(this.#text(file))?.[1];
    if (name !== undefined) this.#goModules.push({ folder: folderOf(file), name });
  }

  /** `compilerOptions.paths`; the file may hold comments, so only what looks like such an entry is read. */
  #readPaths(file: string): void {
    const text = this.#text(file);
    const paths = /"paths"\s*:\s*\{([^}]*)\}/.exec(text)?.[1];
    if (paths === undefined) return;
    const base = join(folderOf(file), /"baseUrl"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? '.');
    for (const [, key = '', list = ''] of paths.matchAll(/"([^"]+)"\s*:\s*\[([^\]]*)\]/g)) {
      const targets = [...list.matchAll(/"([^"]+)"/g)].map(([, target = '']) => join(base === '.' ? '' : base, target.replace(/\*$/, '')));
      this.#aliases.push({ prefix: key.replace(/\*$/, ''), targets });
    }
  }

  #readPackage(file: string): void {
    const name = /"name"\s*:\s*"([^"]+)"/.exec(this.#text(file))?.[1];
    if (name !== undefined) this.#packages.set(name, folderOf(file));
  }

  #ecmascriptFile(base: string): string | undefined {
    for (const ending of JS_ENDINGS) if (this.#files.has(base + ending)) return base + ending;
    for (const [written, endings] of JS_SWAPS) {
      if (!written.test(base)) continue;
      const found = endings.map((ending) => base.replace(written, ending)).find((file) => this.#files.has(file));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #ecmascript(from: string, spec: string, names: string[]): Resolved[] {
    const bare = spec.replace(/[?#].*$/, '');
    const places: string[] = [];
    if (bare.startsWith('.')) places.push(join(folderOf(from), bare));
    for (const { prefix, targets } of this.#aliases)
      if (bare.startsWith(prefix)) places.push(...targets.map((target) => join('', target + bare.slice(prefix.length))));
    for (const [name, folder] of this.#packages) {
      if (bare !== name && !bare.startsWith(`${name}/`)) continue;
      const rest = bare.slice(name.length + 1);
      places.push(join(folder, rest === '' ? 'src/index' : rest), join(folder, rest === '' ? 'index' : `src/${rest}`));
    }
    const file = places.map((place) => this.#ecmascriptFile(place)).find((found) => found !== undefined);
    return file === undefined ? [] : [{ file, names }];
  }

  #pythonModule(module: string, below: string | null): string | undefined {
    const relative = module.replaceAll('.', '/');
    const tries = (base: string) => [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`].find((file) => this.#files.has(file));
    if (below !== null)
      return (
        tries(join(below, relative === '' ? '.' : relative).replace(/^\.$/, '')) ??
        (relative === '' ? this.#known(join(below, '__init__.py')) : undefined)
      );
    const plain = tries(relative) ?? tries(`src/${relative}`);
    if (plain !== undefined || relative === '') return plain;
    const last = relative.slice(relative.lastIndexOf('/') + 1);
    return this.#endingWith(`${last}.py`, `${relative}.py`) ?? this.#endingWith('__init__.py', `${relative}/__init__.py`);
  }

  #known = (file: string): string | undefined => (this.#files.has(file) ? file : undefined);

  /** The one file that ends so; several are no answer. */
  #endingWith(name: string, ending: string): string | undefined {
    const found = (this.#byName.get(name) ?? []).filter((file) => file === ending || file.endsWith(`/${ending}`));
    return found.length === 1 ? found[0] : undefined;
  }

  #python(from: string, spec: string, names: string[]): Resolved[] {
    const dots = /^\.*/.exec(spec)?.[0].length ?? 0;
    let below: string | null = null;
    if (dots > 0) {
      below = folderOf(from);
      for (let up = 1; up < dots; up++) below = folderOf(below);
    }
    const module = spec.slice(dots);
    const found: Resolved[] = [];
    const whole = this.#pythonModule(module, below);
    if (whole !== undefined) found.push({ file: whole, names });
    // What is imported may itself be a module.
    for (const name of names) {
      if (name === '*') continue;
      const inner = this.#pythonModule(module === '' ? name : `${module}.${name}`, below);
      if (inner !== undefined) found.push({ file: inner, names: ['*'] });
    }
    return found;
  }

  #inFolder(folder: string, ending: RegExp, names: string[]): Resolved[] {
    return (this.#byFolder.get(folder) ?? []).filter((file) => ending.test(file)).map((file) => ({ file, names }));
  }

  #go(spec: string): Resolved[] {
    for (const { folder, name } of this.#goModules) {
      if (spec !== name && !spec.startsWith(`${name}/`)) continue;
      return this.#inFolder(join(folder, spec.slice(name.length + 1) || '.').replace(/^\.$/, ''), /\.go$/, ['*']);
    }
    return [];
  }

  /** `a.b.C` is a/b/C.java; `a.b` with everything is the folder. */
  #dotted(spec: string, names: string[], ending: string): Resolved[] {
    const relative = spec.replaceAll('.', '/').replaceAll('\\', '/');
    const last = `${relative.slice(relative.lastIndexOf('/') + 1)}${ending}`;
    const exact = (this.#byName.get(last) ?? []).filter((file) => file === relative + ending || file.endsWith(`/${relative}${ending}`));
    if (exact.length > 0) return exact.map((file) => ({ file, names }));
    // PSR-4 and the like map a prefix to a folder; the end of the path still fits.
    const parts = relative.split('/');
    for (let from = 1; from < parts.length - 1; from++) {
      const end = `${parts.slice(from).join('/')}${ending}`;
      const found = (this.#byName.get(last) ?? []).filter((file) => file === end || file.endsWith(`/${end}`));
      if (found.length > 0) return found.map((file) => ({ file, names }));
    }
    const folders = [...this.#byFolder.keys()].filter((folder) => folder === relative || folder.endsWith(`/${relative}`));
    return folders.flatMap((folder) => this.#inFolder(folder, new RegExp(`\\${ending}$`), ['*']));
  }

  #rust(from: string, spec: string, names: string[]): Resolved[] {
    const parts = spec.split('::').filter((part) => part !== '');
    const here = folderOf(from);
    const stem = from.slice(from.lastIndexOf('/') + 1).replace(/\.rs$/, '');
    const own = ['mod', 'lib', 'main'].includes(stem) ? here : join(here, stem);
    let base = own;
    const head = parts[0];
    const rest = head === 'crate' || head === 'self' || head === 'super' ? parts.slice(1) : parts;
    if (head === 'crate') base = /^(.*?\bsrc)(?:\/|$)/.exec(here)?.[1] ?? here;
    else if (head === 'super') base = folderOf(own);
    else if (head !== 'self') {
      const crate = [...this.#byFolder.keys()].find((folder) => folder.replaceAll('-', '_').endsWith(`${head}/src`));
      if (crate === undefined) return [];
      base = crate;
      rest.shift();
    }
    for (let length = rest.length; length >= 0; length--) {
      const module = join(base, rest.slice(0, length).join('/') || '.').replace(/^\.$/, '');
      const tries =
        length === 0 ? [`${base}/lib.rs`, `${base}/main.rs`, `${base}/mod.rs`, `${base}.rs`] : [`${module}.rs`, `${module}/mod.rs`];
      const file = tries.find((each) => this.#files.has(each));
      if (file !== undefined)
        return [{ file, names: length < rest.length ? [rest[length] as string, ...names] : names }, ...this.#rustModules(module, names)];
    }
    return [];
  }

  #rustModules(base: string, names: string[]): Resolved[] {
    return names.flatMap((name) =>
      [`${base}/${name}.rs`, `${base}/${name}/mod.rs`].filter((file) => this.#files.has(file)).map((file) => ({ file, names: ['*'] })),
    );
  }

  #byPath(from: string, spec: string, endings: readonly string[]): Resolved[] {
    const relative = spec.replace(/^\.\//, '');
    const near = endings.map((ending) => join(folderOf(from), spec + ending)).find((file) => this.#files.has(file));
    if (near !== undefined) return [{ file: near, names: ['*'] }];
    const name = relative.slice(relative.lastIndexOf('/') + 1);
    const far = endings
      .map((ending) => this.#endingWith(name + ending, relative.replace(/^(?:\.\.\/)+/, '') + ending))
      .find((file) => file !== undefined);
    return far === undefined ? [] : [{ file: far, names: ['*'] }];
  }

  /** @returns the files; none for packages from elsewhere */
  resolve(from: string, language: string, spec: string, names: string[]): Resolved[] {
    switch (language) {
      case 'javascript':
      case 'typescript':
      case 'tsx':
        return this.#ecmascript(from, spec, names);
      case 'python':
        return this.#python(from, spec, names);
      case 'go':
        return this.#go(spec);
      case 'java':
        return this.#dotted(spec, names, '.java');
      case 'csharp':
        return this.#dotted(spec, names, '.cs');
      case 'rust':
        return this.#rust(from, spec, names);
      case 'php':
        return spec.includes('/') || spec.endsWith('.php')
          ? this.#byPath(from, spec.replace(/^\//, ''), [''])
          : this.#dotted(spec, names, '.php');
      case 'ruby':
        return this.#byPath(from, spec, ['.rb', '']);
      default:
        return this.#byPath(from, spec, ['']);
    }
  }
}
