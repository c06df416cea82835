/** Which file takes what from which other file. Built from the index in one go; that takes a fraction of a second. */
import type { Database } from '../store/database.ts';
import { Resolver } from './resolve.ts';

export interface Edge {
  /** The file that imports. */
  from: string;
  names: ReadonlySet<string>;
  line: number;
}

export class ImportGraph {
  readonly #importers = new Map<string, Edge[]>();
  readonly #imports = new Map<string, string[]>();

  constructor(db: Database, root: string) {
    const files = db.all('select path, language from files') as { path: string; language: string }[];
    const resolver = new Resolver(
      root,
      files.map(({ path }) => path),
    );
    const rows = db.all('select path, language, spec, names, line from imports join files on files.id = imports.file') as unknown as {
      path: string;
      language: string;
      spec: string;
      names: string;
      line: number;
    }[];
    for (const { path, language, spec, names, line } of rows) {
      const list = names.split(',');
      for (const { file, names: taken } of resolver.resolve(path, language, spec, list)) {
        if (file === path) continue;
        const edge: Edge = { from: path, names: new Set(taken), line };
        const there = this.#importers.get(file);
        if (there) there.push(edge);
        else this.#importers.set(file, [edge]);
        const own = this.#imports.get(path);
        if (own) own.push(file);
        else this.#imports.set(path, [file]);
      }
    }
  }

  /** Who imports a file. */
  importersOf(file: string): readonly Edge[] {
    return this.#importers.get(file) ?? [];
  }

  importsOf(file: string): readonly string[] {
    return this.#imports.get(file) ?? [];
  }

  /**
   * Files that a name of `file` reaches: by its name, or with the whole module; also through files that hand it on.
   * @returns each file with how it takes the name
   */
  reach(file: string, name: string): Map<string, 'named' | 'whole'> {
    const found = new Map<string, 'named' | 'whole'>();
    const waiting = [file];
    const visited = new Set(waiting);
    for (let at = waiting.shift(), steps = 0; at !== undefined && steps < 500; at = waiting.shift(), steps++) {
      for (const { from, names } of this.importersOf(at)) {
        const named = names.has(name);
        if (!named && !names.has('*') && !names.has('default')) continue;
        if (named || !found.has(from)) found.set(from, named ? 'named' : 'whole');
        // A file that imports may hand on; that it does is not known here, so only those below it that name it count.
        if (!visited.has(from)) {
          visited.add(from);
          if (this.importersOf(from).some((edge) => edge.names.has(name) || edge.names.has('*'))) waiting.push(from);
        }
      }
    }
    return found;
  }

  /** Importers of importers, by distance. `files` themselves are not listed. */
  levels(files: readonly string[], depth: number): string[][] {
    const seen = new Set(files);
    const levels: string[][] = [];
    let level: readonly string[] = files;
    for (let distance = 1; distance <= depth && level.length > 0; distance++) {
      const next: string[] = [];
      for (const file of level)
        for (const { from } of this.importersOf(file))
          if (!seen.has(from)) {
            seen.add(from);
            next.push(from);
          }
      levels.push(next.sort());
      level = next;
    }
    return levels;
  }
}
