/** Reads one file into what the index keeps of it. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readContent } from '../files/content.ts';
import { chunksOf } from './chunks.ts';
import { extract } from './extract.ts';
import { readerOf } from './grammars.ts';
import { headingsIn } from './headings.ts';
import { hasGrammar, languageByName, languageOf } from './languages.ts';
import type { ParsedFile, SkipReason } from './parsed.ts';

/** A pathological file must not hold up the others. */
const PARSE_MS = 3000;

function emptyFile(file: string, skipped: SkipReason | null, stats: fs.Stats | undefined): ParsedFile {
  const language = languageByName(file);
  return {
    path: file,
    language,
    hash: '',
    size: stats?.size ?? 0,
    mtime: stats?.mtimeMs ?? 0,
    lines: 0,
    skipped,
    broken: false,
    definitions: [],
    imports: [],
    chunks: [],
  };
}

/**
 * @param root the work tree
 * @param file relative to it, with forward slashes
 * @returns what the file holds; never throws for what a file may be
 */
export async function parseFile(root: string, file: string): Promise<ParsedFile> {
  const absolute = path.join(root, file);
  // Before the content: a change between the two is then seen as one at the next look.
  const stats = fs.lstatSync(absolute, { throwIfNoEntry: false });
  const byName = languageByName(file);
  const content = readContent(absolute, byName !== 'markdown' && byName !== 'text');
  if ('skipped' in content) return emptyFile(file, content.skipped, stats);
  const { bytes } = content;
  const text = content.text.includes('\r') ? content.text.replace(/\r\n?/g, '\n') : content.text;
  const language = languageOf(file, text);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const parsed: ParsedFile = {
    ...emptyFile(file, null, stats),
    language,
    hash: createHash('sha1').update(bytes).digest('hex'),
    lines: lines.length,
  };
  if (language === 'markdown') parsed.definitions = headingsIn(lines);
  else if (hasGrammar(language)) {
    const { parser, query } = await readerOf(language);
    const until = performance.now() + PARSE_MS;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until });
    if (tree) {
      try {
        Object.assign(parsed, extract(tree, query, text, language));
      } finally {
        tree.delete();
      }
    } else {
      parser.reset();
      parsed.broken = true;
    }
  }
  parsed.chunks = chunksOf(lines, parsed.definitions);
  return parsed;
}
