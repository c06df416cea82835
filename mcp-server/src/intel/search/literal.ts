/** The plain words that every match of an expression must hold, so that most files need no closer look. Pure. */

const SHORTEST = 3;

/** What ends a run of plain characters and takes none of it away. */
const ENDS = new Set('.+^$');

/** An escape that stands for one character by number, for a kind of characters, or for what a group matched: all of it. */
const LONG_ESCAPE = /^\\(?:x[\da-f]{2}|u\{[\da-f]+\}|u[\da-f]{4}|c[a-z]|k<[^>]*>|p\{[^}]*\}|\d+)/i;
const QUANTIFIER = /^\{(\d+)(?:,\d*)?\}/;
const LONGEST_ESCAPE = 80;

/** Behind a class that begins at `at`; -1 where it has no end. A `]` right after the bracket ends it, as JavaScript reads it. */
function behindClass(pattern: string, at: number): number {
  for (let next = at + 1; next < pattern.length; next++) {
    if (pattern[next] === '\\') next++;
    else if (pattern[next] === ']') return next + 1;
  }
  return -1;
}

/** A run without its last character, which may be two units long. */
const withoutLast = (run: string): string => [...run].slice(0, -1).join('');

/**
 * The longest run of plain characters outside of groups, classes and alternatives. Cautious: it says nothing rather than
 * something wrong.
 * @returns '' for none
 */
export function literalOf(pattern: string): string {
  const runs: string[] = [];
  let run = '';
  let depth = 0;
  const end = () => {
    if (depth === 0) runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === '|' && depth === 0) return '';
    if (char === '\\') {
      const next = pattern[at + 1] ?? '';
      const long = LONG_ESCAPE.exec(pattern.slice(at, at + LONGEST_ESCAPE));
      if (long) {
        end();
        at += long[0].length - 1;
      } else {
        if (/\w/.test(next))
          end(); // a class, a border, a control character
        else run += next;
        at++;
      }
    } else if (char === '[') {
      end();
      const behind = behindClass(pattern, at);
      if (behind < 0) return '';
      at = behind - 1;
    } else if (char === '(' || char === ')') {
      end();
      depth += char === '(' ? 1 : -1;
    } else if (char === '?' || char === '*') {
      run = withoutLast(run);
      end();
    } else if (char === '{') {
      const times = QUANTIFIER.exec(pattern.slice(at, at + LONGEST_ESCAPE));
      if (times) {
        if (Number(times[1]) === 0) run = withoutLast(run);
        end();
        at += times[0].length - 1;
      } else run += char;
    } else if (ENDS.has(char) || char === '|') end();
    else run += char;
  }
  end();
  const best = runs.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  return best.length >= SHORTEST ? best : '';
}
