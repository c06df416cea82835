/** Rule P9: secrets are masked before anything of a pre-planning payload is read, kept or said. Pure; shapes stand in state/forbidden-assumptions.json. */
import { replaceSecrets, shapesOf } from '../secrets/shapes.ts';

const shapes = shapesOf('prose');

const marker = (kind: string): string => `[masked:${kind}]`;

/** @returns the text with every secret in it replaced by `[masked:<kind>]`; masking twice is masking once */
export const maskText = (text: string): string => replaceSecrets(text, shapes, marker);

/** The category of what was masked in a text, or null. */
export function maskedCategory(text: string): string | null {
  return shapes.find(({ kind }) => text.includes(marker(kind)))?.category ?? null;
}

/** Under such a key a whole value is a secret, whatever it looks like. */
const SECRET_KEY =
  /(?:^|[_-])(?:password|passwd|pwd|passphrase|secret|api_?key|access_?key|private_?key|auth_?key|client_?secret|(?:auth|access|api|bearer|refresh)_?token)$/i;

const snake = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2');

function maskEntry([key, value]: [string, unknown]): [string, unknown] {
  const secret = typeof value === 'string' && value.trim() !== '' && SECRET_KEY.test(snake(key));
  return [maskText(key), secret ? marker('password') : mask(value)];
}

/** Any JSON value with its secrets masked, keys included. A key whose value is null is left out: that is how models say "none". */
export function mask(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(maskEntry),
  );
}
