/** semantic_search: places that fit a question, by BM25 over split identifiers. */
import path from 'node:path';
import { readContent } from '../files/content.ts';
import { wordsIn } from '../parse/words.ts';
import { type Answer, compose, say, ToolProblem } from './answer.ts';
import { isTest, notesOf, scopeOf, type ToolContext } from './context.ts';

export interface SemanticSearch {
  query: string;
  terms?: string[];
  path?: string;
  k?: number;
}

/** Words of questions, not of code. */
const STOP = new Set(
  'a an and any are as at be been but by can could did do does each for from get gets given had has have how i if in into is it its make makes many may me more most must no not of on one only or other our out over same see should so some such than that the their them then there these they this those to under up us use used uses using very via want was we were what when where whether which who why will with would you your code file files function method class handled happen happens'.split(
    ' ',
  ),
);

const CANDIDATES = 300;
const WEIGHTS = '3.0, 6.0, 3.0, 1.0';
const K = 10;

interface Hit {
  path: string;
  line: number;
  end: number;
  name: string;
  score: number;
}

const quote = (word: string): string => `"${word.replaceAll('"', '')}"`;

/** Question words without those that every question has; all of them when nothing else is left. */
function questionWords(query: string): string[] {
  const words = [...wordsIn(query)];
  const telling = words.filter((word) => word.length > 1 && !STOP.has(word));
  return telling.length > 0 ? telling : words;
}

/** Best first. `terms` come from somebody who knows how code is written, so they count twice. */
function rank(context: Pick<ToolContext, 'index'>, query: string, terms: readonly string[], has: (file: string) => boolean): Hit[] {
  const asked = questionWords(query).slice(0, 40);
  const given = [...new Set(terms.flatMap((term) => [...wordsIn(term)]))].slice(0, 60);
  const all = [...new Set([...asked, ...given])];
  if (all.length === 0) return [];
  const run = (words: readonly string[], weight: number, into: Map<string, Hit>) => {
    if (words.length === 0) return;
    const rows = context.index.query((db) =>
      db.all(
        `select files.path as path, chunks.line as line, chunks.end as end, chunks.name as name, -bm25(words, ${WEIGHTS}) as score
         from words join chunks on chunks.id = words.rowid join files on files.id = chunks.file
         where words match ? order by bm25(words, ${WEIGHTS}) limit ${CANDIDATES}`,
        [words.map(quote).join(' OR ')],
      ),
    ) as unknown as Hit[];
    for (const hit of rows) {
      if (!has(hit.path)) continue;
      const key = `${hit.path}:${hit.line}`;
      const score = hit.score * weight * (isTest(hit.path) ? 0.5 : 1);
      const there = into.get(key);
      if (there) there.score += score;
      else into.set(key, { ...hit, score });
    }
  };
  const hits = new Map<string, Hit>();
  run(asked, 1, hits);
  run(given, 2, hits);
  return [...hits.values()].sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line);
}

/** Which of the words stand in a place, for the reader to judge it by. */
function why({ root }: ToolContext, { path: file, line, end, name }: Hit, words: readonly string[]): string[] {
  const content = readContent(path.join(root, file), false);
  const text =
    'text' in content
      ? content.text
          .split('\n')
          .slice(line - 1, end)
          .join('\n')
      : '';
  const there = wordsIn(`${text} ${file} ${name}`);
  // The index compares stems; the first letters are near enough to tell the reader.
  const stem = (word: string) => word.slice(0, Math.max(4, word.length - 2));
  const stems = new Set([...there].map(stem));
  return words.filter((word) => stems.has(stem(word))).slice(0, 8);
}

/** @throws ToolProblem for a question without words */
export function semanticSearch(context: ToolContext, { query, terms = [], path: below, k = K }: SemanticSearch): Answer {
  const { index, language, root } = context;
  const scope = scopeOf(root, below);
  const words = [...new Set([...questionWords(query), ...terms.flatMap((term) => [...wordsIn(term)])])];
  if (words.length === 0) throw new ToolProblem('intel.error.no_words');
  const hits = rank(context, query, terms, scope.has);
  const best = hits[0]?.score ?? 1;
  const rows = hits.slice(0, k).map((hit) => {
    const row = index.query((db) =>
      db.all(
        'select signature, kind, doc from symbols join files on files.id = symbols.file where files.path = ? and symbols.line between ? and ? order by symbols.line limit 1',
        [hit.path, hit.line, hit.end],
      ),
    )[0];
    const reasons = why(context, hit, words);
    const score = Number((hit.score / best).toFixed(2));
    const what = hit.name === '' ? '' : ` ${hit.name}`;
    const signature = row && hit.name !== '' ? String(row.signature) : '';
    const doc = row ? String(row.doc) : '';
    return {
      text: `${hit.path}:${hit.line}-${hit.end}${what} (${score}; ${reasons.join(' ')})${doc === '' ? '' : `\n    ${doc}`}`,
      data: {
        path: hit.path,
        line: hit.line,
        end: hit.end,
        ...(hit.name === '' ? {} : { name: hit.name }),
        score,
        why: reasons,
        ...(signature === '' ? {} : { signature }),
      },
      path: hit.path,
    };
  });
  const head = say(language, rows.length > 0 ? 'intel.semantic' : 'intel.semantic.none', { count: rows.length, total: hits.length });
  const notes = notesOf(context);
  if (terms.length === 0) notes.push(say(language, 'intel.note.terms'));
  return compose(language, { head, rows, total: Math.max(rows.length, Math.min(hits.length, k)), notes });
}
