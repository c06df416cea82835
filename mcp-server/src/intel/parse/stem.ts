/** Porter's stemmer (1980), so that `reading` is found by `read`. Pure. For lower-case words; others stay as they are. */

const C = '[^aeiou][^aeiouy]*';
const V = '[aeiouy][aeiou]*';
/** m > 0, m = 1 and m > 1 of the paper: how many times a vowel is followed by a consonant. */
const SOME = new RegExp(`^(?:${C})?${V}${C}`);
const ONE = new RegExp(`^(?:${C})?${V}${C}(?:${V})?$`);
const MORE = new RegExp(`^(?:${C})?${V}${C}${V}${C}`);
const VOWEL = new RegExp(`^(?:${C})?${V}`);
/** A consonant, a vowel and a consonant that is no w, x or y. */
const SHORT = new RegExp(`^${C}[aeiouy][^aeiouwxy]$`);
const DOUBLE = /([^aeiouylsz])\1$/;

const SECOND = new Map(
  'ational ate tional tion enci ence anci ance izer ize logi log bli ble alli al entli ent eli e ousli ous ization ize ation ate ator ate alism al iveness ive fulness ful ousness ous aliti al iviti ive biliti ble'
    .match(/\w+ \w+/g)
    ?.map((pair) => pair.split(' ') as [string, string]),
);
const SECOND_END =
  /^(.+?)(ational|tional|enci|anci|izer|bli|alli|entli|eli|ousli|ization|ation|ator|alism|iveness|fulness|ousness|aliti|iviti|biliti|logi)$/;
const THIRD = new Map([
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]);
const THIRD_END = /^(.+?)(icate|ative|alize|iciti|ical|ful|ness)$/;
const FOURTH_END = /^(.+?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize)$/;
const FOURTH_ION = /^(.+?[st])ion$/;

function pastAndGerund(word: string): string {
  if (word.endsWith('eed')) return SOME.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const found = /^(.+?)(?:ed|ing)$/.exec(word)?.[1];
  if (found === undefined || !VOWEL.test(found)) return word;
  if (/(?:at|bl|iz)$/.test(found)) return `${found}e`;
  if (DOUBLE.test(found)) return found.slice(0, -1);
  return SHORT.test(found) ? `${found}e` : found;
}

function replaced(word: string, end: RegExp, by: ReadonlyMap<string, string>): string {
  const [, start = '', suffix = ''] = end.exec(word) ?? [];
  return suffix !== '' && SOME.test(start) ? start + (by.get(suffix) ?? '') : word;
}

function shortened(word: string): string {
  const start = (FOURTH_END.exec(word) ?? FOURTH_ION.exec(word))?.[1];
  return start !== undefined && MORE.test(start) ? start : word;
}

export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  // A y at the beginning is a consonant; the patterns take every y for a vowel.
  const first = word.startsWith('y');
  let stemmed = first ? `Y${word.slice(1)}` : word;
  stemmed = stemmed.replace(/^(.+?)(ss|i)es$/, '$1$2').replace(/^(.+?)([^s])s$/, '$1$2');
  stemmed = pastAndGerund(stemmed);
  if (stemmed.endsWith('y') && VOWEL.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaced(stemmed, SECOND_END, SECOND);
  stemmed = replaced(stemmed, THIRD_END, THIRD);
  stemmed = shortened(stemmed);
  if (stemmed.endsWith('e')) {
    const start = stemmed.slice(0, -1);
    if (MORE.test(start) || (ONE.test(start) && !SHORT.test(start))) stemmed = start;
  }
  if (stemmed.endsWith('ll') && MORE.test(stemmed)) stemmed = stemmed.slice(0, -1);
  return first ? `y${stemmed.slice(1)}` : stemmed;
}
