import type { Source } from './source.ts';
import type { Redirect } from './syntax.ts';
import type { WordGrammar } from './words.ts';

const REDIRECT = /^(?:&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)/;

/** The redirections that stand here. */
export function parseRedirects(source: Source, words: WordGrammar): Redirect[] {
  const redirects: Redirect[] = [];
  for (source.skipBlanks(); ; source.skipBlanks()) {
    const redirect = parseRedirect(source, words);
    if (redirect === null) return redirects;
    redirects.push(redirect);
  }
}

/** One redirection, or null when none starts here. A here-document's body follows when its line ends. */
export function parseRedirect(source: Source, words: WordGrammar): Redirect | null {
  if (!/[<>&{0-9]/.test(source.peek())) return null;
  const ahead = source.text.slice(source.position, source.position + 40);
  const fd = /^(?:[0-9]+|\{[A-Za-z_]\w*\})(?=[<>])/.exec(ahead)?.[0] ?? null;
  const rest = ahead.slice(fd?.length ?? 0);
  const operator = REDIRECT.exec(rest)?.[0];
  // `<(` and `>(` are words.
  if (operator === undefined || (/^[<>]$/.test(operator) && rest[1] === '(')) return null;
  source.position += (fd?.length ?? 0) + operator.length;
  source.skipBlanks();
  const target = words.word(source);
  if (target === null) source.fail('a redirection needs a target');
  const redirect: Redirect = { operator, fd, target, body: null };
  if (operator === '<<' || operator === '<<-') {
    const delimiter = source.text.slice(target.start, target.end);
    const literal = /['"\\]/.test(delimiter);
    source.expectHereDocument(redirect, delimiter.replace(/\\(.)/g, '$1').replace(/\$?['"]/g, ''), literal, operator === '<<-');
  }
  return redirect;
}
