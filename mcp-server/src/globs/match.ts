/**
 * Matching globs in time that grows with the text alone. A regular expression with many stars tries every way to share a text
 * among them; what a model or a repository wrote must not be able to hold up a hook that way. Pure.
 */

/** One step of a glob: a character (`of`, a regular expression for one), any number of them, a choice, or a repetition. */
export type Piece = { of: string; many?: boolean } | { either: readonly (readonly Piece[])[] } | { repeat: readonly Piece[] };

export interface Matcher {
  /** Whether the whole text fits. */
  test(text: string): boolean;
}

/** So many stars a regular expression may hold: with two, the time grows with the square of a path's length. */
const FEW = 2;

const sourceOf = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => {
      if ('either' in piece) return `(?:${piece.either.map(sourceOf).join('|')})`;
      if ('repeat' in piece) return `(?:${sourceOf(piece.repeat)})*`;
      return piece.many ? `${piece.of}*` : piece.of;
    })
    .join('');

const starsIn = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => {
    if ('either' in piece) return sum + piece.either.reduce((most, branch) => most + starsIn(branch), 0);
    if ('repeat' in piece) return sum + 1 + starsIn(piece.repeat);
    return sum + (piece.many ? 1 : 0);
  }, 0);

/** So many characters a text must have at the least. */
const leastOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => {
    if ('either' in piece) return sum + Math.min(...piece.either.map(leastOf));
    return sum + ('repeat' in piece || piece.many ? 0 : 1);
  }, 0);

/** Takes one character that `of` fits, or goes to other states without one. */
type State = { of: string; next: number } | { to: number[] };

/** All places in the glob that fit what was read so far are followed at once. */
class Machine implements Matcher {
  readonly #states: State[] = [];
  readonly #start: number;
  /** A text that is too short for it is not walked through a glob of any length. */
  readonly #least: number;
  readonly #fits = new Map<string, boolean>();

  constructor(pieces: readonly Piece[]) {
    this.#least = leastOf(pieces);
    this.#start = this.#add(pieces, this.#push({ to: [] }));
  }

  #push(state: State): number {
    this.#states.push(state);
    return this.#states.length - 1;
  }

  /** @returns where to begin, so that what follows the pieces is `next` */
  #add(pieces: readonly Piece[], next: number): number {
    return pieces.reduceRight((after, piece) => {
      if ('either' in piece) return this.#push({ to: piece.either.map((branch) => this.#add(branch, after)) });
      if (!('repeat' in piece) && !piece.many) return this.#push({ of: piece.of, next: after });
      const loop: { to: number[] } = { to: [after] };
      const at = this.#push(loop);
      loop.to.push(this.#add('repeat' in piece ? piece.repeat : [{ of: piece.of }], at));
      return at;
    }, next);
  }

  #fitsOne(of: string, char: string): boolean {
    const key = char + of;
    const known = this.#fits.get(key);
    if (known !== undefined) return known;
    const fits = new RegExp(`^${of}$`, 's').test(char);
    this.#fits.set(key, fits);
    return fits;
  }

  test(text: string): boolean {
    if (text.length < this.#least) return false;
    let open = this.#reach([this.#start]);
    for (let at = 0; at < text.length && open.size > 0; at++) {
      const next: number[] = [];
      for (const index of open) {
        const state = this.#states[index] as State;
        if ('of' in state && this.#fitsOne(state.of, text[at] as string)) next.push(state.next);
      }
      open = this.#reach(next);
    }
    return open.has(0);
  }

  #reach(from: readonly number[]): Set<number> {
    const reached = new Set(from);
    for (const index of reached) {
      const state = this.#states[index] as State;
      if ('to' in state) for (const other of state.to) reached.add(other);
    }
    return reached;
  }
}

/** A glob that cannot be read fits nothing. */
const NOTHING: Matcher = { test: () => false };

/** @param pieces of the whole text, from its first character to its last */
export function matcherOf(pieces: readonly Piece[]): Matcher {
  try {
    // Also tells whether every character class can be read.
    const expression = new RegExp(`^${sourceOf(pieces)}$`, 's');
    return starsIn(pieces) <= FEW ? expression : new Machine(pieces);
  } catch {
    return NOTHING;
  }
}

/** A character of a file's name. */
export const NAME_CHAR = '[^/]';

/** @returns the character class that begins at `at`, and where it ends; null where none does */
export function classAt(glob: string, at: number): { piece: Piece; end: number } | null {
  const end = glob.indexOf(']', at + 2);
  if (glob[at] !== '[' || end < 0) return null;
  const inner = glob
    .slice(at + 1, end)
    .replace(/^!/, '^')
    .replace(/[\\[]/g, '\\$&');
  return { piece: { of: `[${inner}]` }, end };
}

/** A character that stands for itself. */
export const exactly = (char: string): Piece => ({ of: char.replace(/[.*+?^${}()|[\]\\/]/, '\\$&') });
