import type { MessageRef } from '../flow/types.ts';

/** The system error of a failed read or write of the session's folder. */
export class StorageFailed extends Error {
  readonly file: string;
  readonly code: string;
  constructor(file: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException | null)?.code ?? String(cause);
    super(`${code}: ${file}`);
    this.file = file;
    this.code = code;
  }

  get ref(): MessageRef {
    return { key: 'error.storage_failed', params: { file: this.file, code: this.code } };
  }
}
