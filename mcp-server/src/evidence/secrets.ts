/** Secrets in commands: a ledger is read by people and may be shown, so what looks like one is not written down. */

const MASK = '***';

/** Shapes that are secrets wherever they stand. `$1` is what stays readable. */
const SHAPES: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, MASK],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|pypi-|AKIA|ASIA|AIza)[A-Za-z0-9_-]{12,}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, MASK],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@'"]*):[^\s@/'"]+@/gi, `$1:${MASK}@`],
  [/\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi, `$1${MASK}`],
];

const NAME =
  '[A-Za-z0-9_-]*(?:token|secret|passw(?:or)?d|passphrase|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key)[A-Za-z0-9_-]*';

/** `TOKEN=…`, `--password …`, `"api_key": "…"`. A value that is itself looked up (`$TOKEN`, `$(…)`) tells nothing and stays. */
const ASSIGNED = new RegExp(String.raw`(${NAME}["']?\s*[=:]\s*|--?${NAME}\s+)("[^"$][^"]*"|'[^']+'|[^\s"'$;&|()<>-][^\s"';&|()<>]*)`, 'gi');

/** @returns the text with everything masked that has the shape of a secret; other text is untouched */
export function maskSecrets(text: string): string {
  const shaped = SHAPES.reduce((masked, [shape, instead]) => masked.replace(shape, instead), text);
  return shaped.replace(ASSIGNED, (_all, name: string) => `${name}${MASK}`);
}
