/** A file in stretches that an answer can point to: along its definitions or headings, else a window of lines. Pure. */
import type { Chunk, Definition } from './parsed.ts';
import { addTerms, TermsWriter, termOf } from './terms.ts';
import { wordsIn, wordsOf } from './words.ts';

const LONGEST = 80;
/** Below this a stretch is joined to the one before it: a list of constants is one place, not fifty. */
const SHORTEST = 4;

const BORDERS = new Set<Definition['kind']>([
  'function',
  'method',
  'class',
  'interface',
  'struct',
  'trait',
  'enum',
  'type',
  'module',
  'heading',
  'macro',
]);

interface Border {
  line: number;
  name: string;
  doc: string;
}

interface Chunks {
  chunks: Chunk[];
  terms: Uint32Array;
}

/** A comment above a definition belongs to it. */
function withComment(lines: readonly string[], line: number): number {
  let first = line;
  while (first > 1 && line - first < 30 && /^\s*(?:\/\/|#|\*|\/\*|--|@|\/\/\/)/.test(lines[first - 2] ?? '')) first--;
  return first;
}

function borders(lines: readonly string[], definitions: readonly Definition[]): Border[] {
  const found: Border[] = [];
  for (const { kind, line, container, name, doc } of [...definitions].sort((a, b) => a.line - b.line)) {
    if (!BORDERS.has(kind)) continue;
    const start = withComment(lines, line);
    const last = found.at(-1);
    if (last && start - last.line < SHORTEST) continue;
    found.push({ line: start, name: container === '' ? name : `${container}.${name}`, doc });
  }
  return found;
}

/**
 * @param path whose words belong to every stretch
 * @param text the file's text
 * @param lines its lines, without line ends
 * @returns the stretches, and their terms as TermsWriter lays them out
 */
export function chunksOf(path: string, text: string, lines: readonly string[], definitions: readonly Definition[]): Chunks {
  const marks = borders(lines, definitions);
  if (marks.length === 0 || (marks[0] as Border).line > 1) marks.unshift({ line: 1, name: '', doc: '' });
  const chunks: Chunk[] = [];
  const terms = new TermsWriter([...wordsIn(path)].map(termOf));
  let at = 0;
  let reached = 1;
  for (const [index, { line, name, doc }] of marks.entries()) {
    const end = (marks[index + 1]?.line ?? lines.length + 1) - 1;
    for (let from = line; from <= end; from += LONGEST) {
      const to = Math.min(end, from + LONGEST - 1);
      for (; reached < from; reached++) at += (lines[reached - 1] as string).length + 1;
      const start = at;
      for (; reached <= to; reached++) at += (lines[reached - 1] as string).length + 1;
      const body: number[] = [];
      addTerms(text, start, Math.min(text.length, at), body);
      if (body.length === 0) continue;
      chunks.push({ line: from, end: to, name });
      const docTerms: number[] = [];
      addTerms(doc, 0, doc.length, docTerms);
      terms.add(name === '' ? [] : name.split('.').flatMap(wordsOf).map(termOf), docTerms, body);
    }
  }
  return { chunks, terms: terms.done() };
}
