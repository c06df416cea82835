/**
 * Replaces `{name}` by its value, and `{name:file|files}` by the word that goes with one or with another number; braces that
 * name no parameter stay as they are, since messages show JSON, too.
 */
export function fill(text: string, params: Record<string, string | number> = {}): string {
  return text.replace(/\{([a-z_]+)(?::([^|{}]*)\|([^|{}]*))?\}/g, (all, name: string, one?: string, more = '') => {
    if (!(name in params)) return all;
    if (one === undefined) return String(params[name]);
    return Number(params[name]) === 1 ? one : more;
  });
}
