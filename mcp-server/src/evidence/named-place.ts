/** What an entry of a payload names: people write `src/a.ts`, "`src/a.ts:12`", "src/a.ts (the parser)", `src/**`. Pure but for the TreeView. */
import { isGlob } from './file-glob.ts';
import { absolutePath, type Kind, type TreeView } from './seen.ts';

export type Place =
  | { kind: Kind; path: string }
  | { kind: 'glob'; glob: string }
  | { kind: 'url'; url: string }
  | { kind: 'missing'; name: string };

const MAX_CHARS = 4096;

/** Readings of one text, the most literal first. */
function readings(text: string): string[] {
  const whole = text.trim().slice(0, MAX_CHARS);
  const bare = whole.replace(/^[`'"@]+|[`'"]+$/g, '');
  const linked = /\]\(([^)]+)\)/.exec(whole)?.[1];
  const quoted = /[`'"]([^`'"]+)[`'"]/.exec(whole)?.[1];
  const head = bare.split(/\s+[-–—→#]\s+|\s*[(（:：,，]\s*|::/)[0] ?? '';
  const first = bare.split(/\s+/)[0] ?? '';
  const found = [whole, bare, withoutLine(bare), head, withoutLine(head), linked, quoted, first, withoutLine(first)];
  return [...new Set(found.filter((reading): reading is string => reading !== undefined && reading !== ''))];
}

function withoutLine(text: string): string {
  return text.replace(/#L?\d+.*$/, '').replace(/(?::\d+(?:[-–,:]\d+)*)+:?$/, '');
}

/**
 * @param bases folders that a relative name may be meant from, the likeliest first
 */
export function placeOf(text: string, bases: readonly string[], view: TreeView): Place {
  const url = /^[`'"<]*(https?:\/\/[^\s`'">)]+)/i.exec(text.trim())?.[1];
  if (url !== undefined) return { kind: 'url', url };
  const all = readings(text);
  for (const reading of all) {
    for (const base of bases) {
      const path = absolutePath(reading, base, view.home);
      const kind = view.kind(path);
      if (kind) return { kind, path };
    }
  }
  const glob = all.find((reading) => isGlob(reading) && !/\s/.test(reading));
  return glob === undefined ? { kind: 'missing', name: (all[1] ?? all[0] ?? '').slice(0, 200) } : { kind: 'glob', glob };
}

/** The text that names a file in an entry: the entry itself, or its `path` or `file`. */
export function nameIn(entry: unknown): { key: string; text: string } | null {
  if (typeof entry === 'string') return { key: '', text: entry };
  if (typeof entry !== 'object' || entry === null) return null;
  for (const key of ['path', 'file', 'file_path', 'url']) {
    const text = (entry as Record<string, unknown>)[key];
    if (typeof text === 'string' && text.trim() !== '') return { key: `/${key}`, text };
  }
  return null;
}
