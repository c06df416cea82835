/** HTML in which every value is escaped, unless it is HTML made here. */
import escapeText from 'escape-html';

/** A piece of HTML that needs no more escaping. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | undefined | readonly Html[];

function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map((piece: Html) => piece.text).join('') : escapeText(String(value));
}

/** A template whose values are escaped; pieces made with it, and lists of them, go in as they are. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, index) => `${text}${textOf(values[index - 1])}${part}`));
}
