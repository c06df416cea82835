/** Where a name is used, and how sure it is that the definition is meant. */
import path from 'node:path';
import { readContent } from '../files/content.ts';
import type { CodeIndex } from '../index/code-index.ts';
import { languageOf } from '../parse/languages.ts';
import { maskText } from '../parse/mask.ts';
import { wholeWord, wordsOf } from '../parse/words.ts';
import type { SymbolRow } from '../tools/symbols-table.ts';
import type { ImportGraph } from './import-graph.ts';

/**
 * `exact`: in the file that defines it, or in one that imports it by name. `import`: in a file that imports the module as
 * a whole, or belongs to the same package. `name`: the same name, nothing more is known (methods need types).
 */
export type Confidence = 'exact' | 'import' | 'name';

export interface Reference {
  path: string;
  line: number;
  text: string;
  confidence: Confidence;
}

export interface References {
  found: Reference[];
  /** Files that hold the word but were not read, because there were too many. */
  unread: number;
}

const MOST_FILES = 3000;
const MOST_FOUND = 5000;

/** Files whose text holds a name as a whole word, by the index. */
export function filesWithWord(index: CodeIndex, name: string): string[] {
  const words = wholeWord(name) === '' ? [] : wordsOf(name).slice(0, 1);
  if (words.length === 0) return [];
  const match = words.map((word) => `body : "${word.replaceAll('"', '')}"`).join(' AND ');
  const rows = index.query((db) =>
    db.all(
      'select distinct files.path as path from words join chunks on chunks.id = words.rowid join files on files.id = chunks.file where words match ? order by files.path',
      [match],
    ),
  );
  return rows.map((row) => String(row.path));
}

const escaped = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Languages in which files of one folder see each other's names without saying so. */
const BY_FOLDER = /\.(?:go|java|cs)$/;
const C_FILE = /\.(?:c|h|cc|cpp|cxx|hh|hpp|hxx)$/;
const OWN_MEMBER = /(?:this|self|cls|\$this|static|super)\s*(?:\.|->|::)\s*$|@$/;

const isMember = ({ kind, container }: SymbolRow): boolean =>
  container !== '' && (kind === 'method' || kind === 'field' || kind === 'member');

/** How a file comes to the definitions that are asked for. */
function reachOf(definitions: readonly SymbolRow[], graph: ImportGraph, name: string): (file: string) => Confidence {
  const own = new Set(definitions.map((definition) => definition.path));
  const top = definitions.filter((definition) => !isMember(definition));
  const reached = new Map<string, 'named' | 'whole'>();
  for (const file of new Set(top.map((definition) => definition.path)))
    for (const [from, how] of graph.reach(file, name)) if (how === 'named' || !reached.has(from)) reached.set(from, how);
  const folders = new Set(
    top.filter((definition) => BY_FOLDER.test(definition.path)).map((definition) => path.posix.dirname(definition.path)),
  );
  return (file) => {
    if (own.has(file)) return 'exact';
    const how = reached.get(file);
    if (how === 'named') return 'exact';
    if (how === 'whole') return 'import';
    if (folders.has(path.posix.dirname(file)) && BY_FOLDER.test(file)) return 'import';
    return 'name';
  };
}

/**
 * @param definitions of the name; none when it is defined elsewhere (a package), and then everything is by name
 * @param has which files are asked about
 */
export function findUses(
  index: CodeIndex,
  graph: ImportGraph,
  name: string,
  definitions: readonly SymbolRow[],
  has: (file: string) => boolean,
): References {
  const candidates = filesWithWord(index, name).filter(has);
  const members = definitions.length > 0 && definitions.every(isMember);
  const reach = reachOf(definitions, graph, name);
  const defined = new Set(definitions.map((definition) => `${definition.path}:${definition.line}`));
  const pattern = new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`, 'g');
  const found: Reference[] = [];
  for (const file of candidates.slice(0, MOST_FILES)) {
    const content = readContent(path.join(index.root, file), false);
    if ('skipped' in content || found.length >= MOST_FOUND) continue;
    const text = content.text.replace(/\r\n?/g, '\n');
    const language = languageOf(file, text);
    if (language === 'markdown' || language === 'text') continue;
    const masked = maskText(text, language).split('\n');
    const lines = text.split('\n');
    const confidence = reach(file);
    for (const [at, line] of masked.entries()) {
      if (!line.includes(name) || defined.has(`${file}:${at + 1}`)) continue;
      pattern.lastIndex = 0;
      const match = pattern.exec(line);
      if (!match) continue;
      const owned = members ? (confidence === 'exact' && OWN_MEMBER.test(line.slice(0, match.index)) ? 'exact' : 'name') : confidence;
      // A C name that a header declares is the one that the program links.
      const linked =
        owned === 'name' && !members && C_FILE.test(file) && definitions.some((definition) => C_FILE.test(definition.path))
          ? 'import'
          : owned;
      found.push({ path: file, line: at + 1, text: lines[at] ?? '', confidence: linked });
    }
  }
  const order: readonly Confidence[] = ['exact', 'import', 'name'];
  found.sort((a, b) => order.indexOf(a.confidence) - order.indexOf(b.confidence) || a.path.localeCompare(b.path) || a.line - b.line);
  return { found, unread: Math.max(0, candidates.length - MOST_FILES) };
}
