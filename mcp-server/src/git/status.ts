import { git, gitBytes, records } from './run.ts';

/** One path that differs between HEAD, index and work tree. */
export interface StatusEntry {
  path: string;
  inHead: boolean;
  inIndex: boolean;
  inTree: boolean;
  /** The index differs from HEAD. */
  staged: boolean;
  unmerged: boolean;
  submodule: boolean;
  /** The index entries of a path that is staged or in conflict, as `mode blob stage` with commas between; INTENT_TO_ADD; else null. */
  index: string | null;
  /** The name is not valid UTF-8, so that `path` does not lead to the file. */
  unnamable?: boolean;
}

/** In place of an entry: only the intent to add the path is in the index. */
export const INTENT_TO_ADD = 'intent-to-add';

/** How the index differs from HEAD: `index` of the entries that have one, by path. */
export type Staging = Record<string, string>;

/** What is staged, in conflict or announced, where its name can be told. */
export function stagingOf({ entries }: Status): Staging {
  return Object.fromEntries(
    [...entries.values()].flatMap(({ path, index, unnamable }): [string, string][] => (index === null || unnamable ? [] : [[path, index]])),
  );
}

const ABSENT = '000000';

export interface Status {
  /** By path. */
  entries: Map<string, StatusEntry>;
  /** The commit that HEAD stands for; null when there is none yet. */
  head: string | null;
}

const ARGUMENTS = ['--branch', '--no-ahead-behind', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=none'];

/**
 * Every path that differs from HEAD, untracked files included, ignored files and `.readygate/` not.
 * A submodule is one path. A repository of its own inside this one is not ours and does not appear.
 */
export async function readStatus(root: string): Promise<Status> {
  const bytes = Buffer.from(await gitBytes(root, ['status', '--porcelain=v2', ...ARGUMENTS]));
  const entries = new Map<string, StatusEntry>();
  let head: string | null = null;
  for (const { record, unnamable } of decoded(bytes)) {
    head = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(record)?.[1] ?? head;
    const parsed = parse(record);
    const entry = parsed && unnamable ? { ...parsed, unnamable } : parsed;
    if (!entry || isOurs(entry.path) || entry.path.endsWith('/')) continue;
    const known = entries.get(entry.path);
    // Removed from the index alone, a path is listed twice: as deleted and as untracked.
    entries.set(entry.path, known ? { ...known, inTree: known.inTree || entry.inTree } : entry);
  }
  return { entries, head };
}

/** What git ignores now, folders with a slash at their end; `.readygate/` not. @throws GitFailed */
export async function readIgnored(root: string): Promise<string[]> {
  const { stdout } = await git(root, ['status', '--porcelain', '-z', '--ignored=traditional', '--untracked-files=normal', '--no-renames']);
  return records(stdout).flatMap((record) => {
    const path = record.slice(3);
    return record.startsWith('!! ') && !isOurs(path) ? [path] : [];
  });
}

/** The records of git's output as text, and whether one holds bytes that no text stands for. */
function decoded(bytes: Buffer): { record: string; unnamable: boolean }[] {
  const text = bytes.toString('utf8');
  if (!text.includes('\uFFFD')) return records(text).map((record) => ({ record, unnamable: false }));
  return records(bytes.toString('latin1')).map((raw) => {
    const own = Buffer.from(raw, 'latin1');
    const record = own.toString('utf8');
    return { record, unnamable: !Buffer.from(record, 'utf8').equals(own) };
  });
}

/** Whether a path belongs to Readygate itself. */
export function isOurs(path: string): boolean {
  return path === '.readygate' || path.startsWith('.readygate/');
}

function parse(record: string): StatusEntry | null {
  switch (record[0]) {
    case '1': {
      const { fields, path } = split(record, 8);
      const [, xy = '', sub = '', head, index = ABSENT, tree, , blob = ''] = fields;
      return {
        path,
        inHead: head !== ABSENT,
        inIndex: index !== ABSENT,
        inTree: tree !== ABSENT,
        staged: xy[0] !== '.',
        unmerged: false,
        submodule: sub.startsWith('S'),
        index: xy === '.A' ? INTENT_TO_ADD : xy[0] === '.' ? null : `${index} ${blob} 0`,
      };
    }
    case 'u': {
      const { fields, path } = split(record, 10);
      const [, , sub = '', , ours, , tree] = fields;
      const stages = [1, 2, 3].map((stage) => `${fields[stage + 2]} ${fields[stage + 6]} ${stage}`);
      return {
        path,
        inHead: ours !== ABSENT,
        inIndex: true,
        inTree: tree !== ABSENT,
        staged: true,
        unmerged: true,
        submodule: sub.startsWith('S'),
        index: stages.filter((entry) => !entry.startsWith(ABSENT)).join(','),
      };
    }
    case '?':
      return {
        path: record.slice(2),
        inHead: false,
        inIndex: false,
        inTree: true,
        staged: false,
        unmerged: false,
        submodule: false,
        index: null,
      };
    default:
      return null;
  }
}

/** The first `count` fields are separated by single spaces; the rest is the path, whatever it holds. */
function split(record: string, count: number): { fields: string[]; path: string } {
  const fields: string[] = [];
  let from = 0;
  for (let n = 0; n < count; n++) {
    const to = record.indexOf(' ', from);
    fields.push(record.slice(from, to));
    from = to + 1;
  }
  return { fields, path: record.slice(from) };
}
