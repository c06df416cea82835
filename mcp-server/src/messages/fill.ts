/** Replaces `{name}` by its value; braces that name no parameter stay as they are, since messages show JSON, too. */
export function fill(text: string, params: Record<string, string | number> = {}): string {
  return text.replace(/\{([a-z_]+)\}/g, (all, name: string) => (name in params ? String(params[name]) : all));
}
