/** The known word that somebody probably meant. Pure. */

/** Longer words are compared by their beginning: what is typed may be of any length. */
const COMPARED = 64;

/** Edit distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** @returns the one of `names` that differs least from `word`; undefined only where there are none */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const short = word.slice(0, COMPARED).toLowerCase();
  return names.reduce<string | undefined>(
    (best, name) => (best === undefined || distance(short, name) < distance(short, best) ? name : best),
    undefined,
  );
}

/** @returns the nearest of `names` where it is near enough to have been meant: its beginning, or a slip or two of the hand */
export function meant(word: string, names: readonly string[]): string | undefined {
  const begun = word.length >= 3 ? names.find((name) => name.startsWith(word.toLowerCase())) : undefined;
  if (begun !== undefined) return begun;
  const near = nearest(word, names);
  const slips = Math.min(2, Math.floor(word.length / 3));
  return near !== undefined && distance(word.slice(0, COMPARED).toLowerCase(), near) <= slips ? near : undefined;
}
