/** See page.mjs. */
export function buildPage(): Promise<{ html: string; js: string; css: string; icon: string }>;
