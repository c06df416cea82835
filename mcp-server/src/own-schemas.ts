/** JSON Schemas that are our own: that they are schemas is for a test to say, not for every start. */
import Ajv, { type Options } from 'ajv';

/** An ajv that takes its schemas at their word, which is most of what compiling one costs otherwise. */
export const ownSchemas = (options: Options = {}): Ajv => new Ajv({ strict: false, validateSchema: false, meta: false, ...options });
