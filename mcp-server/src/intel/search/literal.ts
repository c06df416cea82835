/** The plain words that every match of an expression must hold, so that most files need no closer look. Pure. */

const SHORTEST = 3;

/** Everything that is not surely plain ends a run. */
const SPECIAL = new Set('.*+?^$()[]{}|\\/');

/**
 * The longest run of plain characters outside of groups, classes and alternatives. Cautious: it says nothing rather than
 * something wrong.
 * @returns '' for none
 */
export function literalOf(pattern: string): string {
  const runs: string[] = [];
  let run = '';
  let depth = 0;
  const end = (optional: boolean) => {
    if (optional) run = run.slice(0, -1);
    if (depth === 0) runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === '|' && depth === 0) return '';
    if (char === '\\') {
      const next = pattern[at + 1] ?? '';
      at++;
      if (/[\w]/.test(next))
        end(false); // a class, a border, a back reference
      else run += next;
    } else if (char === '[') {
      end(false);
      const close = pattern.indexOf(']', pattern[at + 1] === ']' ? at + 2 : at + 1);
      if (close < 0) return '';
      at = close;
      while (pattern[at - 1] === '\\' && pattern[at] === ']') {
        at = pattern.indexOf(']', at + 1);
        if (at < 0) return '';
      }
    } else if (char === '(') {
      end(false);
      depth++;
    } else if (char === ')') {
      end(false);
      depth--;
    } else if (char === '?' || char === '*' || char === '{') end(true);
    else if (SPECIAL.has(char)) end(false);
    else run += char;
  }
  end(false);
  const best = runs.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  return best.length >= SHORTEST ? best : '';
}
