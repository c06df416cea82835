/**
 * Stands in for the SDK's own validator module in the bundle: the same class, but ajv is loaded when something is
 * validated, not when the server starts.
 */
interface Validator {
  getValidator(schema: unknown): (input: unknown) => unknown;
}

export class AjvJsonSchemaValidator {
  #made: Validator | null = null;

  getValidator(schema: unknown): (input: unknown) => unknown {
    return (input) => {
      this.#made ??= this.#make();
      return this.#made.getValidator(schema)(input);
    };
  }

  #make(): Validator {
    const { default: Ajv } = require('ajv') as typeof import('ajv');
    const ajv = new Ajv({ strict: false, allErrors: true });
    return {
      getValidator: (schema) => {
        const validate = ajv.compile(schema as object);
        return (input) =>
          validate(input)
            ? { valid: true, data: input, errorMessage: undefined }
            : { valid: false, data: undefined, errorMessage: ajv.errorsText(validate.errors) };
      },
    };
  }
}
