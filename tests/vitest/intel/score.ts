/** Precision and recall of definitions against what another parser, or a person, says. */
import type { ParsedFile } from '../../../mcp-server/src/intel/parse/parsed.ts';

/** `name:line`, each as often as it is defined. */
export type Labels = readonly string[];

export const labelsOf = ({ definitions }: Pick<ParsedFile, 'definitions'>): string[] =>
  definitions.map(({ name, line }) => `${name}:${line}`);

export interface Score {
  files: number;
  expected: number;
  precision: number;
  recall: number;
  /** Some of what went wrong, to read. */
  missed: string[];
  invented: string[];
}

export function score(pairs: readonly { file: string; found: Labels; expected: Labels }[]): Score {
  let right = 0;
  let found = 0;
  let expected = 0;
  const missed: string[] = [];
  const invented: string[] = [];
  for (const pair of pairs) {
    // One name may be defined twice on a line (a type and a value); once is enough to find it.
    const own = new Set(pair.found);
    const truth = new Set(pair.expected);
    found += own.size;
    expected += truth.size;
    for (const label of truth)
      if (own.has(label)) right++;
      else missed.push(`${pair.file} ${label}`);
    for (const label of own) if (!truth.has(label)) invented.push(`${pair.file} ${label}`);
  }
  return { files: pairs.length, expected, precision: right / Math.max(1, found), recall: right / Math.max(1, expected), missed, invented };
}
