/** Secrets in commands: a ledger is read by people and may be shown, so what looks like one is not written down. */
import { replaceSecrets, shapesOf } from '../secrets/shapes.ts';

const shapes = shapesOf('commands');

/**
 * Masks what has the shape of a secret. A value that is itself looked up (`$TOKEN`, `$(…)`) tells nothing and stays.
 * @returns the text with `***` in place of each; other text is untouched
 */
export const maskSecrets = (text: string): string => replaceSecrets(text, shapes, () => '***');
