/** What every request must fulfil, and what every answer says about itself. */
import type { Context, MiddlewareHandler } from 'hono';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS: Record<string, string> = {
  'Content-Security-Policy': CSP,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** A name that leads to this machine by force of DNS alone is none of ours. */
const hosts = (port: number): string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

/** A page of another site may link here; anything else of it is refused. */
function fromElsewhere(context: Context, port: number): boolean {
  const origin = context.req.header('origin');
  if (origin !== undefined && !hosts(port).some((host) => origin === `http://${host}`)) return true;
  const site = context.req.header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  const followsLink = context.req.method === 'GET' && context.req.path === '/' && context.req.header('sec-fetch-mode') === 'navigate';
  return !followsLink;
}

/** @param port asked for late, since the system may choose it */
export function protect(port: () => number): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    if (!hosts(port()).includes(context.req.header('host') ?? '')) return context.json({ error: 'wrong_host' }, 403);
    if (fromElsewhere(context, port())) return context.json({ error: 'cross_origin' }, 403);
    return next();
  };
}
