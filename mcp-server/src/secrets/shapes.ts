/** What a secret looks like, as state/forbidden-assumptions.json has it. Pure. */
import forbidden from '../../../state/forbidden-assumptions.json' with { type: 'json' };

interface Declared {
  kind: string;
  category: string;
  pattern: string;
  flags?: string;
  /** The pattern's first group stays readable. */
  keep?: boolean;
  /** Too wide for prose. */
  only?: 'commands';
}

export interface Shape {
  kind: string;
  category: string;
  keep: boolean;
  regex: RegExp;
}

/** The shapes for a kind of text. Commands are full of addresses that are nobody's secret: there only credentials count. */
export function shapesOf(where: 'prose' | 'commands'): Shape[] {
  const fits = ({ only, category }: Declared): boolean => (where === 'prose' ? only === undefined : category === 'credentials');
  return (forbidden.shapes as Declared[]).filter(fits).map(({ kind, category, keep = false, pattern, flags = '' }) => ({
    kind,
    category,
    keep,
    regex: new RegExp(
      pattern.replaceAll('{names}', () => forbidden.secret_names),
      `g${flags}`,
    ),
  }));
}

/** @returns the text with everything that has one of these shapes replaced; other text is untouched */
export function replaceSecrets(text: string, shapes: readonly Shape[], instead: (kind: string) => string): string {
  return shapes.reduce(
    (masked, { kind, keep, regex }) => masked.replace(regex, (_all: string, kept: unknown) => (keep ? String(kept) : '') + instead(kind)),
    text,
  );
}
