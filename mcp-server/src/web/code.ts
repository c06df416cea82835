/**
 * The code that a person copies from the terminal to the page before it decides for them. It is made anew at every start
 * and lives in memory: never in a file, an address, a command line or a cookie, since all of these the model could read.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Crockford's letters: none looks like another, or like a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 2;
const GROUP = 4;

/** Wrong codes until nothing is decided here any more: with 40 bits this many guesses are none. */
export const MAX_WRONG = 20;

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** As it is typed: in any case, with or without dashes and blanks, O for 0, I and L for 1. */
function normal(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
}

export class StartCode {
  /** For the terminal. */
  readonly shown: string;
  readonly #hash: Buffer;
  #wrong = 0;

  constructor() {
    const group = () => Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    this.shown = Array.from({ length: GROUPS }, group).join('-');
    this.#hash = hash(normal(this.shown));
  }

  get locked(): boolean {
    return this.#wrong >= MAX_WRONG;
  }

  /** `locked` after too many wrong ones: then the right one does not help, either. */
  check(typed: string): 'right' | 'wrong' | 'locked' {
    if (this.locked) return 'locked';
    if (timingSafeEqual(hash(normal(typed.slice(0, 100))), this.#hash)) return 'right';
    this.#wrong += 1;
    return 'wrong';
  }
}
