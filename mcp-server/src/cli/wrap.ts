/** Text for a terminal: lines that are too long are broken at spaces, or anywhere in scripts that have none. */

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/;

/** Columns that a text takes: East Asian wide characters take two. */
function cells(text: string): number {
  let sum = 0;
  for (const char of text) sum += WIDE.test(char) ? 2 : 1;
  return sum;
}

/** The beginning of a text that fits into so many columns. */
export function cutTo(text: string, columns: number): string {
  let kept = '';
  let sum = 0;
  for (const char of text) {
    sum += cells(char);
    if (sum > columns) break;
    kept += char;
  }
  return kept;
}

/** Pieces that stay whole: words with the spaces behind them, and single wide characters. */
const piecesOf = (line: string): string[] => line.match(new RegExp(`${WIDE.source}|(?:(?!${WIDE.source})\\S)+\\s*|\\s+`, 'gu')) ?? [];

function wrapLine(line: string, columns: number): string[] {
  if (cells(line) <= columns) return [line];
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const piece of piecesOf(line.slice(indent.length))) {
    if (current !== indent && cells(current + piece.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += piece;
  }
  return [...lines, current.trimEnd()];
}

/** Breaks every line that is longer than `columns`; what is broken keeps its indent. */
export const wrap = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
