/** A file in stretches that an answer can point to: along its definitions or headings, else a window of lines. Pure. */
import type { Chunk, Definition } from './parsed.ts';
import { wordsIn } from './words.ts';

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

/** @param lines the file's lines, without line ends */
export function chunksOf(lines: readonly string[], definitions: readonly Definition[]): Chunk[] {
  const marks = borders(lines, definitions);
  if (marks.length === 0 || (marks[0] as Border).line > 1) marks.unshift({ line: 1, name: '', doc: '' });
  const chunks: Chunk[] = [];
  for (const [index, { line, name, doc }] of marks.entries()) {
    const end = (marks[index + 1]?.line ?? lines.length + 1) - 1;
    for (let from = line; from <= end; from += LONGEST) {
      const to = Math.min(end, from + LONGEST - 1);
      const words = wordsIn(lines.slice(from - 1, to).join('\n'));
      if (words.size > 0) chunks.push({ line: from, end: to, name, doc, body: [...words].join(' ') });
    }
  }
  return chunks;
}
