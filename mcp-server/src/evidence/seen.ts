/** What a session has opened, searched or listed, by its ledger. Pure but for the names that a TreeView looks up. */

import path from 'node:path';
import type { Matcher } from '../globs/match.ts';
import { readsIn, type Searched } from './command-reads.ts';
import type { LedgerEntry } from './entry.ts';
import { globMatcher, isGlob } from './file-glob.ts';

export type Kind = 'file' | 'folder';

/** How the checks look at the disk; a test gives its own. */
export interface TreeView {
  root: string;
  home: string;
  kind: (absolute: string) => Kind | null;
  /** With symbolic links resolved, and in the case that the disk has; what is not there stays as it is. */
  real: (absolute: string) => string;
  /** Lines of a file; null when it cannot be read or is too large to count. */
  lines: (absolute: string) => number | null;
  /** Files that the host itself put before the model, as absolute paths. */
  given: ReadonlySet<string>;
}

interface Scope {
  folder: string;
  depth: number;
  names: Matcher[] | null;
}

export interface Seen {
  /** The file was opened, a search or a list that covered it was made, or the session wrote it. */
  file: (absolute: string) => boolean;
  /** The folder was searched or listed, or something in it was opened. */
  folder: (absolute: string) => boolean;
  url: (url: string) => boolean;
}

/** A path as a person writes it, against a base. */
export function absolutePath(given: string, base: string, home: string): string {
  const expanded = given === '~' || given.startsWith('~/') ? home + given.slice(1) : given;
  return path.resolve(base, expanded);
}

const isBelow = (absolute: string, folder: string): boolean => folder === '/' || absolute.startsWith(`${folder}/`);

/** Folders that the words of a command may be relative to. The host tells the folder after the command, so `cd` counts both ways. */
function basesOf({ cwd }: LedgerEntry, entered: readonly string[], view: TreeView): string[] {
  const here = cwd === '' ? view.root : cwd;
  if (entered.length === 0) return [here];
  const bases = new Set([here]);
  for (let up = here; isBelow(up, view.root); ) {
    up = path.dirname(up);
    bases.add(up);
  }
  for (const base of [...bases]) for (const folder of entered) bases.add(absolutePath(folder, base, view.home));
  return [...bases];
}

const MOST_NAMES = 500;

/** The server's own search of text: like Grep, it goes through a whole folder. */
const OWN_SEARCH = 'mcp__plugin_readygate_gate__search_text';

class Sight implements Seen {
  private readonly exact = new Set<string>();
  private readonly globs: Matcher[] = [];
  private readonly scopes: Scope[] = [];
  private readonly code: string[] = [];
  private readonly urls: string[] = [];
  private readonly view: TreeView;

  constructor(entries: readonly LedgerEntry[], view: TreeView) {
    this.view = view;
    for (const entry of entries) {
      if (entry.command !== undefined) this.command(entry, entry.command);
      else if (entry.ok) this.call(entry);
    }
  }

  private add(absolute: string): void {
    this.exact.add(absolute);
    this.exact.add(this.view.real(absolute));
  }

  private scope(folder: string, depth: number, names: readonly string[] | null): void {
    const compiled = names?.map(globMatcher) ?? null;
    for (const place of new Set([folder, this.view.real(folder)])) this.scopes.push({ folder: place, depth, names: compiled });
  }

  private call(entry: LedgerEntry): void {
    const { view } = this;
    const base = entry.cwd === '' ? view.root : entry.cwd;
    const named = [...(entry.path === undefined ? [] : [entry.path]), ...(entry.paths ?? [])];
    if (entry.url !== undefined) this.urls.push(entry.url);
    // A tool of a server may mean its paths from the root, wherever the host stands.
    for (const given of named) for (const from of new Set([base, view.root])) this.add(absolutePath(given, from, view.home));
    if (entry.edits || entry.tool === 'Read') return;
    const folder = absolutePath(entry.path ?? '.', base, view.home);
    if (entry.tool === 'Glob') this.glob(entry.pattern ?? '*', folder);
    else if (entry.tool === 'LS') this.scope(folder, 1, null);
    else if (entry.tool === 'Grep' || entry.tool === OWN_SEARCH)
      this.scope(folder, Number.POSITIVE_INFINITY, entry.glob === undefined ? null : [entry.glob]);
    else for (const given of named) this.scope(absolutePath(given, base, view.home), Number.POSITIVE_INFINITY, null);
  }

  private glob(pattern: string, folder: string): void {
    const whole = absolutePath(pattern, folder, this.view.home);
    for (const place of new Set([whole, this.view.real(folder) + whole.slice(folder.length)])) this.globs.push(globMatcher(place));
    this.add(folder);
  }

  private command(entry: LedgerEntry, command: string): void {
    // Not found, not allowed, interrupted, or still running somewhere: nothing was seen.
    if (entry.background || entry.exit === null || entry.exit === 126 || entry.exit === 127) return;
    const { names, searched, entered, code } = readsIn(command);
    const bases = basesOf(entry, entered, this.view);
    this.code.push(...code);
    for (const base of bases) {
      for (const name of names.slice(0, MOST_NAMES)) this.word(name, base);
      for (const { folder, depth, names: only } of searched)
        this.searched({ folder: absolutePath(folder, base, this.view.home), depth, names: only });
    }
  }

  private searched({ folder, depth, names }: Searched): void {
    if (isGlob(folder)) this.globs.push(globMatcher(`${folder}{,/**}`));
    else this.scope(folder, depth, names);
  }

  private word(given: string, base: string): void {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
      this.urls.push(given);
      return;
    }
    const absolute = absolutePath(given, base, this.view.home);
    if (isGlob(given)) this.globs.push(globMatcher(absolute));
    else this.add(absolute);
    // `tests/a.py::test_x`, `src/a.ts:12`
    const file = /^([^:]+):/.exec(given)?.[1];
    if (file !== undefined) this.add(absolutePath(file, base, this.view.home));
  }

  /** A search for files of some names has still been through every folder on its way. */
  private covers({ folder, depth, names }: Scope, absolute: string, asFolder = false): boolean {
    if (absolute === folder) return asFolder;
    if (!isBelow(absolute, folder)) return false;
    const below = absolute.slice(folder === '/' ? 1 : folder.length + 1);
    if (below.split('/').length > depth) return false;
    return asFolder || names === null || names.some((name) => name.test(path.basename(absolute)) || name.test(below));
  }

  private namedInCode(absolute: string): boolean {
    const name = isBelow(absolute, this.view.root) ? absolute.slice(this.view.root.length + 1) : absolute;
    return this.code.some((text) => {
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
        if (!/[\w/.-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + name.length] ?? ' ')) return true;
        if (text.slice(Math.max(0, at - 2), at) === './') return true;
      }
      return false;
    });
  }

  file(absolute: string): boolean {
    const forms = [absolute, this.view.real(absolute)];
    return forms.some(
      (form) =>
        this.exact.has(form) ||
        this.view.given.has(form) ||
        this.scopes.some((scope) => this.covers(scope, form)) ||
        this.globs.some((glob) => glob.test(form)) ||
        this.namedInCode(form),
    );
  }

  folder(absolute: string): boolean {
    const forms = [absolute, this.view.real(absolute)];
    const inside = (folder: string): boolean => [...this.exact].some((known) => isBelow(known, folder));
    return forms.some((form) => this.scopes.some((scope) => this.covers(scope, form, true)) || inside(form) || this.file(form));
  }

  url(given: string): boolean {
    const bare = (url: string): string => url.replace(/#.*$/, '').replace(/\/+$/, '');
    return this.urls.some((url) => bare(url) === bare(given));
  }
}

/** @param entries the ledger, in any order */
export function seenIn(entries: readonly LedgerEntry[], view: TreeView): Seen {
  return new Sight(entries, view);
}
