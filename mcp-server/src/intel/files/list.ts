/** Which files belong to a work tree: what git would commit, or what lies in a folder without git. */
import fs from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { git, records } from '../../git/run.ts';

export interface Listing {
  /** Relative to the root, with forward slashes, sorted. */
  files: string[];
  /** Folders whose time tells that a file came or went, relative to the root; '' is the root. */
  folders: string[];
  /** Other files that decide what is listed, absolute. */
  rules: string[];
  /** Without git, a walk stops at this many files; then more are there. */
  truncated: boolean;
}

const OWN = /^\.readygate(?:\/|$)/;
/** What nobody looks into in a folder without git. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '.readygate', '__pycache__', '.venv', '.tox', '.cache', '.gradle']);
const MOST_WALKED = 100_000;

function foldersOf(files: readonly string[], more: readonly string[]): string[] {
  const folders = new Set<string>(['']);
  const add = (folder: string) => {
    for (let at = folder; at !== '' && !folders.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) folders.add(at);
  };
  let last = '';
  for (const file of files) {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')));
    if (folder !== last) add(folder);
    last = folder;
  }
  for (const folder of more) add(folder);
  return [...folders];
}

async function listWithGit(root: string): Promise<Listing> {
  const [listed, untracked, places] = await Promise.all([
    git(root, ['ls-files', '-c', '-o', '--exclude-standard', '-z', '--deduplicate']),
    git(root, ['ls-files', '-o', '--directory', '--exclude-standard', '-z']),
    git(root, ['rev-parse', '--absolute-git-dir', '--git-common-dir']),
  ]);
  // A path that ends in a slash is a repository of its own inside this one.
  const files = records(listed.stdout).filter((file) => !OWN.test(file) && !file.endsWith('/'));
  const empty = records(untracked.stdout)
    .filter((folder) => folder.endsWith('/') && !OWN.test(folder))
    .map((folder) => folder.slice(0, -1));
  const [own = '', common = ''] = places.stdout.split('\n');
  const rules = [path.join(own, 'index'), path.join(path.resolve(root, common), 'info/exclude')];
  return { files: files.sort(), folders: foldersOf(files, empty), rules, truncated: false };
}

interface Rule {
  folder: string;
  rule: Ignore;
}

function ruleIn(root: string, folder: string): Rule[] {
  try {
    return [{ folder, rule: ignore().add(fs.readFileSync(path.join(root, folder, '.gitignore'), 'utf8')) }];
  } catch {
    return [];
  }
}

function isIgnored(file: string, rules: readonly Rule[]): boolean {
  return rules.some(({ folder, rule }) => rule.ignores(folder === '' ? file : file.slice(folder.length + 1)));
}

function walk(root: string): Listing {
  const files: string[] = [];
  const folders: string[] = [];
  const waiting: { folder: string; rules: Rule[] }[] = [{ folder: '', rules: [] }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { folder } = next;
    folders.push(folder);
    let entries: fs.Dirent[] = [];
    try {
      entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
    } catch {
      continue; // may not be entered, or is gone
    }
    const rules = entries.some(({ name }) => name === '.gitignore') ? [...next.rules, ...ruleIn(root, folder)] : next.rules;
    for (const entry of entries) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && !isIgnored(`${file}/`, rules)) waiting.push({ folder: file, rules });
      } else if (!isIgnored(file, rules)) {
        if (files.length >= MOST_WALKED) return { files: files.sort(), folders, rules: [], truncated: true };
        files.push(file);
      }
    }
  }
  return { files: files.sort(), folders, rules: [], truncated: false };
}

/** Whether git answers for a folder; the innermost `.git` makes the root, so it lies right here. */
export const hasGit = (root: string): boolean => fs.existsSync(path.join(root, '.git'));

/** Lists a work tree. A repository that git refuses is walked like a folder. Never throws. */
export async function listFiles(root: string): Promise<Listing> {
  if (hasGit(root)) {
    try {
      return await listWithGit(root);
    } catch (error) {
      process.stderr.write(`readygate: git could not list ${root}, its folders are walked instead: ${(error as Error).message}\n`);
    }
  }
  return walk(root);
}
